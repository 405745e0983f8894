// Previews the next run of a pipeline: its assets, its work and its cost. Read-only.
import { setTimeout as sleep } from 'node:timers/promises';
import { openConnector } from '../../connectors/index.ts';
import { isWorkspaceProven } from '../../engine/bind-records-to-workspace.ts';
import { type Excess, findExcess, plannedWorkOf } from '../../engine/cost/limit-excess.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { checkDestinations } from '../../features/destinations.ts';
import { resolveReachedSteps } from '../../features/reached-steps.ts';
import { connectorUsesOf } from '../../plan/contract/connector-uses.ts';
import type { Discovery, RunWarning } from '../../plan/contract/contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { RunLimits } from '../../plan/run/run-limits.ts';
import type { Selection } from '../../plan/run/selection.ts';
import { countStartPoints, type StartPointCount } from '../../plan/run/start-points.ts';
import type { Canary, Plan, Step, Tolerance } from '../../plan/types.ts';
import { readMark } from '../../store/claims/workspace-mark.ts';
import type { Grouping } from '../../store/discovery/listed-source.ts';
import type { PlanDifference } from '../../store/runs/last-run.ts';
import { findStartPoint } from '../../store/runs/run-asset.ts';
import type { App } from '../app.ts';
import { compileForRun } from '../choices/check-choices.ts';
import { noteMissingSecrets } from '../missing-secrets.ts';
import { withPlatform } from '../platform-client.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';
import { assertSomeChosen, type ChosenPreview, summarizeChosen } from './chosen-preview.ts';
import { EarlierRecords } from './earlier-records.ts';
import { estimatePreview } from './estimate-preview.ts';
import { type GridReport, reportGrid } from './grid-report.ts';
import { inspectPreview } from './inspected-preview.ts';
import { type LimitOptions, markLimitsOfRun, mergeLimits } from './limits.ts';
import { isFreeOfCharge, type MovesSummary, summarizeMoves } from './moved-report.ts';
import { checkPlatformNames, type NameFinding } from './name-check.ts';
import { openPlanStore } from './open-plan-store.ts';
import { previewAssets } from './preview-assets.ts';
import { type QuotaStatus, readQuotaStatus } from './quota-status.ts';
import { checkRedelivery, type RedeliveryCheck } from './redelivery-check.ts';
import { readSelection, type SelectionOptions } from './selection.ts';
import {
  type AssetRefusal,
  checkSlotsOfAssets,
  explainRefusals,
  type SlotReport,
} from './slot-check.ts';
import { previewWithdrawal, type WithdrawalReport } from './withdrawal-preview.ts';

export interface PlanOptions {
  parameters?: Readonly<Record<string, string | number | boolean>> | undefined;
  /** The assets to preview. @default all assets that are new or changed */
  selection?: SelectionOptions | undefined;
  /** Limits of the run by name, in addition to those of the file. The stricter value applies. */
  limits?: LimitOptions | undefined;
  /** Compare unchanged files by content, including delivered files. */
  verify?: boolean | undefined;
  /** Withdraw all missing assets, even above `limits.withdrawn` or if the source is empty. */
  withdrawAll?: true | undefined;
}

interface Quota {
  tier: string;
  models: { used: number; limit: number | null };
  projects: { used: number; limit: number | null };
}

export interface PlanShape extends Omit<Estimate, 'creates' | 'countsByStep'> {
  schema: 'renderline/plan/v1';
  pipeline: string;
  file: string;
  hash: string;
  /** The selected assets. Absent if no option selects assets. */
  selection?: Selection;
  assets: Pick<Discovery, 'total' | 'new' | 'changed' | 'unchanged' | 'verified'> & {
    later: number;
    refused: number;
  };
  /** Numbers of partly repeated assets, by first repeated stage. Excludes moved assets that are only redelivered. */
  startPoints: StartPointCount[];
  /** Whether the pictures of assets that start at delivery still exist. Null if no asset starts at delivery. */
  redelivery: RedeliveryCheck | null;
  moved: MovesSummary | null;
  refusals: AssetRefusal[];
  warnings: RunWarning[];
  /** The steps, each with the maximum number of assets that reach it. */
  steps: (Pick<Step, 'id' | 'node' | 'activity' | 'mode' | 'parents' | 'batch'> & {
    assets: number;
    undecided: number;
  })[];
  route: Plan['route'];
  /** Settings that may stop or pause the run before its end. */
  tolerate: Pick<Tolerance, 'failures' | 'of' | 'onBreach'> | null;
  canary: Canary | null;
  /** Difference from the pipeline's newest run. Null before the first run. */
  sinceLastRun: PlanDifference | null;
  records: RecordsStatus;
  slots: SlotReport | null;
  /** Names that do not exist on the platform. Null if they were not looked up. */
  names: NameFinding[] | null;
  /** How the files of a library are grouped. Null for other sources. */
  grouping: Grouping | null;
  withdraws: WithdrawalReport | null;
  grid: GridReport | null;
  excess: Excess[];
  quota: Quota | null;
  /** The monthly quota of renders (`limits.renders.perMonth`). Null if the file sets none. */
  renderQuota: QuotaStatus | null;
}

export interface PlanResult {
  shape: PlanShape;
  plan: Plan;
  unit: 'file' | 'asset';
  /** Number of files that were not inspected because of the limit. */
  notInspected: number;
  /** Summary of the selected assets. Null if no option selects assets. */
  chosenPreview: ChosenPreview | null;
}

/** @throws RenderlineError if the file is invalid, or if no asset matches the selection */
export async function planPipeline(
  app: App,
  file: string,
  options: PlanOptions = {},
): Promise<PlanResult> {
  const selection = readSelection(options.selection ?? {});
  const compiled = await compileForRun(app, file, options.parameters ?? {});
  const { plan } = compiled;
  noteMissingSecrets(app, [plan]);
  const noted = noteFromTemporal(app, plan);
  const limits = mergeLimits(compiled.limits, options.limits);
  const records = await readRecordsStatus(plan);
  const listedPreview = await previewAssets(app, plan, {
    selection,
    verify: options.verify === true && selection?.force !== true,
    withdrawAll: options.withdrawAll === true,
  });
  const earlierRecords = new EarlierRecords(listedPreview.store);
  const reachedSteps = resolveReachedSteps(plan, listedPreview.assets);
  const withdraws = await previewWithdrawal(app, plan, listedPreview);
  const inspectedPreview = await inspectPreview(app, plan, listedPreview, reachedSteps);
  const { redelivery, assets } = await checkRedelivery(app, plan, inspectedPreview, earlierRecords);
  const preview = { ...inspectedPreview, assets };
  const extraRequests = redelivery?.missing ? { getRenderJob: redelivery.missing } : {};
  const requests = { ...preview.requests, ...extraRequests };
  const estimate = await estimatePreview(app, plan, { ...preview, requests }, earlierRecords);
  const { creates: _creates, countsByStep, ...cost } = estimate;
  const slots = checkSlotsOfAssets(plan, listedPreview, preview, reachedSteps);
  const names =
    listedPreview.assets.length === 0 ? null : await checkPlatformNames(app, plan, listedPreview);
  const plannedWork = plannedWorkOf(preview);
  const excess = markLimitsOfRun(findExcess(limits, estimate, plannedWork), options.limits);
  const quota = await readQuota(app);
  for (const { limit, allowed, planned } of findExcess(roomOf(quota), estimate, plannedWork))
    app.note(
      `The run creates ${planned} ${limit}, but the plan of the workspace has room for ${allowed}. Without more room, the run pauses with PLAN_LIMIT_REACHED.`,
    );
  const renderQuota = await readQuotaStatus(app, plan, cost);
  const grid = reportGrid(preview);
  const chosenPreview = selection && summarizeChosen(preview, cost);
  if (chosenPreview) assertSomeChosen(selection, chosenPreview, plan.file);
  const isOfFiles = preview.sourceKind === 'files' && !preview.grouping && !grid;
  const shape: PlanShape = {
    schema: 'renderline/plan/v1',
    pipeline: plan.pipeline,
    file: plan.file,
    hash: plan.hash,
    ...(selection && { selection }),
    assets: { ...preview.counts, refused: preview.refused.length, later: preview.later.length },
    ...cost,
    startPoints: countStartPoints(
      preview.assets.filter((asset) => !isFreeOfCharge(asset)).map(findStartPoint),
    ),
    redelivery,
    moved: summarizeMoves(preview),
    refusals: explainRefusals(preview, slots),
    warnings: [...preview.warnings, ...preview.rowWarnings],
    steps: stepsOf(plan, countsByStep),
    route: plan.route,
    tolerate: toleranceOf(plan),
    canary: plan.canary ?? null,
    sinceLastRun: preview.sinceLastRun,
    records,
    slots,
    names,
    grouping: preview.grouping ?? null,
    withdraws,
    grid,
    excess,
    quota,
    renderQuota,
  };
  await noted;
  return {
    shape,
    plan,
    unit: isOfFiles ? 'file' : 'asset',
    notInspected: preview.uninspectedCount,
    chosenPreview,
  };
}

function stepsOf({ steps }: Plan, countsByStep: Estimate['countsByStep']): PlanShape['steps'] {
  return steps.map(({ id, node, activity, mode, parents, batch }) => ({
    id,
    node,
    activity,
    mode,
    parents,
    batch,
    ...(countsByStep[id] ?? { assets: 0, undecided: 0 }),
  }));
}

function toleranceOf({ tolerate }: Plan): PlanShape['tolerate'] {
  if (!tolerate) return null;
  const { failures, of, onBreach } = tolerate;
  return { failures, of, onBreach };
}

/** Reads the workspace's quota. Returns null if the platform is not configured or the request fails. */
async function readQuota(app: App): Promise<Quota | null> {
  if (!(await app.isPlatformSet())) return null;
  try {
    return await withPlatform(app, async (client) => {
      const options = { priority: 'interactive', maxWaitMs: 5_000 } as const;
      const { tier, models, projects } = await client.getUsage({}, options);
      return { tier, models, projects };
    });
  } catch (error) {
    app.note(`The quota is unknown: ${explainUnlessUnauthorized(error).message}`);
    return null;
  }
}

/** Returns how many objects the workspace can still create. */
function roomOf(quota: Quota | null): RunLimits {
  const leftOf = ({ used, limit }: Quota['models']) =>
    limit === null ? undefined : Math.max(0, limit - used);
  if (quota === null) return {};
  return omitUndefined({ models: leftOf(quota.models), projects: leftOf(quota.projects) });
}

const timeoutMs = 1_000;

/** Notes what is paused, and missing records, if a Temporal server responds within a second. Never rejects. */
async function noteFromTemporal(app: App, plan: Plan): Promise<void> {
  const { pipeline, records } = plan;
  const readHasRecords = async () => openPlanStore(plan).recipes.hasAny();
  const hasRecords = await readHasRecords().catch(() => true);
  // The imports are lazy, because these use cases otherwise load no Temporal client.
  const { withTemporal } = await import('../temporal-client.ts');
  const { findCompletedRun } = await import('../../temporal/runs/records-locations.ts');
  const findRun = withTemporal(
    app,
    ({ client }) =>
      client.withAbortSignal(AbortSignal.timeout(timeoutMs), async () =>
        hasRecords ? null : findCompletedRun(client, plan),
      ),
    { timeoutMs },
  );
  const timeout = sleep(timeoutMs, undefined, { ref: false });
  const run = await Promise.race([findRun.catch(() => undefined), timeout]);
  const isUnknown = run === undefined && app.env['TEMPORAL_ADDRESS'] !== undefined;
  if (hasRecords || !(run || isUnknown)) return;
  const finding = run
    ? `where its run ${run} stored them. Until they are back, a run pauses with RECORDS_MISSING`
    : 'and Temporal did not say whether an earlier run stored them';
  app.note(
    `There are no records of pipeline ${pipeline} in ${openConnector(records).describe()}, ${finding}. This plan counts all assets as new.`,
  );
}

export interface RecordsStatus {
  place: string;
  /** False until a run or `doctor` has tested the store. */
  proved: boolean;
}

/** Reads whether the store has been tested. @throws ConnectorError if a store or destination is not writable */
async function readRecordsStatus(plan: Plan): Promise<RecordsStatus> {
  await checkDestinations(plan, connectorUsesOf(plan.steps), openConnector);
  const records = openConnector(plan.records);
  const mark = await readMark(records);
  return { place: records.describe(), proved: mark !== null && isWorkspaceProven(records, mark) };
}
