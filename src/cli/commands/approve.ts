// `renderline approve`: approves the canary or the changed pictures of a run.
import type { Command } from '@commander-js/extra-typings';
import { approveRun } from '../../app/runs/approval.ts';
import { reasonOption } from '../params.ts';
import type { Session } from '../session.ts';

export function declareApprove(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option('--dry-run', 'only show what would be approved')
    .option('--yes', 'do not ask for confirmation')
    .option(...reasonOption)
    .action(session.action((run, flags) => approveRun(session, run, flags)));
}
