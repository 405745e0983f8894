// Runs another Renderline command in this process with captured streams. The web UI and the MCP tools use it, so that
// both behave exactly like the command line.
import { Readable, Writable } from 'node:stream';
import { Interrupts } from './interrupts.ts';
import type { Io } from './io.ts';
import type { RunCommand, Session } from './session.ts';

export interface EndedInside {
  /** Exit code. */
  code: number;
  /** One JSON object, or empty if the command printed none. */
  stdout: string;
  /** Notes for people. */
  stderr: string;
}

/** Runs a command with `--json` and the global options of this session. @param signal interrupts the command */
export async function runInside(
  { io, flags }: Pick<Session, 'io' | 'flags'>,
  program: RunCommand,
  words: readonly string[],
  { signal, ...other }: Partial<Io> & { signal: AbortSignal },
): Promise<EndedInside> {
  const [stdout, stderr] = [new Kept(), new Kept()];
  const interrupts = new Interrupts();
  const stop = () => interrupts.interrupt();
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  const own = { ...io, ...other, stdout, stderr, stdin: Readable.from([]), interrupts };
  const named = { config: flags.config, 'base-url': flags.baseUrl, 'task-queue': flags.taskQueue };
  const globals = Object.entries(named).flatMap(([name, value]) =>
    value ? [`--${name}=${value}`] : [],
  );
  try {
    const code = await program(['--json', ...globals, ...words], own);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** Collects everything that is written to it. */
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
