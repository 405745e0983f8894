// `renderline apply`: shows how Temporal's schedules and event triggers differ from the files, then updates Temporal.
import type { Command } from '@commander-js/extra-typings';
import { applyChanges, previewApply } from '../../../app/apply/apply.ts';
import { reword, sharedOptions } from '../../options.ts';
import { formatChangeCounts, formatDifference } from '../../schedules/format-changes.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareApply(command: Command, session: Session): void {
  command
    .argument('<paths...>', 'folders of pipeline files, or single files')
    .option(...reword(sharedOptions.dryRun, 'only show the difference'))
    .option(
      '--prune',
      'remove schedules, event triggers and HTTP starts of this task queue that no file declares',
    )
    .option(
      '--take',
      'also change schedules, event triggers and HTTP starts that belong to a file at another path',
    )
    .option('--when-current', 'first wait until this build is current for new runs')
    .option(...sharedOptions.reason)
    .action(
      session.action(async (paths, { dryRun, prune, take, whenCurrent, reason }) => {
        const { output } = session;
        const preview = await previewApply(session, paths, { prune, whenCurrent });
        for (const warning of preview.shape.warnings)
          output.note(`${output.paintNote('yellow', 'warning')} ${escapeForTerminal(warning)}`);
        if (dryRun) {
          const formatText = () => formatDifference(preview, output.paint);
          output.result(preview.shape, () => `${formatText()}\nNothing was changed.`);
        } else {
          output.note(formatDifference(preview, output.paintNote));
          const result = await applyChanges(session, preview, { canTakeOver: take, reason });
          output.result(result, () => formatChangeCounts(result));
        }
      }),
    );
}
