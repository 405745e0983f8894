// Estimates the cost of a plan for the assets found: requests by operation, rate-limit windows, time. Pure.
import { deletionOf } from '../api/resources.ts';
import { type FoundAsset, type FoundWork, finishedStagesOf } from '../engine/cost/found-work.ts';
import { gridCountsOf, groupSizesOf } from '../engine/cost/grid-counts.ts';
import type { Estimate, Requests } from '../engine/cost/step-cost.ts';
import type { StepType } from '../engine/node-type.ts';
import { uniqueById } from '../engine/unique-by-id.ts';
import type { ConditionVerdict } from '../language/condition-verdict.ts';
import { addRequests } from '../plan/shard/totals.ts';
import type { Plan, Step } from '../plan/types.ts';
import { modelKeyOf, sharedKeyOf } from '../store/records/cell-keys.ts';
import { countMaxRequests, countRequests, workOf } from './count-requests.ts';
import { stepTypeOf } from './index.ts';
import { type ReachedSteps, resolveReachedSteps } from './reached-steps.ts';

/** Seconds that the worker itself spends on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/** @param rateLimit requests per minute; null if unknown @param reached the steps of `foundWork.assets`, if known */
export function estimate(
  plan: Plan,
  foundWork: FoundWork,
  rateLimit: number | null,
  reached: ReachedSteps = resolveReachedSteps(plan, foundWork.assets),
): Estimate {
  const assets = foundWork.assets.length;
  const countedSteps = plan.steps.map((step) =>
    stepWorkOf(step, plan, foundWork, reached.get(step.id) ?? []),
  );
  let processing = 0;
  let modelFiles = 0;
  const makes: Estimate['creates'] = {};
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
    for (const { kind } of createdBy([step], takenAssets)) makes[kind] = (makes[kind] ?? 0) + 1;
  }
  const renderingWork = countedSteps.filter(({ cost }) => cost.draws);
  const supersededAssets = plan.supersede === undefined ? [] : foundWork.assets.filter(isChanged);
  const byOperation: Requests = { ...foundWork.requests };
  const requests = countRequests(countedSteps);
  addRequests(byOperation, requests);
  for (const { kind } of createdBy(plan.steps, supersededAssets))
    addRequests(byOperation, { [deletionOf(kind, '').operation]: 1 });
  const total = totalOf(byOperation);
  const max = total + totalOf(countMaxRequests(countedSteps)) - totalOf(requests);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const rateLimitSeconds = ((windows ?? 1) - 1) * 60;
  return {
    requests: {
      total,
      max,
      byOperation: Object.fromEntries(Object.entries(byOperation).filter(([, count]) => count > 0)),
    },
    windows,
    deletes: new Set(supersededAssets.map(modelKeyOf)).size,
    renders: renderingWork.reduce((sum, { takenAssets }) => sum + takenAssets.length, 0),
    max: renderingWork.some(({ undecided }) => undecided > 0),
    files,
    creates: makes,
    ...(modelFiles > 0 ? { modelFiles } : {}),
    countsByStep: Object.fromEntries(
      countedSteps.map(({ step, takenAssets, undecided }) => [
        step.id,
        { assets: takenAssets.length, undecided },
      ]),
    ),
    seconds:
      assets === 0
        ? 0
        : Math.ceil(Math.max(processing + assets * transferSeconds, rateLimitSeconds)),
  };
}

/** Maximum number of renders of an asset in a step. A production file needs several: it captures each variant. */
export function maxRendersPerAsset({ steps }: Pick<Plan, 'steps'>): number {
  return Math.max(1, ...steps.map((step) => typeOf(step).cost?.draws ?? 1));
}

/** Returns the assets that a step must process, and the sizes of the groups into which the estimate splits them. */
function stepWorkOf(
  step: Step,
  plan: Plan,
  foundWork: FoundWork,
  verdicts: readonly ConditionVerdict[],
) {
  const reachesStep = (verdict: ConditionVerdict | undefined) =>
    verdict === 'yes' || verdict === 'unknown';
  const { stage, cost = {} } = typeOf(step);
  const hasWork = (asset: FoundAsset) =>
    !finishedStagesOf(asset).some((finishedStage) => finishedStage === stage);
  const takenAssets = foundWork.assets.filter(
    (asset, index) => reachesStep(verdicts[index]) && hasWork(asset),
  );
  const undecided = verdicts.filter((verdict) => verdict === 'unknown').length;
  const grid = gridCountsOf(plan, foundWork, new Set(takenAssets));
  return {
    step,
    cost,
    takenAssets,
    undecided,
    groups: groupSizesOf(step, takenAssets.length, grid, cost.byBatch),
  };
}

function totalOf(requests: Requests): number {
  return Object.values(requests).reduce((sum, count) => sum + count, 0);
}

function typeOf({ activity }: Pick<Step, 'activity'>): Pick<StepType, 'stage' | 'cost'> {
  return stepTypeOf(activity) ?? {};
}

/** The resources that steps create for assets. A shared one, such as the model of several cells, is listed once. */
function createdBy(steps: readonly Step[], assets: readonly FoundAsset[]): { kind: string }[] {
  const resources = steps.flatMap((step) => {
    const { cost } = typeOf(step);
    const { work: dimensions } = step.cells ?? { work: Number.POSITIVE_INFINITY };
    return assets.flatMap((asset) => {
      const kind = cost?.creates?.(asset.source);
      return kind === undefined
        ? []
        : [{ kind, name: `${kind} ${sharedKeyOf(asset, dimensions)}` }];
    });
  });
  return uniqueById(resources, ({ name }) => name);
}

/** True if the source file has other content than the record says, for example because another file was moved there. */
function isChanged({ reason, moved, previous }: FoundWork['assets'][number]): boolean {
  return reason === 'changed' || (moved !== undefined && previous !== undefined);
}
