// Estimates the cost of a plan for the assets found: requests by operation, rate-limit windows and time. Pure.
import { deletionOf } from '../api/resources.ts';
import {
  type FoundAsset,
  type FoundWork,
  finishedStagesOf,
  isNewModel,
} from '../engine/cost/found-work.ts';
import { computeGridCounts, computeGroupSizes } from '../engine/cost/grid-counts.ts';
import type { Estimate, Requests } from '../engine/cost/step-cost.ts';
import type { StepType } from '../engine/node-type.ts';
import type { ConditionVerdict } from '../language/condition-verdict.ts';
import { addRequests } from '../plan/shard/totals.ts';
import type { Plan, Step } from '../plan/types.ts';
import { modelKeyOf, sharedKeyOf } from '../store/records/cell-keys.ts';
import { isRecordOfVersion } from '../store/runs/old-versions.ts';
import { countMaxRequests, countRequests, workOf } from './count-requests.ts';
import { findStepType } from './index.ts';
import { type ReachedSteps, resolveReachedSteps } from './reached-steps.ts';

/** Seconds that the worker itself spends on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/**
 * @param rateLimit requests per minute. Null if unknown
 * @param reachedSteps the steps of `foundWork.assets`, if known
 */
export function estimate(
  plan: Plan,
  foundWork: FoundWork,
  rateLimit: number | null,
  reachedSteps: ReachedSteps = resolveReachedSteps(plan, foundWork.assets),
): Estimate {
  const assets = foundWork.assets.length;
  const countedSteps = plan.steps.map((step) =>
    computeStepWork(step, plan, foundWork, reachedSteps.get(step.id) ?? []),
  );
  let processing = 0;
  let modelFiles = 0;
  const creates: Estimate['creates'] = {};
  const files: Estimate['files'] = { total: 0, min: false };
  for (const countedStep of countedSteps) {
    const { step, cost, takenAssets } = countedStep;
    if (takenAssets.length === 0) continue;
    const stepWork = workOf(countedStep);
    const ahead = cost.files?.({ ...stepWork, assets: takenAssets.length });
    files.total += ahead?.total ?? 0;
    files.min ||= ahead?.min ?? false;
    processing += cost.seconds ?? 0;
    modelFiles += cost.modelFiles?.(stepWork) ?? 0;
    for (const kind of findCreatedKinds([step], takenAssets))
      creates[kind] = (creates[kind] ?? 0) + 1;
  }
  const renderingWork = countedSteps.filter(({ cost }) => cost.draws);
  // Views of a model that exists already may be up to date. They are then not captured again.
  const capturedAssets = renderingWork.flatMap(({ cost, takenAssets }) =>
    cost.draws === 1 ? [] : takenAssets,
  );
  const supersededAssets =
    plan.supersede === undefined ? [] : foundWork.assets.filter(isChangedAsset);
  const byOperation: Requests = { ...foundWork.requests };
  const requests = countRequests(countedSteps);
  addRequests(byOperation, requests);
  for (const kind of findCreatedKinds(plan.steps, supersededAssets))
    addRequests(byOperation, { [deletionOf(kind, '').operation]: 1 });
  const total = totalOf(byOperation);
  const max = total + totalOf(countMaxRequests(countedSteps)) - totalOf(requests);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const rateLimitSeconds = ((windows ?? 1) - 1) * 60;
  const workSeconds = processing + assets * transferSeconds;
  return {
    requests: {
      total,
      max,
      byOperation: Object.fromEntries(Object.entries(byOperation).filter(([, count]) => count > 0)),
    },
    windows,
    deletes: new Set(supersededAssets.map(modelKeyOf)).size,
    renders: renderingWork.reduce((sum, { takenAssets }) => sum + takenAssets.length, 0),
    max: renderingWork.some(({ undecided }) => undecided > 0) || !capturedAssets.every(isNewModel),
    ...(capturedAssets.length > 0 ? { min: true } : {}),
    files,
    creates,
    ...(modelFiles > 0 ? { modelFiles } : {}),
    countsByStep: Object.fromEntries(
      countedSteps.map(({ step, takenAssets, undecided }) => [
        step.id,
        { assets: takenAssets.length, undecided },
      ]),
    ),
    seconds: assets === 0 ? 0 : Math.ceil(Math.max(workSeconds, rateLimitSeconds)),
  };
}

/** Returns the maximum number of renders of an asset in a step. A production file needs one for each variant. */
export function computeMaxRendersPerAsset({ steps }: Pick<Plan, 'steps'>): number {
  return Math.max(1, ...steps.map((step) => typeOf(step).cost?.draws ?? 1));
}

/** Returns the assets that a step must process, and the sizes of the groups that the estimate splits into batches. */
function computeStepWork(
  step: Step,
  plan: Plan,
  foundWork: FoundWork,
  verdicts: readonly ConditionVerdict[],
) {
  const { stage, cost = {} } = typeOf(step);
  const hasWork = (asset: FoundAsset) =>
    !finishedStagesOf(asset).some((finishedStage) => finishedStage === stage);
  const takenAssets = foundWork.assets.filter((asset, index) => {
    const verdict = verdicts[index];
    return (verdict === 'yes' || verdict === 'unknown') && hasWork(asset);
  });
  const undecided = verdicts.filter((verdict) => verdict === 'unknown').length;
  const grid = computeGridCounts(plan, foundWork, new Set(takenAssets));
  return {
    step,
    cost,
    takenAssets,
    undecided,
    groups: computeGroupSizes(step, takenAssets.length, grid, cost.byBatch),
  };
}

function totalOf(requests: Requests): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

function typeOf({ activity }: Pick<Step, 'activity'>): Pick<StepType, 'stage' | 'cost'> {
  return findStepType(activity) ?? {};
}

/** Finds the kinds of resources that steps create for assets. A shared one, such as a cell's model, counts once. */
function findCreatedKinds(steps: readonly Step[], assets: readonly FoundAsset[]): string[] {
  const kindByName = new Map<string, string>();
  for (const step of steps) {
    const { cost } = typeOf(step);
    const dimensions = step.cells?.work ?? Number.POSITIVE_INFINITY;
    for (const asset of assets) {
      const kind = cost?.creates?.(asset.source);
      if (kind !== undefined) kindByName.set(`${kind} ${sharedKeyOf(asset, dimensions)}`, kind);
    }
  }
  return [...kindByName.values()];
}

/** True if the source file's content differs from the record, for example because another file was moved there. */
function isChangedAsset({ reason, moved, previous = [], source }: FoundAsset): boolean {
  const isOther = (name: string) => !isRecordOfVersion(name, source.version);
  return reason === 'changed' || (moved !== undefined && previous.some(isOther));
}
