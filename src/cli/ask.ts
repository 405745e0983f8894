// Asks the person at the keyboard.
import { createInterface, type Interface } from 'node:readline';
import type { Io } from './io.ts';
import { lineByLine } from './screen-text.ts';

/** Whether somebody is there to answer. */
export function canAsk({ stdin }: Pick<Io, 'stdin'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

/** Asks one question after the other; `close` when no more come. */
export class Asking {
  readonly #io: Pick<Io, 'stderr'>;
  readonly #input: Interface;
  readonly #lines: AsyncIterator<string>;

  constructor(io: Pick<Io, 'stdin' | 'stderr'>) {
    this.#io = io;
    // Not as a terminal, so that Ctrl-C still goes to the process and ends the command.
    this.#input = createInterface({ input: io.stdin, terminal: false });
    // Keeps lines that were typed before their question.
    this.#lines = this.#input[Symbol.asyncIterator]();
  }

  /** The trimmed line that was typed; empty at the end of input. */
  async ask(question: string): Promise<string> {
    this.#io.stderr.write(lineByLine(question));
    const { done, value } = await this.#lines.next();
    return done === true ? '' : value.trim();
  }

  close(): void {
    this.#input.close();
  }
}
