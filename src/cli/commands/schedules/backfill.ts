// `renderline backfill`: lists the past start times of a schedule, then starts their runs.
import { type Command, Option } from '@commander-js/extra-typings';
import { backfill, previewBackfill } from '../../../app/schedules/backfill.ts';
import { pipelineOfSchedule } from '../../../compile/schedule.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { sharedOptions } from '../../options.ts';
import { confirm } from '../../prompt.ts';
import { formatPastStarts } from '../../schedules/format.ts';
import type { Session } from '../../session.ts';

const overlaps = ['buffer_all', 'allow_all'] as const;

export function declareBackfill(command: Command, session: Session): void {
  command
    .argument('<name>', 'name of the schedule: PIPELINE, or PIPELINE/NAME')
    .requiredOption(
      '--from <time>',
      'first time: 2026-11-01, 2026-11-01T02:00 or with Z (required)',
    )
    .requiredOption('--to <time>', 'last time (required)')
    .addOption(
      new Option(
        '--overlap <policy>',
        'run one after another (buffer_all) or all at once (allow_all)',
      )
        .choices(overlaps)
        .default('buffer_all' as const),
    )
    .option('--dry-run', 'only show the starts')
    .option(...sharedOptions.yes)
    .option(...sharedOptions.reason)
    .action(
      session.action(async (name, { from, to, overlap, dryRun, yes = false, reason }) => {
        const { output } = session;
        const preview = await previewBackfill(session, name, { from, to });
        const { starts } = preview;
        const missingCount = dryRun ? 0 : starts.filter(({ hasRun }) => !hasRun).length;
        if (missingCount > 0) {
          output.questionContext(formatPastStarts(preview), yes);
          await confirm(session, `Start ${formatCount(missingCount, 'run')}?`, yes);
        }
        const runs = missingCount > 0 ? await backfill(session, preview, { overlap, reason }) : [];
        const shape = {
          schema: 'renderline/backfill/v1',
          schedule: name,
          overlap,
          starts,
          started: runs,
        };
        output.result(shape, () =>
          missingCount === 0
            ? `${formatPastStarts(preview)}\nNothing ${dryRun ? 'was started' : 'to start'}.`
            : `${formatCount(missingCount, 'run')} requested. See them: renderline runs --pipeline ${pipelineOfSchedule(name)}`,
        );
      }),
    );
}
