// Asks before something final. Where nobody can be asked, `--yes` must be given.
import { commandFailures } from '../failures/commands.ts';
import { Asking, canAsk } from './ask.ts';
import { CliError } from './exit.ts';
import type { Session } from './session.ts';

/** @throws CliError when the person says no, or nobody can answer and `--yes` is not given. */
export async function confirm(session: Session, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  if (!canAsk(session.io)) {
    throw new CliError(commandFailures.NOT_CONFIRMED, `${question} Nobody can be asked here.`);
  }
  const asking = new Asking(session.io);
  const said = await asking.ask(`${question} [y/N] `);
  asking.close();
  if (/^y(es)?$/i.test(said)) return;
  throw new CliError(commandFailures.NOT_CONFIRMED, 'Nothing was done.', { fix: '' });
}
