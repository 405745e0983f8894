// `renderline rerun`: runs the undelivered assets of a run again, each from the step where it stopped.
import { type Command, Option } from '@commander-js/extra-typings';
import { refusePlanOutside, refuseRunOutside } from '../../app/allowed-folders.ts';
import { previewAssets } from '../../app/plan/preview-assets.ts';
import { RenderlineError } from '../../app/renderline-error.ts';
import { type ChosenPlan, choosePlan, type EarlierRun } from '../../app/rerun/choose-plan.ts';
import { computePreview, type RerunPreview } from '../../app/rerun/preview.ts';
import { readEarlierRun } from '../../app/rerun/read-earlier-run.ts';
import { chooseRunTarget, type RunTarget, refuseOtherWorkspace } from '../../app/run-target.ts';
import { launchRun } from '../../app/runs/launch-run.ts';
import { refuseExcess } from '../../app/runs/start-checks.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { openConnector } from '../../connectors/index.ts';
import { assertOwnRecords } from '../../engine/claim-records.ts';
import { chooseUnfinished } from '../../engine/discovery/choose-unfinished.ts';
import { createUnfinishedFilter } from '../../engine/discovery/unfinished-filter.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { openRunStore } from '../../features/run-store.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import { isRecipeOf } from '../../plan/stages.ts';
import type { Plan } from '../../plan/types.ts';
import { RerunSelection } from '../../store/discovery/rerun-selection.ts';
import { confirm } from '../confirm.ts';
import { collectOption, parsePairs, reasonOption } from '../params.ts';
import { formatPreview } from '../rerun/format-preview.ts';
import { launchOptions, printStartedRun } from '../runs/start.ts';
import type { Session } from '../session.ts';

interface RerunFlags {
  failed?: true | undefined;
  where?: string | undefined;
  with?: Rerun['plan'] | undefined;
  param?: string[] | undefined;
  yes?: true | undefined;
  dryRun?: true | undefined;
  wait?: true | undefined;
  reason?: string | undefined;
}

export function declareRerun(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .argument('[file]', 'pipeline file for --with latest (default: the file of the run)')
    .option('--failed', 'only failed assets, not cancelled or unstarted ones')
    .option('--where <cel>', 'only matching assets, such as \'code == "RENDER_FAILED"\'')
    .addOption(
      new Option(
        '--with <plan>',
        'plan of the earlier run (pinned) or current file (latest); required if they differ',
      ).choices(['pinned', 'latest'] as const),
    )
    .option('--param <name=value>', 'override a parameter of the run (repeatable)', collectOption)
    .option('--dry-run', 'only show what it would do')
    .option('--yes', 'do not ask for confirmation')
    .option('--wait', 'follow the run; the exit code is then the run’s')
    .option(...reasonOption)
    .action(session.action((run, file, flags) => rerun(session, run, file, flags)));
}

async function rerun(
  session: Session,
  run: string,
  file: string | undefined,
  flags: RerunFlags,
): Promise<number> {
  const { output } = session;
  const parameters = parsePairs('--param', flags.param);
  const { failed = false, where = null } = flags;
  if (where !== null) createUnfinishedFilter(where);
  await session.usePlugins();
  return withTemporal(session, async (temporal) => {
    const before = await readEarlierRun(temporal, run, file);
    if (before.known !== null) await refuseRunOutside(session.io, before.known.snapshot);
    const chosen = await choosePlan(session, before, {
      file,
      parameters,
      with: flags.with,
      failed,
      where,
    });
    await refusePlanOutside(session.io, chosen.plan);
    const again: Rerun = { of: run, failed, where, plan: chosen.which };
    const ids = before.known?.start.ids;
    const { preview, store } = await previewRerun(session, before, chosen, again);
    if (preview === null || (preview.assets === 0 && preview.refused.length === 0)) {
      return printNothingToRerun(session, again, preview);
    }
    if (flags.dryRun) {
      const shape = { schema: 'renderline/rerun/v1', run: null, again, preview };
      const text = formatPreview(again, preview, output.paint);
      output.result(shape, () => `${text}\nNothing was started.`);
      return exitCode.done;
    }
    const text = formatPreview(again, preview, output.paintNote);
    output.questionContext(text, flags.yes === true);
    if (preview.assets === 0) {
      throw new RenderlineError(
        commandFailures.SOURCES_GONE,
        `No asset of ${run} can be rerun, because no source is available.`,
        { details: { run, preview } },
      );
    }
    await confirm(session, `Rerun ${formatCount(preview.assets, 'asset')}?`, flags.yes === true);
    const place = await chooseRunTarget(session);
    refuseOtherWorkspace(run, before.known?.start.plan.workspace, place);
    await refuseRecordsOfOtherWorkspace(chosen.plan, place);
    // The canary is removed, because confirming these assets already approves them.
    const { canary: _canary, ...plan } = chosen.plan;
    const { limits, path } = chosen;
    const lineage = await store.nextEpoch();
    const { launched, report } = await launchRun(session, temporal, {
      ...launchOptions(session, flags.wait === true),
      plan,
      target: place,
      options: {
        limits,
        path,
        rerun: { again, ...lineage, ...withoutUndefined({ ids }) },
        ...withoutUndefined({ reason: flags.reason }),
      },
    });
    const { run: started, ...rest } = launched;
    const { pipeline } = plan;
    return printStartedRun(session, {
      shape: { schema: 'renderline/rerun/v1', run: started, pipeline, again, preview, ...rest },
      report,
    });
  });
}

/** @throws RunCauseError if the records belong to another workspace, before anything is written to them */
async function refuseRecordsOfOtherWorkspace(
  { records }: Plan,
  { workspace: id }: RunTarget,
): Promise<void> {
  if (id === undefined) return;
  await assertOwnRecords(openConnector(records), async () => ({ id, name: null }));
}

/** Chooses the assets and previews their sources. `preview` is null if the run has no undelivered assets. */
async function previewRerun(
  session: Session,
  { run, known }: EarlierRun,
  chosen: ChosenPlan,
  again: Rerun,
) {
  const { plan, limits } = chosen;
  const store = openRunStore(openConnector(plan.records), { ...plan, run, lineage: run });
  if ((await store.manifest.discovery()) === null)
    throw noRecordsError(run, known !== null, plan.file);
  const signal = session.io.interrupts.forced;
  const undone = await chooseUnfinished(store, again, signal);
  if (undone.length === 0) {
    const { where } = again;
    const some =
      where !== null && (await chooseUnfinished(store, { ...again, where: null }, signal));
    if (some && some.length > 0) throw noMatchError(run, where, some.length);
    return { store, preview: null };
  }
  const only = { again: new RerunSelection(run, undone), ids: known?.start.ids ?? null };
  const found = await previewAssets(session, plan, only);
  await refuseExcess(session, plan, limits, found);
  const sameRecipe = known !== null && isRecipeOf(plan, known.start.plan.recipe);
  return { store, preview: computePreview(undone, found, sameRecipe) };
}

/** Error for a run without records, which ended before it had discovered its assets or never existed. */
function noRecordsError(run: string, isKnown: boolean, file: string): RenderlineError {
  if (isKnown) {
    return new RenderlineError(
      commandFailures.NOTHING_TAKEN,
      `The run ${run} ended before it had discovered its assets, so there is nothing to rerun.`,
      {
        fix: `See why: renderline show ${run}\nThen start a new run: renderline run FILE`,
        details: { run },
      },
    );
  }
  return new RenderlineError(
    commandFailures.RUN_NOT_FOUND,
    `There is no run "${run}", neither in Temporal nor in the records of ${file}.`,
  );
}

function noMatchError(run: string, where: string, remaining: number): RenderlineError {
  return new RenderlineError(
    commandFailures.NO_MATCH,
    `None of the ${formatCount(remaining, 'undelivered asset')} of ${run} matches ${where}.`,
    { fix: `See what failed: renderline failures ${run}`, details: { run } },
  );
}

function printNothingToRerun(session: Session, again: Rerun, preview: RerunPreview | null): number {
  const { of, failed } = again;
  const why = preview
    ? `the remaining assets of ${of} were delivered since, or their sources are still being written`
    : `${of} has ${failed ? 'no failures' : 'delivered all its assets'}`;
  const shape = { schema: 'renderline/rerun/v1', run: null, again, preview };
  session.output.result(shape, () => `Nothing to rerun: ${why}.`);
  return exitCode.done;
}
