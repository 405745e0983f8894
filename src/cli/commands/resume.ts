// `renderline resume`.
import type { Command } from '@commander-js/extra-typings';
import { controlRun } from '../runs/control.ts';
import type { Session } from '../session.ts';

export function declareResume(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .action(session.action((run) => controlRun(session, 'resume', run)));
}
