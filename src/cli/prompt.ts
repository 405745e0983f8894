// Prompts on the terminal.
import { createInterface, type Interface } from 'node:readline';
import { escapeLines } from '../api/responses/plain-text.ts';
import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import type { Io } from './io.ts';
import type { Session } from './session.ts';

/** True when standard input is a terminal, so that questions can be answered. */
export function isInteractiveInput({ stdin }: Pick<Io, 'stdin'>): boolean {
  return 'isTTY' in stdin && stdin.isTTY === true;
}

/** Asks questions one after another. Call `close` after the last one. */
export class Prompt {
  readonly #io: Pick<Io, 'stderr'>;
  readonly #input: Interface;
  readonly #lines: AsyncIterator<string>;

  constructor(io: Pick<Io, 'stdin' | 'stderr'>) {
    this.#io = io;
    // With `terminal: false`, the process itself handles Ctrl-C, which interrupts the command.
    this.#input = createInterface({ input: io.stdin, terminal: false });
    // The iterator buffers lines that are typed ahead of their question.
    this.#lines = this.#input[Symbol.asyncIterator]();
  }

  /** Returns the typed line, trimmed, or an empty string at the end of input. */
  async ask(question: string): Promise<string> {
    this.#io.stderr.write(escapeLines(question));
    const { done, value } = await this.#lines.next();
    return done === true ? '' : value.trim();
  }

  close(): void {
    this.#input.close();
  }
}

/** @throws RenderlineError if the answer is no, or if there is neither a terminal nor `--yes` */
export async function confirm(session: Session, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!isInteractiveInput(session.io)) {
    throw new RenderlineError(
      commandFailures.NOT_CONFIRMED,
      `Not confirmed: standard input is not a terminal, so nobody can answer "${question}"`,
    );
  }
  const prompt = new Prompt(session.io);
  const reply = await prompt.ask(`${question} [y/N] `).finally(() => prompt.close());
  if (/^y(es)?$/i.test(reply)) return;
  throw new RenderlineError(commandFailures.NOT_CONFIRMED, 'Nothing was done.', {
    fix: '',
    isExpected: true,
  });
}
