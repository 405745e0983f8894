// Asks for confirmation before an irreversible action. Without a terminal, `--yes` is required.

import { RenderlineError } from '../app/renderline-error.ts';
import { commandFailures } from '../failures/commands.ts';
import { isInteractive, Prompt } from './prompt.ts';
import type { Session } from './session.ts';

/** @throws RenderlineError when the answer is no, or when there is neither a terminal nor `--yes`. */
export async function confirm(session: Session, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!isInteractive(session.io)) {
    throw new RenderlineError(
      commandFailures.NOT_CONFIRMED,
      `${question} There is no terminal to ask on.`,
    );
  }
  const prompt = new Prompt(session.io);
  const reply = await prompt.ask(`${question} [y/N] `);
  prompt.close();
  if (/^y(es)?$/i.test(reply)) return;
  throw new RenderlineError(commandFailures.NOT_CONFIRMED, 'Nothing was done.', { fix: '' });
}
