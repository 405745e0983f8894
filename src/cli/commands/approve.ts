// `renderline approve`.
import type { Command } from '@commander-js/extra-typings';
import { approveRun } from '../runs/approval.ts';
import type { Session } from '../session.ts';

export function addApprove(program: Command, session: Session): void {
  program
    .command('approve')
    .description('let a run go on after its first assets; shows first what it made of them')
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option('--yes', 'do not ask')
    .action(session.action((run, { yes }) => approveRun(session, run, yes === true)));
}
