// `renderline backfill`: starts the runs of past times of a schedule, after showing them.
import { type Command, Option } from '@commander-js/extra-typings';
import { RenderlineError } from '../../app/renderline-error.ts';
import {
  backfillStarts,
  findPastStarts,
  type PastStart,
  parseMoment,
} from '../../app/schedules/backfill.ts';
import { readSchedule } from '../../app/schedules/temporal-schedules.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { confirm } from '../confirm.ts';
import { reasonOption } from '../params.ts';
import { formatClockTime } from '../schedules/format.ts';
import type { Session } from '../session.ts';

const overlaps = ['buffer_all', 'allow_all'] as const;

export function declareBackfill(command: Command, session: Session): void {
  command
    .argument('<name>', 'name of the schedule: PIPELINE, or PIPELINE/NAME')
    .requiredOption('--from <time>', 'first time: 2026-11-01, 2026-11-01T02:00 or with Z')
    .requiredOption('--to <time>', 'last time')
    .addOption(
      new Option(
        '--overlap <policy>',
        'run one after another (buffer_all) or all at once (allow_all)',
      )
        .choices(overlaps)
        .default('buffer_all'),
    )
    .option('--dry-run', 'only show the starts')
    .option('--yes', 'do not ask for confirmation')
    .option(...reasonOption)
    .action(session.action((name, flags) => backfill(session, name, flags)));
}

interface BackfillFlags {
  from: string;
  to: string;
  overlap: string;
  reason?: string | undefined;
  yes?: true | undefined;
  dryRun?: true | undefined;
}

async function backfill(session: Session, name: string, flags: BackfillFlags): Promise<number> {
  return withTemporal(session, async ({ client }) => {
    const live = await readSchedule(client, name);
    const timezone = live.spec.timezone || 'UTC';
    const fromMs = parseMoment('--from', flags.from, timezone);
    const toMs = parseMoment('--to', flags.to, timezone);
    refuseRange(fromMs, toMs, session.io.now());
    const starts = await findPastStarts(client, live, fromMs, toMs);
    const missing = starts.filter(({ hasRun }) => !hasRun);
    const { output } = session;
    if (!output.json) output.raw(formatStarts(starts, timezone));
    const started = flags.dryRun ? [] : missing;
    if (started.length > 0) {
      await confirm(session, `Start ${formatCount(missing.length, 'run')}?`, flags.yes === true);
      const overlap = flags.overlap === 'allow_all' ? 'ALLOW_ALL' : 'BUFFER_ALL';
      await backfillStarts(client, live, missing, overlap, flags.reason);
    }
    const shape = {
      schema: 'renderline/backfill/v1',
      schedule: name,
      overlap: flags.overlap,
      starts,
    };
    output.result({ ...shape, started: started.map(({ run }) => run) }, () =>
      started.length === 0
        ? `Nothing ${flags.dryRun ? 'was started' : 'to start'}.`
        : `${formatCount(missing.length, 'run')} requested. See them: renderline runs --pipeline ${pipelineOfSchedule(name)}`,
    );
    return exitCode.done;
  });
}

function refuseRange(fromMs: number, toMs: number, nowMs: number): void {
  if (fromMs > toMs) {
    throw new RenderlineError(commandFailures.BAD_RANGE, '--from is later than --to.', {
      fix: 'Swap the two times.',
    });
  }
  if (toMs > nowMs) {
    throw new RenderlineError(
      commandFailures.BAD_RANGE,
      '--to is in the future, where the schedule starts the runs itself.',
      { fix: 'Give a time in the past.' },
    );
  }
}

function formatStarts(starts: readonly PastStart[], timezone: string): string {
  if (starts.length === 0) return 'The schedule has no starts in this range.';
  return starts
    .map(
      ({ start, run, hasRun }) =>
        `${formatClockTime(start, timezone)}  ${run}${hasRun ? '  has run' : ''}`,
    )
    .join('\n');
}
