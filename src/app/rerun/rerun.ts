// Reruns the undelivered assets of a run, each from the step where it stopped. A preview precedes the start.
import { openConnector } from '../../connectors/index.ts';
import { assertOwnRecords } from '../../engine/bind-records-to-workspace.ts';
import { chooseUnfinished } from '../../engine/discovery/choose-unfinished.ts';
import { createUnfinishedFilter } from '../../engine/discovery/unfinished-filter.ts';
import { commandFailures } from '../../failures/commands.ts';
import { openRunStore } from '../../features/run-store.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import { rerunCommand } from '../../plan/run/rerun-command.ts';
import { type ReusableStages, workStages } from '../../plan/stages.ts';
import type { AssetSource, Plan } from '../../plan/types.ts';
import { RerunSelection } from '../../store/discovery/rerun-selection.ts';
import { assetRecipeOf } from '../../store/records/asset-recipe.ts';
import { computeReusableStages } from '../../store/records/recipes.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import type { TemporalConnection } from '../../temporal/connection/connect.ts';
import { readRunInput } from '../../temporal/runs/read-run-input.ts';
import { assertPlanAllowed, assertRunAllowed } from '../allowed-folders.ts';
import type { App } from '../app.ts';
import { openStoreWithAssets } from '../failures/open-store-with-assets.ts';
import { type CostTotals, costTotalsOf } from '../plan/chosen-preview.ts';
import { estimatePreview } from '../plan/estimate-preview.ts';
import { inspectPreview } from '../plan/inspected-preview.ts';
import { assertWithinLimits } from '../plan/limits.ts';
import { type Preview, previewAssets } from '../plan/preview-assets.ts';
import { noteExceededQuota } from '../plan/quota-status.ts';
import { RenderlineError } from '../renderline-error.ts';
import { assertSameWorkspace, chooseRunTarget, type RunTarget } from '../run-target.ts';
import { type LaunchedRun, type LaunchOptions, launchRun } from '../runs/launch-run.ts';
import type { RunDetails } from '../runs/run-details.ts';
import { readSnapshot } from '../runs/run-snapshot.ts';
import { withTemporal } from '../temporal-client.ts';
import { type ChosenPlan, choosePlan, type EarlierRun, type PlanChoice } from './choose-plan.ts';
import { computeRerunWork, type RerunWork } from './rerun-work.ts';

export interface RerunOptions extends Partial<Pick<PlanChoice, 'file' | 'parameters' | 'with'>> {
  /** Reruns only failed assets, not cancelled or unstarted ones. `while-open`: only if the run has not ended. */
  failed?: boolean | 'while-open' | undefined;
  /** Only assets that match this CEL expression. */
  where?: string | undefined;
}

interface RerunShape {
  schema: 'renderline/rerun/v1';
  rerun: Rerun;
  /** Work that the rerun would do. Null if the run has no undelivered assets. */
  preview: RerunWork | null;
  /** Estimated cost of that work. Null if there is none. */
  cost: CostTotals | null;
}

export interface RerunPreview {
  shape: RerunShape & { run: null };
  isEmpty: boolean;
  earlierRun: EarlierRun;
  chosenPlan: ChosenPlan;
  store: RunStore;
}

/**
 * Chooses the plan and the assets, and previews their sources. Writes nothing.
 * @throws RenderlineError if the run is unknown, if it is open and `failed` is not set, if a person must choose a plan,
 * or if no asset matches
 */
export async function previewRerun(
  app: App,
  run: string,
  options: RerunOptions = {},
): Promise<RerunPreview> {
  const { file, parameters = {}, where = null } = options;
  if (where !== null) createUnfinishedFilter(where);
  await app.usePlugins();
  const mayBeOpen = Boolean(options.failed);
  const earlierRun = await withTemporal(app, (temporal) =>
    readEarlierRun(temporal, run, { file, mayBeOpen }),
  );
  const isOpen = earlierRun.temporalRun?.snapshot.status === 'running';
  const onlyFailed = options.failed === 'while-open' ? isOpen : (options.failed ?? false);
  if (earlierRun.temporalRun !== null) await assertRunAllowed(app, earlierRun.temporalRun.snapshot);
  const choice = { file, parameters, with: options.with, failed: onlyFailed, where };
  const chosenPlan = await choosePlan(app, earlierRun, choice);
  await assertPlanAllowed(app, chosenPlan.plan);
  const { plan, which } = chosenPlan;
  const store = openRunStore(openConnector(plan.records), { ...plan, run, lineage: run });
  const open = isOpen && ({ open: true } as const);
  const rerun: Rerun = { of: run, failed: onlyFailed, where, plan: which, ...open };
  const { preview, cost } = await previewWork(app, store, earlierRun, chosenPlan, rerun);
  return {
    shape: { schema: 'renderline/rerun/v1', run: null, rerun, preview, cost },
    isEmpty: preview === null || (preview.assets === 0 && preview.refused.length === 0),
    earlierRun,
    chosenPlan,
    store,
  };
}

export interface StartedRerun {
  shape: RerunShape & LaunchedRun & { pipeline: string };
  /** Report of the run. Null unless the run was followed to its end. */
  report: RunDetails | null;
}

/** Returns the work of a rerun. @throws RenderlineError if the rerun would process no asset */
export function requireWork({ shape }: Pick<RerunPreview, 'shape'>): RerunWork {
  const { rerun, preview } = shape;
  if (preview?.assets) return preview;
  const message = `No asset of ${rerun.of} can be rerun, because none of the sources can be used.`;
  const details = { run: rerun.of, preview };
  throw new RenderlineError(commandFailures.SOURCES_GONE, message, { details });
}

/** @throws RenderlineError if no source can be used, or if the workspace differs */
export async function startRerun(
  app: App,
  { shape, earlierRun, chosenPlan, store }: RerunPreview,
  { reason, ...launch }: LaunchOptions & { reason?: string | undefined } = {},
): Promise<StartedRerun> {
  const { run } = earlierRun;
  const { schema, rerun, cost } = shape;
  const preview = requireWork({ shape });
  const target = await chooseRunTarget(app);
  assertSameWorkspace(run, earlierRun.temporalRun?.start.plan.workspace, target);
  await assertRecordsOfWorkspace(chosenPlan.plan, target);
  await noteExceededQuota(app, chosenPlan.plan, cost);
  // The canary is removed, because confirming these assets already approves them.
  const { canary: _canary, ...plan } = chosenPlan.plan;
  const { limits, path } = chosenPlan;
  const ids = earlierRun.temporalRun?.start.ids;
  return withTemporal(app, async (temporal) => {
    const origin = { rerun, ...(await store.nextEpoch()), ...omitUndefined({ ids }) };
    const options = { limits, path, origin, reason };
    const launched = await launchRun(app, temporal, { ...launch, plan, target, options });
    const { run: newRun, ...queueInfo } = launched.launched;
    const { pipeline } = plan;
    const shape = { schema, run: newRun, pipeline, rerun, preview, cost, ...queueInfo };
    return { shape, report: launched.report };
  });
}

/** Finds the assets to rerun, and computes their work and its cost. Both are null if there are none. */
async function previewWork(
  app: App,
  store: RunStore,
  { run, temporalRun }: EarlierRun,
  { plan, limits }: ChosenPlan,
  rerun: Rerun,
): Promise<Pick<RerunShape, 'preview' | 'cost'>> {
  if ((await store.runAssets.readDiscovery()) === null) {
    if (temporalRun !== null)
      await withTemporal(app, ({ client }) =>
        openStoreWithAssets(client, temporalRun.snapshot, app.now()),
      );
    throw noRecordsError(run, temporalRun !== null, plan.file);
  }
  const unfinished = await chooseUnfinished(store, rerun, app.signal);
  if (unfinished.length === 0) {
    const { where } = rerun;
    if (where === null) return { preview: null, cost: null };
    const others = await chooseUnfinished(store, { ...rerun, where: null }, app.signal);
    if (others.length === 0) return { preview: null, cost: null };
    throw new RenderlineError(
      commandFailures.NO_MATCH,
      `No undelivered asset of ${run} matches ${where} (${others.length} undelivered).`,
      { fix: `See what failed: renderline failures ${run}`, details: { run } },
    );
  }
  const rerunSelection = new RerunSelection(run, unfinished);
  const ids = temporalRun?.start.ids ?? null;
  const preview = await previewAssets(app, plan, { rerunSelection, ids });
  await assertWithinLimits(app, plan, { limits }, preview);
  const earlierRecipe = temporalRun?.start.plan.recipe;
  const reusableStagesOf = await compareRecipes(preview.store, earlierRecipe, plan);
  return {
    preview: computeRerunWork(unfinished, preview, reusableStagesOf),
    cost: await estimateRerun(app, plan, preview),
  };
}

/**
 * Compares the plan with the recipe of the earlier run. Stored recipes are read only if the recipe has changed.
 * @param earlierRecipe undefined if Temporal no longer has the run
 * @returns the stages of the earlier run that the plan can reuse for a source
 */
async function compareRecipes(
  { recipes }: RunStore,
  earlierRecipe: string | undefined,
  { recipe: currentRecipe, stages }: Plan,
): Promise<(source: AssetSource) => ReusableStages> {
  if (earlierRecipe === undefined) return () => [];
  if (earlierRecipe === currentRecipe) return () => workStages;
  const knownRecipes = await recipes.readKnown();
  return (source) => {
    const was = assetRecipeOf(earlierRecipe, source);
    return computeReusableStages(knownRecipes, { was, currentRecipe, stages }, source);
  };
}

/** @throws RunCauseError if the records belong to another workspace, before anything is written to them */
async function assertRecordsOfWorkspace(
  { records }: Plan,
  { workspace: id }: RunTarget,
): Promise<void> {
  if (id === undefined) return;
  await assertOwnRecords(openConnector(records), async () => ({ id, name: null }));
}

/** Creates the error for a run without records, which ended before discovering its assets or never existed. */
function noRecordsError(run: string, isKnown: boolean, file: string): RenderlineError {
  if (!isKnown) {
    const message = `The run "${run}" exists neither in Temporal nor in the records of ${file}.`;
    return new RenderlineError(commandFailures.RUN_NOT_FOUND, message);
  }
  const fix = `See the cause: renderline show ${run}\nThen start a new run: renderline run FILE`;
  return new RenderlineError(
    commandFailures.NOTHING_TAKEN,
    `The run ${run} ended before it had discovered its assets, so there is nothing to rerun.`,
    { fix, details: { run } },
  );
}

/** Refuses to rerun more assets than a page has shown. @throws RenderlineError NOT_CONFIRMED */
export function assertAtMostShown(shownCount: number, assets: number): void {
  if (assets <= shownCount) return;
  throw new RenderlineError(
    commandFailures.NOT_CONFIRMED,
    `A rerun would now process ${formatCount(assets, 'asset')}, more than the page showed. Nothing was started.`,
    { fix: 'Reload the page.' },
  );
}

/**
 * @param options.mayBeOpen if true, an open run is accepted, but only its failed assets are rerun
 * @throws RenderlineError if Temporal does not have the run and `file` is undefined, or if the run is open and
 * `mayBeOpen` is false
 */
async function readEarlierRun(
  { client }: TemporalConnection,
  run: string,
  { file, mayBeOpen }: { file: string | undefined; mayBeOpen: boolean },
): Promise<EarlierRun> {
  const snapshot = await readSnapshot(client, run).catch((error: unknown) => {
    if (!(error instanceof RenderlineError) || error.code !== 'RUN_NOT_FOUND') throw error;
    if (file !== undefined) return null;
    const fix = `${error.fix}\nIf Temporal no longer has the run: ${rerunCommand(run, { file: 'FILE', with: 'latest' })}`;
    throw new RenderlineError(error, error.message, { fix });
  });
  if (snapshot === null) return { run, temporalRun: null };
  if (snapshot.status === 'running' && !mayBeOpen) {
    throw new RenderlineError(commandFailures.RUN_OPEN, `The run ${run} has not ended.`, {
      fix: `Rerun only what has failed so far: ${rerunCommand(run, { file, failed: true })}\nOr wait for the run: renderline show ${run} --wait\nIf the run is paused: renderline resume ${run}\nOr cancel the run: renderline cancel ${run}`,
      details: { run },
    });
  }
  const start = await readRunInput(client, run);
  return { run, temporalRun: start && { snapshot, start } };
}

/** Estimates the cost of the assets of a rerun. */
export async function estimateRerun(app: App, plan: Plan, preview: Preview): Promise<CostTotals> {
  const inspectedPreview = await inspectPreview(app, plan, preview);
  return costTotalsOf(await estimatePreview(app, plan, inspectedPreview));
}
