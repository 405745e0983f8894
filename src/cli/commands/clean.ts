// `renderline clean`: deletes unused resources that runs of a pipeline created on the platform.
import type { Command } from '@commander-js/extra-typings';
import { cleanPipeline } from '../../app/clean/clean.ts';
import { compilePipeline } from '../../app/compile-pipeline.ts';
import { knownRuns } from '../../app/find/record-locations.ts';
import { chooseRunTarget } from '../../app/run-target.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { formatDuration } from '../../language/duration.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { withAuditRecord } from '../../temporal/audit/record-act.ts';
import type { WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import { collectOption, durationParser, parsePairs, reasonOption } from '../params.ts';
import type { Session } from '../session.ts';
import { unreadableError } from '../unreadable-error.ts';

const dayMs = 24 * 3_600_000;

interface CleanFlags {
  param?: string[] | undefined;
  olderThan?: number | undefined;
  dryRun?: true | undefined;
  removedColorways?: true | undefined;
  yes?: true | undefined;
  reason?: string | undefined;
}

export function declareClean(command: Command, session: Session): void {
  command
    .argument('<file>', 'pipeline file')
    .option('--param <name=value>', 'parameter of the pipeline (repeatable)', collectOption)
    // The default is the 24 hours for which the platform remembers idempotency keys (docs/platform.md).
    .option(
      '--older-than <duration>',
      'keep resources that are younger than this (default: 1d)',
      durationParser('--older-than'),
    )
    .option(
      '--removed-colorways',
      'also delete resources of colorways that the file or its table no longer contains',
    )
    .option('--dry-run', 'only show what would be deleted')
    .option('--yes', 'do not ask for confirmation')
    .option(...reasonOption)
    .action(session.action((file, flags) => clean(session, file, flags)));
}

async function clean(session: Session, file: string, flags: CleanFlags): Promise<number> {
  const { olderThan: olderThanMs = dayMs, dryRun = false, yes = false } = flags;
  const { removedColorways = false } = flags;
  const { plan } = await compilePipeline(session, file, parsePairs('--param', flags.param));
  await session.platform();
  // Requires Temporal: otherwise it would be unknown which runs are still using resources.
  return withTemporal(session, async ({ client }) => {
    const { locations, unreadable } = await knownRuns(client, 'all');
    refuseUnreadableRuns(unreadable);
    const open = async () => (await knownRuns(client, 'open')).open;
    const olderThan = formatDuration(olderThanMs);
    const options = { file, olderThan, olderThanMs, removedColorways, dryRun, yes };
    const { taskQueue } = await chooseRunTarget(session);
    const record = <T>(details: object, work: () => Promise<T>) =>
      withAuditRecord(
        { client, taskQueue },
        {
          what: 'cleaned',
          subject: 'pipeline',
          name: plan.pipeline,
          pipeline: plan.pipeline,
          details: { file: plan.file, olderThan, removedColorways, ...details },
          ...withoutUndefined({ reason: flags.reason }),
        },
        work,
      );
    return cleanPipeline(session, plan, { ...options, record }, { locations, open });
  });
}

/** @throws RenderlineError if a run cannot be decrypted here, because it is then unknown which resources the run uses */
function refuseUnreadableRuns(runs: readonly WithReadability[]): void {
  const [first] = runs.flatMap(({ unreadable }) => unreadable ?? []);
  if (first === undefined) return;
  throw unreadableError(
    first,
    `The resources used by ${formatCount(runs.length, 'run')} are unknown, so nothing is deleted.`,
  );
}
