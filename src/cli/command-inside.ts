// Runs another command line of the program in this process, with streams of its own: for the page and for tools of agents, which
// say and do what the command line does, and nothing besides.
import { Readable, Writable } from 'node:stream';
import { Interrupts } from './interrupts.ts';
import type { Io } from './io.ts';
import type { RunCommand, Session } from './session.ts';

export interface EndedInside {
  /** Exit code of the command. */
  code: number;
  /** One JSON object; empty where it printed none. */
  stdout: string;
  /** Remarks for people. */
  stderr: string;
}

/** Runs words with `--json` and the options of the asking command. @param signal interrupts it */
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
