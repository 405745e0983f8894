// Carries out commands for tools of agents: each in this process, with streams of its own, inside the folders of the server.
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { commandFailures } from '../failures/commands.ts';
import type { CommandContext } from '../mcp/call-command.ts';
import { secretValues } from '../settings/secret-names.ts';
import { runInside } from './command-inside.ts';
import { CliError } from './exit.ts';
import type { Session } from './session.ts';

interface ToolOptions {
  readonly allowRuns: boolean;
  /** As a person gave them; paths of files begin at the first. */
  readonly folders: readonly string[];
}

/** @returns null where there is no program to carry out commands @throws CliError for a folder that is none */
export async function toolCommands(
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
  // From another folder the settings would not be found.
  const named = { io, flags: { ...session.flags, config: file ?? undefined } };
  return {
    allowRuns,
    secrets: [...(apiKey.value === null ? [] : [apiKey.value]), ...secretValues(io.env)],
    run: (words, signal) => runInside(named, program, words, { cwd, folders, signal, via: 'mcp' }),
  };
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path);
  if ((await stat(real)).isDirectory()) return real;
  throw new CliError(commandFailures.ENOTDIR, `--folder ${path} is not a folder.`);
}
