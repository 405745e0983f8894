// `renderline resume`: resumes a paused run.
import type { Command } from '@commander-js/extra-typings';
import { controlRun } from '../../app/runs/control.ts';
import { reasonOption } from '../params.ts';
import type { Session } from '../session.ts';

export function declareResume(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option(...reasonOption)
    .action(session.action((run, { reason }) => controlRun(session, 'resume', run, reason)));
}
