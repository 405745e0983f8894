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
import { type ReachedSteps, reachedSteps } from './reached-steps.ts';

/** Seconds that the worker itself spends on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/** @param rateLimit requests per minute; null if unknown @param reached the steps of `found.assets`, if known */
export function estimate(
  plan: Plan,
  found: FoundWork,
  rateLimit: number | null,
  reached: ReachedSteps = reachedSteps(plan, found.assets),
): Estimate {
  const assets = found.assets.length;
  const work = plan.steps.map((step) => stepWorkOf(step, plan, found, reached.get(step.id) ?? []));
  let processing = 0;
  let modelFiles = 0;
  const makes: Estimate['creates'] = {};
  const files: Estimate['files'] = { total: 0, min: false };
  for (const counted of work) {
    const { step, cost, taken } = counted;
    if (taken.length === 0) continue;
    const own = workOf(counted);
    const ahead = cost.files?.({ ...own, assets: taken.length });
    files.total += ahead?.total ?? 0;
    files.min ||= ahead?.min ?? false;
    processing += cost.seconds ?? 0;
    modelFiles += cost.modelFiles?.(own) ?? 0;
    for (const { kind } of createdBy([step], taken)) makes[kind] = (makes[kind] ?? 0) + 1;
  }
  const renderingWork = work.filter(({ cost }) => cost.draws);
  const superseded = plan.supersede === undefined ? [] : found.assets.filter(isChanged);
  const byOperation: Requests = { ...found.requests };
  const together = countRequests(work);
  addRequests(byOperation, together);
  for (const { kind } of createdBy(plan.steps, superseded))
    addRequests(byOperation, { [deletionOf(kind, '').operation]: 1 });
  const total = totalOf(byOperation);
  const max = total + totalOf(countMaxRequests(work)) - totalOf(together);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const rateLimitSeconds = ((windows ?? 1) - 1) * 60;
  return {
    requests: {
      total,
      max,
      byOperation: Object.fromEntries(Object.entries(byOperation).filter(([, count]) => count > 0)),
    },
    windows,
    deletes: new Set(superseded.map(modelKeyOf)).size,
    renders: renderingWork.reduce((sum, { taken }) => sum + taken.length, 0),
    max: renderingWork.some(({ undecided }) => undecided > 0),
    files,
    creates: makes,
    ...(modelFiles > 0 ? { modelFiles } : {}),
    taken: Object.fromEntries(
      work.map(({ step, taken, undecided }) => [step.id, { assets: taken.length, undecided }]),
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
  found: FoundWork,
  verdicts: readonly ConditionVerdict[],
) {
  const reachesStep = (verdict: ConditionVerdict | undefined) =>
    verdict === 'yes' || verdict === 'unknown';
  const { stage, cost = {} } = typeOf(step);
  const hasWork = (asset: FoundAsset) => !finishedStagesOf(asset).some((one) => one === stage);
  const taken = found.assets.filter(
    (asset, index) => reachesStep(verdicts[index]) && hasWork(asset),
  );
  const undecided = verdicts.filter((verdict) => verdict === 'unknown').length;
  const grid = gridCountsOf(plan, found, new Set(taken));
  return {
    step,
    cost,
    taken,
    undecided,
    groups: groupSizesOf(step, taken.length, grid, cost.byBatch),
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
  const created = steps.flatMap((step) => {
    const { cost } = typeOf(step);
    const { work: dimensions } = step.cells ?? { work: Number.POSITIVE_INFINITY };
    return assets.flatMap((asset) => {
      const kind = cost?.creates?.(asset.source);
      return kind === undefined
        ? []
        : [{ kind, name: `${kind} ${sharedKeyOf(asset, dimensions)}` }];
    });
  });
  return uniqueById(created, ({ name }) => name);
}

/** True if the source file has other content than the record says, for example because another file was moved there. */
function isChanged({ reason, moved, previous }: FoundWork['assets'][number]): boolean {
  return reason === 'changed' || (moved !== undefined && previous !== undefined);
}
