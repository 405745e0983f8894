// Asks for confirmation before an irreversible action. Without a terminal, `--yes` is required.
import { commandFailures } from '../failures/commands.ts';
import { Asking, canAsk } from './ask.ts';
import { CliError } from './exit.ts';
import type { Session } from './session.ts';

/** @throws CliError when the answer is no, or when there is neither a terminal nor `--yes`. */
export async function confirm(session: Session, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!canAsk(session.io)) {
    throw new CliError(
      commandFailures.NOT_CONFIRMED,
      `${question} There is no terminal to ask on.`,
    );
  }
  const asking = new Asking(session.io);
  const said = await asking.ask(`${question} [y/N] `);
  asking.close();
  if (/^y(es)?$/i.test(said)) return;
  throw new CliError(commandFailures.NOT_CONFIRMED, 'Nothing was done.', { fix: '' });
}
