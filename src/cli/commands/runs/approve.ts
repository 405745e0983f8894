// `renderline approve`: approves the canary or the changed pictures of a run.
import type { Command } from '@commander-js/extra-typings';
import { approve, previewApproval } from '../../../app/runs/approval.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { confirm } from '../../confirm.ts';
import { reasonOption } from '../../params.ts';
import { formatApprovalPreview, formatApprovalResult } from '../../runs/format-approval.ts';
import type { Session } from '../../session.ts';

export function declareApprove(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option('--dry-run', 'only show what would be approved')
    .option('--yes', 'do not ask for confirmation')
    .option(...reasonOption)
    .action(
      session.action(async (run, { dryRun, yes, reason }) => {
        const { output } = session;
        const preview = await previewApproval(session, run);
        if (dryRun || preview.kind === 'approved-before') {
          output.result(preview.shape, () => formatApprovalPreview(preview, output.paint));
          return exitCode.done;
        }
        if (!output.json) output.raw(formatApprovalPreview(preview, output.paint));
        const isCanary = preview.kind === 'canary';
        session.resumeHint = isCanary
          ? `The run still waits. Approve it: renderline approve ${run}`
          : `The pictures still wait. Approve them: renderline approve ${run}`;
        const question = isCanary
          ? `Continue with ${formatCount(preview.request.remaining, 'more asset')}?`
          : `Deliver ${formatCount(preview.waiting.length, 'changed picture')}?`;
        await confirm(session, question, yes === true);
        const approved = await approve(session, preview, { reason });
        output.result(approved.shape, () => formatApprovalResult(approved));
        return exitCode.done;
      }),
    );
}
