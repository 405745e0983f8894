// `renderline pause`.
import type { Command } from '@commander-js/extra-typings';
import { controlRun } from '../runs/control.ts';
import type { Session } from '../session.ts';

export function addPause(program: Command, session: Session): void {
  program
    .command('pause')
    .description('stop submitting; what the platform works on goes on')
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .action(session.action((run) => controlRun(session, 'pause', run)));
}
