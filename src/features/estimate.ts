// Estimates the cost of a plan for the assets found: requests by operation, rate-limit windows, time. Pure.
import { deletionOf } from '../api/resources.ts';
import { isObject } from '../api/unknown-values.ts';
import { type FoundAsset, type FoundWork, finishedStagesOf } from '../engine/cost/found-work.ts';
import { callSizesOf, gridCountsOf } from '../engine/cost/grid-counts.ts';
import type { Estimate, Requests, StepWork } from '../engine/cost/step-cost.ts';
import type { StepType } from '../engine/node-type.ts';
import { uniqueById } from '../engine/unique-by-id.ts';
import type { ConditionVerdict } from '../language/condition-verdict.ts';
import { propertiesIn } from '../language/expressions.ts';
import { addRequests } from '../plan/shard/totals.ts';
import type { Plan, Step } from '../plan/types.ts';
import { modelKeyOf, sharedKeyOf } from '../store/records/cell-keys.ts';
import { stepTypes } from './index.ts';
import { type ReachedSteps, reachedSteps } from './reached-steps.ts';

/** Seconds that the worker itself spends on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/**
 * @param rateLimit requests per minute; null if unknown
 * @param reached the steps that `found.assets` reach, if they are already known
 */
export function estimate(
  plan: Plan,
  found: FoundWork,
  rateLimit: number | null,
  reached: ReachedSteps = reachedSteps(plan, found.assets),
): Estimate {
  const assets = found.assets.length;
  const byOperation: Requests = { ...found.requests };
  const work = plan.steps.map((step) => stepWorkOf(step, plan, found, reached.get(step.id) ?? []));
  const planWork = {
    has: (activity: string) => plan.steps.some((step) => step.activity === activity),
    batchesOf(activity: string) {
      const one = work.find(({ step }) => step.activity === activity);
      const groups = one?.groups ?? [];
      return groups.reduce((sum, count) => sum + Math.ceil(count / (one?.step.batch ?? 1)), 0);
    },
  };
  let processing = 0;
  let modelFiles = 0;
  const makes: Estimate['creates'] = {};
  const files: Estimate['files'] = { total: 0, min: false };
  for (const { step, cost, taken, groups } of work) {
    if (taken.length === 0) continue;
    const { batch } = step;
    const own = {
      ...planWork,
      found: taken,
      config: configFieldsOf(step),
      batch,
      isRoot: isRoot(step),
    };
    for (const count of groups) {
      addRequests(byOperation, cost.requests?.({ ...own, assets: count }) ?? {});
    }
    addRequests(byOperation, cost.once?.({ ...own, assets: taken.length }) ?? {});
    addRequests(byOperation, conditionRequests(step, taken.length));
    const ahead = cost.files?.({ ...own, assets: taken.length });
    files.total += ahead?.total ?? 0;
    files.min ||= ahead?.min ?? false;
    processing += cost.seconds ?? 0;
    modelFiles += cost.modelFiles?.(own) ?? 0;
    for (const { kind } of createdBy([step], taken)) makes[kind] = (makes[kind] ?? 0) + 1;
  }
  const renderingWork = work.filter(({ cost }) => cost.draws);
  const superseded = plan.supersede === undefined ? [] : found.assets.filter(isChanged);
  for (const { kind } of createdBy(plan.steps, superseded))
    addRequests(byOperation, { [deletionOf(kind, '').operation]: 1 });
  const total = Object.values(byOperation).reduce((sum, count) => sum + count, 0);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const rateLimitSeconds = ((windows ?? 1) - 1) * 60;
  return {
    requests: {
      total,
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

/** The assets that reach a step, and the number of assets in each of its calls. */
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
    groups: callSizesOf(step, taken.length, grid, cost.byBatch),
  };
}

/** Requests that read the model properties in the condition of a step: one search per property and hundred models. */
function conditionRequests({ when }: Step, assets: number): Requests {
  const names = when === null ? [] : propertiesIn(when);
  if (names.length === 0) return {};
  return { listProperties: 1, searchAssets: names.length * Math.ceil(assets / 100) };
}

function typeOf({ activity }: Pick<Step, 'activity'>): Pick<StepType, 'stage' | 'cost'> {
  return stepTypes.find(({ type }) => type === activity) ?? {};
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

function isRoot({ parents }: Step): boolean {
  return parents.length === 0;
}

function configFieldsOf({ config }: Step): StepWork['config'] {
  return isObject(config) ? config : {};
}
