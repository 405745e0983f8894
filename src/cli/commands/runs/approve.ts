// `renderline approve`: approves a run's canary, changed pictures or waiting assets, or rejects pictures or assets.
import type { Command } from '@commander-js/extra-typings';
import { approve, previewApproval } from '../../../app/approvals/approval.ts';
import { checkReason } from '../../../app/approvals/decide.ts';
import { reword, sharedArguments, sharedOptions } from '../../options.ts';
import { collectOption } from '../../params.ts';
import { confirm } from '../../prompt.ts';
import {
  formatApprovalPreview,
  formatApprovalQuestion,
  formatApprovalResult,
} from '../../runs/format-approval.ts';
import type { Session } from '../../session.ts';

export function declareApprove(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.run)
    .option(
      '--only <keys>',
      'only waiting assets with this key or glob (repeatable)',
      collectOption,
    )
    .option(...reword(sharedOptions.where, 'only matching assets, such as \'view == "front"\''))
    .option('--reject <cel>', 'reject matching assets, approve the others; requires --reason')
    .option(...reword(sharedOptions.dryRun, 'only show what would be decided'))
    .option(...sharedOptions.yes)
    .option(...sharedOptions.reason)
    .action(
      session.action(async (run, { dryRun, yes = false, reason, only, where, reject }) => {
        const { output } = session;
        const preview = await previewApproval(session, run, { only, where, reject });
        if (dryRun || preview.kind === 'approved-before') {
          output.result(preview.shape, () => formatApprovalPreview(preview, output.paint));
          return;
        }
        if (preview.kind !== 'canary') checkReason(preview.verdicts, reason);
        output.questionContext(formatApprovalPreview(preview, output.paintNote), yes);
        const { waits, question } = formatApprovalQuestion(preview);
        session.resumeHint = `${waits}: renderline approve ${run}`;
        await confirm(session, question, yes);
        const result = await approve(session, preview, { reason });
        output.result(result.shape, () => formatApprovalResult(result));
      }),
    );
}
