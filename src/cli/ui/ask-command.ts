// Runs a command of this program in this process, and gives what it would print with `--json`. So the page says and does
// what the command line does, and nothing besides.
import { PassThrough, Writable } from 'node:stream';
import { Interrupts } from '../interrupts.ts';
import type { Io } from '../io.ts';
import type { RunCommand } from '../session.ts';

export interface Answered {
  /** Exit code of the command. */
  code: number;
  /** Its JSON object; an empty one where it printed none. */
  answer: Readonly<Record<string, unknown>>;
  /** What it remarked on stderr. */
  notes: string;
}

export type AskCommand = (argv: readonly string[]) => Promise<Answered>;

/** Longer than any command that does not wait for a run takes. */
const atMostMs = 120_000;

/**
 * @param run how the program runs a command line
 * @param io the world of the command that asks; its streams are left alone
 * @param globals options that every command gets, as the asking one had them
 */
export function askingCommands(run: RunCommand, io: Io, globals: readonly string[]): AskCommand {
  return async (argv) => {
    const [stdout, stderr] = [new Kept(), new Kept()];
    const interrupts = new Interrupts();
    const tooLong = setTimeout(() => interrupts.interrupt(), atMostMs);
    try {
      const stdin = new PassThrough().end();
      const code = await run(['--json', ...globals, ...argv], {
        ...io,
        stdout,
        stderr,
        stdin,
        interrupts,
      });
      return { code, answer: objectOf(stdout.text), notes: stderr.text.trim() };
    } finally {
      clearTimeout(tooLong);
    }
  };
}

class Kept extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString('utf8');
    done();
  }
}

function objectOf(text: string): Readonly<Record<string, unknown>> {
  if (text.trim() === '') return {};
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
