// Creates the context of the tools of `renderline mcp`: the platform, and the folders of pipelines.
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Client } from '../api/client.ts';
import { readWorkspace } from '../api/workspace.ts';
import { App } from '../app/app.ts';
import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import { readSecretValues } from '../settings/secrets/secret-names.ts';
import type { ToolContext } from './tool.ts';

export interface ToolContextOptions {
  readonly allows: ToolContext['allows'];
  /** Folders of pipelines. Relative paths of files start at the first one. */
  readonly folders: readonly string[];
}

/** @throws RenderlineError for a path that is not a folder; Error of the file system for a missing path */
export async function createToolContext(
  app: App,
  client: Client,
  { allows, folders: folderPaths }: ToolContextOptions,
): Promise<Omit<ToolContext, 'signal'>> {
  const [first = '.', ...others] = folderPaths;
  const cwd = await resolveFolder(resolve(app.cwd, first));
  const folders = [cwd];
  for (const other of others) folders.push(await resolveFolder(resolve(app.cwd, other)));
  const { file, apiKey } = await app.config();
  const { env, flags } = app;
  let workspaceId: string | undefined;
  return {
    client,
    allows,
    async workspace() {
      workspaceId ??= (await readWorkspace(client)).id;
      return workspaceId;
    },
    app: new App({
      ...app.settings,
      cwd,
      folders,
      via: 'mcp',
      // The settings file is passed by path, because it would not be found from another working folder.
      flags: { ...flags, config: file ?? undefined },
    }),
    secrets: [...(apiKey.value === null ? [] : [apiKey.value]), ...readSecretValues(env)],
  };
}

async function resolveFolder(path: string): Promise<string> {
  const real = await realpath(path);
  if ((await stat(real)).isDirectory()) return real;
  throw new RenderlineError(commandFailures.ENOTDIR, `--folder ${path} is not a folder.`);
}
