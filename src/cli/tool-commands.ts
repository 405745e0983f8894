// Carries out commands for tools of agents: each in this process, with streams of its own, inside the folders of the server.
import { realpath, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { commandFailures } from '../failures/commands.ts';
import type { CommandContext } from '../mcp/call-command.ts';
import { secretValues } from '../settings/secret-names.ts';
import { CliError } from './exit.ts';
import { Interrupts } from './interrupts.ts';
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
  const { baseUrl, taskQueue } = session.flags;
  const flags = { config: file, 'base-url': baseUrl, 'task-queue': taskQueue };
  const globals = Object.entries(flags).flatMap(([name, value]) =>
    value ? [`--${name}=${value}`] : [],
  );
  if (program === null) return null;
  return {
    allowRuns,
    secrets: [...(apiKey.value === null ? [] : [apiKey.value]), ...secretValues(io.env)],
    run: async (words, signal) => {
      const [stdout, stderr] = [new Kept(), new Kept()];
      const interrupts = new Interrupts();
      const stop = () => interrupts.interrupt();
      signal.addEventListener('abort', stop, { once: true });
      const own = { ...io, stdout, stderr, stdin: Readable.from([]), cwd, folders, interrupts };
      try {
        const code = await program(['--json', ...globals, ...words], own);
        return { code, stdout: stdout.text(), stderr: stderr.text() };
      } finally {
        signal.removeEventListener('abort', stop);
      }
    },
  };
}

async function realFolder(path: string): Promise<string> {
  const real = await realpath(path);
  if ((await stat(real)).isDirectory()) return real;
  throw new CliError(commandFailures.ENOTDIR, `--folder ${path} is not a folder.`);
}

/** Keeps what is written to it. */
class Kept extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
