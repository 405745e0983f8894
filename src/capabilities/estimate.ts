// Costs of a plan for so many assets: requests by operation, windows, time. Pure.
import { deletionOf } from '../api/things.ts';
import { type FoundWork, isMade } from '../machinery/cost/found-work.ts';
import { callsOf, cellsOf } from '../machinery/cost/shared-cells.ts';
import type { Estimate, Requests, StepCost, StepWork } from '../machinery/cost/step-cost.ts';
import { addRequests } from '../plan/totals.ts';
import type { Plan, Step } from '../plan/types.ts';
import { stepTypes } from './index.ts';

/** Own work on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/** @param rateLimit requests a minute; null where it is not known */
export function estimate(plan: Plan, found: FoundWork, rateLimit: number | null): Estimate {
  const assets = found.assets.length;
  const byOperation: Requests = { ...found.requests };
  const grid = cellsOf(plan, found);
  const groupsOf = (step: Step) => callsOf(step, assets, grid, costOf(step).byBatch);
  const around: Pick<StepWork, 'found' | 'has' | 'batchesOf'> = {
    found: found.assets,
    has: (activity) => plan.steps.some((step) => step.activity === activity),
    batchesOf(activity) {
      const step = plan.steps.find((one) => one.activity === activity);
      const groups = step ? groupsOf(step) : [];
      return groups.reduce((sum, count) => sum + Math.ceil(count / (step?.batch ?? 1)), 0);
    },
  };
  let processing = 0;
  for (const step of assets === 0 ? [] : plan.steps) {
    const cost = costOf(step);
    const work = { ...around, config: fieldsOf(step), batch: step.batch, isRoot: isRoot(step) };
    for (const count of groupsOf(step)) {
      addRequests(byOperation, cost.requests?.({ ...work, assets: count }) ?? {});
    }
    addRequests(byOperation, cost.once?.({ ...work, assets }) ?? {});
    processing += cost.seconds ?? 0;
  }
  const superseded = plan.supersede === undefined ? [] : found.assets.filter(isChanged);
  for (const { source } of superseded) addRequests(byOperation, deletions(plan, source));
  const total = Object.values(byOperation).reduce((sum, count) => sum + count, 0);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const limited = ((windows ?? 1) - 1) * 60;
  const drawing = plan.steps.filter((step) => costOf(step).draws).length;
  return {
    requests: { total, byOperation },
    windows,
    deletes: superseded.length,
    renders: found.assets.filter(isMade).length * drawing,
    seconds: assets === 0 ? 0 : Math.ceil(Math.max(processing + assets * transferSeconds, limited)),
  };
}

function costOf({ activity }: Pick<Step, 'activity'>): StepCost {
  return stepTypes.find(({ type }) => type === activity)?.cost ?? {};
}

/** Deletions of things that steps have made of a source that has changed since. */
function deletions({ steps }: Plan, source: FoundWork['assets'][number]['source']): Requests {
  const kinds = new Set(steps.flatMap((step) => costOf(step).makes?.(source) ?? []));
  return Object.fromEntries([...kinds].map((kind) => [deletionOf(kind, '').operation, 1]));
}

function isChanged({ reason }: FoundWork['assets'][number]): boolean {
  return reason === 'changed';
}

function isRoot({ parents }: Step): boolean {
  return parents.length === 0;
}

function fieldsOf({ config }: Step): StepWork['config'] {
  const isRecord = typeof config === 'object' && config !== null && !Array.isArray(config);
  return isRecord ? config : {};
}
