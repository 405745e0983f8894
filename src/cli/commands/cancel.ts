// `renderline cancel`.
import type { Command } from '@commander-js/extra-typings';
import { controlRun } from '../runs/control.ts';
import type { Session } from '../session.ts';

export function addCancel(program: Command, session: Session): void {
  program
    .command('cancel')
    .description('cancel a run, and on the platform what it still can')
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .action(session.action((run) => controlRun(session, 'cancel', run)));
}
