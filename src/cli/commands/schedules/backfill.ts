// `renderline backfill`: lists the past start times of a schedule, then starts their runs.
import { type Command, Option } from '@commander-js/extra-typings';
import { backfill, backfillOverlaps, previewBackfill } from '../../../app/schedules/backfill.ts';
import { pipelineOfSchedule } from '../../../compile/schedule.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { reword, sharedOptions } from '../../options.ts';
import { confirm } from '../../prompt.ts';
import { formatPastStarts } from '../../schedules/format.ts';
import type { Session } from '../../session.ts';

export function declareBackfill(command: Command, session: Session): void {
  command
    .argument('<name>', 'name of the schedule: PIPELINE, or PIPELINE/NAME')
    .requiredOption(
      '--from <time>',
      'first time, such as 2026-11-01, 2026-11-01T02:00 or 2026-11-01T02:00Z (required)',
    )
    .requiredOption('--to <time>', 'last time (required)')
    .addOption(
      new Option(
        '--overlap <policy>',
        'run one after another (buffer_all) or all at once (allow_all)',
      )
        .choices(backfillOverlaps)
        .default('buffer_all' as const),
    )
    .option(...reword(sharedOptions.dryRun, 'only show the starts'))
    .option(...sharedOptions.yes)
    .option(...sharedOptions.reason)
    .action(
      session.action(async (name, { from, to, overlap, dryRun, yes = false, reason }) => {
        const { output } = session;
        const preview = await previewBackfill(session, name, { from, to, overlap });
        if (dryRun || preview.missing === 0) {
          const end = `Nothing ${dryRun ? 'was started' : 'to start'}.`;
          output.result(preview.shape, () => `${formatPastStarts(preview)}\n${end}`);
          return;
        }
        const runs = formatCount(preview.missing, 'run');
        output.questionContext(formatPastStarts(preview), yes);
        await confirm(session, `Start ${runs}?`, yes);
        const shape = await backfill(session, preview, { reason });
        const command = `renderline runs --pipeline ${pipelineOfSchedule(name)}`;
        output.result(shape, () => `${runs} requested. See them: ${command}`);
      }),
    );
}
