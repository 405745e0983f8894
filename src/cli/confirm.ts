// Asks before something final. Where nobody can be asked, `--yes` must be given.
import { once } from 'node:events';
import { createInterface } from 'node:readline/promises';
import { commandFailures } from '../failures/commands.ts';
import { CliError } from './exit.ts';
import type { Session } from './session.ts';

/** @throws CliError when the person says no, or nobody can answer and `--yes` is not given. */
export async function confirm(session: Session, question: string, yes: boolean): Promise<void> {
  if (yes) return;
  const { stdin, stderr } = session.io;
  if (!('isTTY' in stdin) || stdin.isTTY !== true) {
    throw new CliError(commandFailures.NOT_CONFIRMED, `${question} Nobody can be asked here.`);
  }
  // Not as a terminal, so that Ctrl-C still goes to the process and ends the command.
  const asking = createInterface({ input: stdin, output: stderr, terminal: false });
  const silence = once(asking, 'close').then(() => '');
  const said = await Promise.race([asking.question(`${question} [y/N] `), silence]);
  asking.close();
  if (/^y(es)?$/i.test(said.trim())) return;
  throw new CliError(commandFailures.NOT_CONFIRMED, 'Nothing was done.', { fix: '' });
}
