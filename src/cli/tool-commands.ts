// Runs commands for MCP tools in this process, with captured streams and restricted to the server's folders.
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import type { CommandContext } from '../mcp/call-command.ts';
import { secretValues } from '../settings/secrets/secret-names.ts';
import { runCommandInProcess } from './in-process-command.ts';
import type { Session } from './session.ts';

interface ToolOptions {
  readonly allowRuns: boolean;
  /** As given on the command line; relative paths start at the first folder. */
  readonly folders: readonly string[];
}

/** @returns null if the session cannot run other commands @throws RenderlineError for a path that is not a folder */
export async function createToolCommands(
  session: Session,
  { allowRuns, folders: given }: ToolOptions,
): Promise<CommandContext | null> {
  const { io, program } = session;
  const [first = '.', ...others] = given;
  const cwd = await realFolder(resolve(io.cwd, first));
  const folders = [cwd];
  for (const other of others) folders.push(await realFolder(resolve(io.cwd, other)));
  const { file, apiKey } = await session.config();
  if (program === null) return null;
  // Commands run in another cwd, where the settings file would not be found.
  const named = { io, flags: { ...session.flags, config: file ?? undefined } };
  return {
    allowRuns,
    secrets: [...(apiKey.value === null ? [] : [apiKey.value]), ...secretValues(io.env)],
    run: (words, signal) =>
      runCommandInProcess(named, program, words, { cwd, folders, signal, via: 'mcp' }),
  };
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path);
  if ((await stat(real)).isDirectory()) return real;
  throw new RenderlineError(commandFailures.ENOTDIR, `--folder ${path} is not a folder.`);
}
