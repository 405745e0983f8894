// `renderline cancel`: cancels a run.
import type { Command } from '@commander-js/extra-typings';
import { controlRun } from '../../app/runs/control.ts';
import { reasonOption } from '../params.ts';
import type { Session } from '../session.ts';

export function declareCancel(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option(...reasonOption)
    .action(session.action((run, { reason }) => controlRun(session, 'cancel', run, reason)));
}
