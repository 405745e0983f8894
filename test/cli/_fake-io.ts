// Streams that record the output of commands, and settings for commands in this process.
import { PassThrough, Readable, Writable } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { Interrupts } from '../../src/cli/interrupts.ts';
import type { Io, Terminal } from '../../src/cli/io.ts';

export class Screen extends Writable {
  text = '';
  isTTY?: boolean;
  columns = 100;
  readonly #watchers: (() => void)[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
    for (const watcher of this.#watchers) watcher();
  }

  /** Text without colours. */
  get plain(): string {
    return stripVTControlCharacters(this.text);
  }

  /** Resolves when the text matches; the test's timeout limits the wait. */
  async shows(pattern: RegExp): Promise<void> {
    while (!pattern.test(this.plain)) {
      await new Promise<void>((resolve) => this.#watchers.push(resolve));
    }
  }
}

export interface CliEnvironment {
  env?: Record<string, string | undefined>;
  cwd?: string;
  /** A text, after which the input ends, or a stream. */
  stdin?: string | Readable;
  tty?: boolean;
  nowMs?: number;
}

function inputOf({ stdin }: CliEnvironment): Readable {
  if (stdin === undefined) return new PassThrough().end();
  return typeof stdin === 'string' ? Readable.from([Buffer.from(stdin)]) : stdin;
}

/** Streams and settings of a command in this process. */
export function createIo(world: CliEnvironment = {}) {
  const stdout = new Screen();
  const stderr = new Screen();
  if (world.tty === true) {
    stdout.isTTY = true;
    stderr.isTTY = true;
  }
  const interrupts = new Interrupts();
  const io: Io = {
    stdout: stdout as Terminal,
    stderr: stderr as Terminal,
    stdin: inputOf(world),
    env: world.env ?? {},
    cwd: world.cwd ?? process.cwd(),
    interrupts,
    now: () => world.nowMs ?? Date.now(),
  };
  return { stdout, stderr, interrupts, io };
}
