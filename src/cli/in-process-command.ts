// Runs another Renderline command in this process with captured streams. The web UI and the MCP tools use it, so that
// both behave exactly like the command line.
import { Readable, Writable } from 'node:stream';
import { Interrupts } from '../app/interrupts.ts';
import type { Io } from './io.ts';
import type { RunCommand, Session } from './session.ts';

export interface CommandResult {
  /** Exit code. */
  code: number;
  /** One JSON object, or empty if the command printed none. */
  stdout: string;
  /** Notes for people. */
  stderr: string;
}

/** Runs a command with `--json` and the global options of this session. @param signal interrupts the command */
export async function runCommandInProcess(
  { io, flags }: Pick<Session, 'io' | 'flags'>,
  program: RunCommand,
  words: readonly string[],
  { signal, ...other }: Partial<Io> & { signal: AbortSignal },
): Promise<CommandResult> {
  const [stdout, stderr] = [new MemoryStream(), new MemoryStream()];
  const interrupts = new Interrupts();
  const stop = () => interrupts.interrupt();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const commandIo = { ...io, ...other, stdout, stderr, stdin: Readable.from([]), interrupts };
  const globalFlags = {
    config: flags.config,
    'base-url': flags.baseUrl,
    'task-queue': flags.taskQueue,
  };
  const globals = Object.entries(globalFlags).flatMap(([name, value]) =>
    value ? [`--${name}=${value}`] : [],
  );
  try {
    const code = await program(['--json', ...globals, ...words], commandIo);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Collects everything that is written to it. */
class MemoryStream extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString('utf8');
  }
}
