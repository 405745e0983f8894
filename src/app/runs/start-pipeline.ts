// Starts a run of a pipeline file: compiles it, previews and checks the work, then starts the run.
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Limits } from '../../compile/pipeline.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { locationOf } from '../../plan/run/location.ts';
import { sumPaid } from '../../plan/run/paid-work.ts';
import type { Selection } from '../../plan/run/selection.ts';
import type { Plan } from '../../plan/types.ts';
import { countDelivered } from '../../store/discovery/moves/missing-sources.ts';
import { checkEmptySource } from '../../store/discovery/source-warnings.ts';
import type { App } from '../app.ts';
import { compileForRun } from '../choices/check-choices.ts';
import { type ChosenPreview, previewChosen } from '../plan/chosen-preview.ts';
import { assertWithinLimits, mergeLimits } from '../plan/limits.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import type { PlanOptions } from '../plan/plan-pipeline.ts';
import { hasAnyAsset } from '../plan/preview-assets.ts';
import { noteExceededQuota } from '../plan/quota-status.ts';
import { readSelection } from '../plan/selection.ts';
import { usageError } from '../renderline-error.ts';
import { chooseRunTarget } from '../run-target.ts';
import { withTemporal } from '../temporal-client.ts';
import { type LaunchedRun, type LaunchOptions, launchRun } from './launch-run.ts';
import type { RunDetails } from './run-details.ts';
import { type RunShape, sumRequests, zeroAssetCounts } from './run-shape.ts';
import type { StartRunOptions } from './start-run.ts';

export interface StartOptions
  extends PlanOptions,
    Pick<StartRunOptions, 'takeOverMs' | 'mayRerender' | 'reason' | 'request'> {
  /** Run on the workers of this host, which have the local folders. */
  host?: string | undefined;
  /** Priority of the run's work relative to other runs. @default by the number of assets */
  priority?: Plan['priority'] | undefined;
}

export interface CompiledPipelineFile {
  plan: Plan;
  limits: Limits;
  /** Absolute path of the file. */
  path: string;
}

/** `limits` contains the limits of the file and of this run. */
export interface StartPreview extends CompiledPipelineFile {
  selection: Selection | null;
  options: StartOptions;
  /** True if assets were selected or limits given. A person should then confirm what the run does. */
  isChosen: boolean;
  /** The work and cost. Null if not requested, if the source has no files, or if the folders are on another host. */
  chosenPreview: ChosenPreview | null;
  /** Set if no run would be started, because the source contains no file for the pipeline. */
  emptyResult: RunShape | null;
  shape: StartPreviewShape;
}

interface StartPreviewShape {
  schema: 'renderline/run-preview/v1';
  /** Never set, because no run was started. */
  run?: never;
  pipeline: string;
  dryRun: boolean;
  selection: Selection | null;
  limits: Limits;
  preview: ChosenPreview | null;
}

export interface StartedRun {
  shape: LaunchedRun & {
    schema: 'renderline/started/v1';
    pipeline: string;
    /** `selection` and `preview` are absent if nothing was selected or limited. */
    selection?: Selection | null;
    preview?: ChosenPreview | null;
  };
  /** Report of the run. Null unless the run was followed to its end. */
  report: RunDetails | null;
}

/** The result if no run was started because there are no assets to process. */
export interface NothingToDo {
  shape: RunShape | StartPreviewShape;
  report: null;
}

/**
 * Compiles the file and checks what a run would do. Writes nothing. Computes the work and cost only for selected or
 * limited assets, or with `dryRun`.
 * @param options.dryRun if true, the run is not started, so it may exceed the limits
 * @throws RenderlineError if the file is invalid, no asset matches, the run would exceed a limit, or a dry run needs
 * folders on another host
 */
export async function previewStart(
  app: App,
  file: string,
  options: StartOptions & { dryRun?: boolean | undefined } = {},
): Promise<StartPreview> {
  // This check comes first, so that wrong options are reported before problems in the file.
  readSelection(options.selection ?? {});
  const compiled = await compileForRun(app, file, options.parameters ?? {});
  return previewCompiled(app, { ...compiled, path: resolve(app.cwd, file) }, options);
}

/** Checks what a run of a compiled file would do, like `previewStart`. */
export async function previewCompiled(
  app: App,
  compiled: CompiledPipelineFile,
  { dryRun = false, ...options }: StartOptions & { dryRun?: boolean | undefined } = {},
): Promise<StartPreview> {
  const { host, priority, verify = false, withdrawAll, limits: runLimits } = options;
  const selection = readSelection(options.selection ?? {});
  const limits = mergeLimits(compiled.limits, runLimits);
  const plan: Plan = { ...compiled.plan, ...omitUndefined({ host, priority }) };
  const { pipeline } = plan;
  const isRemote = isOnOtherHost(plan);
  if (isRemote && dryRun) {
    throw usageError(
      `The folders of ${pipeline} are on host ${plan.host}, so a dry run is not possible here.`,
      'Run the command on that host, or leave out --host.',
    );
  }
  const isChosen = selection !== null || runLimits !== undefined;
  const emptyResult = isRemote || withdrawAll ? null : await findEmptyResult(plan);
  const isPreviewed = emptyResult === null && !isRemote && (isChosen || dryRun);
  const previewOptions = { selection, limits, runLimits, verify, withdrawAll, dryRun };
  const chosenPreview = isPreviewed ? await previewChosen(app, plan, previewOptions) : null;
  const schema = 'renderline/run-preview/v1';
  const shape = { schema, pipeline, dryRun, selection, limits, preview: chosenPreview } as const;
  const { path } = compiled;
  const results = { isChosen, chosenPreview, emptyResult, shape };
  return { plan, limits, path, selection, options, ...results };
}

/** True if a run of the preview would neither process an asset, nor withdraw one, nor report a refused one as failed. */
export function isNothingDue({ chosenPreview }: Pick<StartPreview, 'chosenPreview'>): boolean {
  if (chosenPreview === null) return false;
  const { assets, refused, withdraws } = chosenPreview;
  return assets + refused + (withdraws?.assets ?? 0) === 0;
}

/** Starts a run without confirmation. Starts none if the source contains no file or nothing is due. */
export async function startPipeline(
  app: App,
  file: string,
  options: StartOptions & LaunchOptions = {},
): Promise<StartedRun | NothingToDo> {
  const preview = await previewStart(app, file, options);
  if (preview.emptyResult !== null) return { shape: preview.emptyResult, report: null };
  if (isNothingDue(preview)) return { shape: preview.shape, report: null };
  return startPreviewed(app, preview, options);
}

/**
 * Starts the run of a preview. Workers execute the run, even after this process has ended.
 * @throws RenderlineError if the run would exceed a limit, if the platform or Temporal refuses it, or if only other
 * hosts have workers
 */
export async function startPreviewed(
  app: App,
  preview: StartPreview,
  { follow, onStarting, onStarted }: LaunchOptions = {},
): Promise<StartedRun> {
  const { plan, limits, path, isChosen, selection, chosenPreview } = preview;
  if (!isOnOtherHost(plan)) {
    if (!isChosen) await assertWithinLimits(app, plan, { limits });
    await noteExceededQuota(app, plan, chosenPreview);
  }
  const target = await chooseRunTarget(app);
  const options = { ...preview.options, limits, path, selection };
  const { launched, report } = await withTemporal(app, (temporal) =>
    launchRun(app, temporal, { plan, target, options, follow, onStarting, onStarted }),
  );
  const { run, ...queueInfo } = launched;
  const { pipeline } = plan;
  const previewFields = isChosen ? { selection, preview: chosenPreview } : {};
  return {
    shape: { schema: 'renderline/started/v1', run, pipeline, ...previewFields, ...queueInfo },
    report,
  };
}

/** True if the plan's folders are on another host, so that they cannot be read here. */
function isOnOtherHost({ host }: Plan): boolean {
  return host !== undefined && host !== hostname();
}

/**
 * If the source contains no files for the plan, returns an empty result, so that no run is started. Otherwise null.
 * @throws ConnectorError if the folder does not exist
 */
async function findEmptyResult(plan: Plan): Promise<RunShape | null> {
  if (await hasAnyAsset(plan)) return null;
  const { pipeline, discovery } = plan;
  const { records } = openPlanStore(plan);
  const deliveredCount = await records.index().then(countDelivered, () => 0);
  return {
    schema: 'renderline/run/v1',
    run: null,
    pipeline,
    rerun: null,
    outcome: 'complete',
    cause: null,
    canary: null,
    inFlight: null,
    waits: [],
    destination: locationOf(plan.destination),
    unknown: null,
    discovered: true,
    verified: null,
    startPoints: [],
    exports: [],
    assets: zeroAssetCounts,
    files: [],
    withdrawn: null,
    deleted: [],
    failures: [],
    warnings: checkEmptySource(deliveredCount, {
      node: discovery.node,
      findMissingSources: plan.withdrawn,
    }),
    requests: sumRequests({}),
    paid: sumPaid([]),
    historyEvents: 0,
    seconds: 0,
  };
}
