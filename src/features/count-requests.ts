// Counts the requests of steps, both for assets that move together and for assets that slow waits release a few at a
// time. Pure.
import type { FoundAsset } from '../engine/cost/found-work.ts';
import type { Requests, StepCost } from '../engine/cost/step-cost.ts';
import { findProperties } from '../language/expressions.ts';
import { jsonFieldsOf } from '../plan/json.ts';
import { addRequests } from '../plan/shard/totals.ts';
import type { Step } from '../plan/types.ts';

/** A step, and the assets that reach it. */
interface CountedStep {
  step: Step;
  cost: StepCost;
  takenAssets: FoundAsset[];
  /** Sizes of the groups of assets that the estimate splits into batches. */
  groups: number[];
}

interface Pace {
  /** Returns the number of assets in one request of a step for a group of `assets` assets. */
  batchOf: (step: Step, assets: number) => number;
  /** Factor by which waits are longer than usual. */
  slowness: number;
  isMax: boolean;
}

/** Counts requests if waits last as usual and assets are ready together, so that requests are as full as possible. */
export function countRequests(steps: readonly CountedStep[]): Requests {
  return sumOf(steps, { batchOf: ({ batch }) => batch, slowness: 1, isMax: false });
}

const maxSlowness = 2;

/** Requests if waits take twice as long and release assets a few at a time, so that later requests are not full. */
export function countMaxRequests(steps: readonly CountedStep[]): Requests {
  const releases = countReleasesBefore(steps);
  const batchOf: Pace['batchOf'] = ({ id, batch }, assets) => {
    const extraCalls = releases.get(id) ?? 0;
    if (extraCalls === 0 || assets === 0) return batch;
    const calls = Math.min(assets, Math.ceil(assets / batch) + extraCalls);
    return Math.floor(assets / calls);
  };
  return sumOf(steps, { batchOf, slowness: maxSlowness, isMax: true });
}

/** Returns, for each step, how often the longest preceding wait can release assets: once per second while it polls. */
function countReleasesBefore(steps: readonly CountedStep[]): ReadonlyMap<string, number> {
  const releasesAfterStep = new Map<string, number>();
  const releasesBeforeStep = new Map<string, number>();
  // The steps of a plan are sorted, so that parents come first.
  for (const { step, cost } of steps) {
    const parentReleases = step.parents.map((parent) => releasesAfterStep.get(parent) ?? 0);
    const releases = Math.max(0, ...parentReleases);
    releasesBeforeStep.set(step.id, releases);
    releasesAfterStep.set(step.id, Math.max(releases, maxSlowness * (cost.seconds ?? 0)));
  }
  return releasesBeforeStep;
}

function sumOf(steps: readonly CountedStep[], { batchOf, slowness, isMax }: Pace): Requests {
  const sum: Requests = {};
  const has = (activity: string) => steps.some(({ step }) => step.activity === activity);
  const batchesOf = (activity: string) => {
    const countedStep = steps.find(({ step }) => step.activity === activity);
    const batches = countedStep?.groups.map((count) =>
      Math.ceil(count / batchOf(countedStep.step, count)),
    );
    return (batches ?? []).reduce((total, count) => total + count, 0);
  };
  for (const countedStep of steps) {
    const { step, cost, takenAssets, groups } = countedStep;
    if (takenAssets.length === 0) continue;
    const pollSeconds = slowness * (cost.seconds ?? 0);
    const stepWork = { ...workOf(countedStep), has, batchesOf, pollSeconds, isMax };
    for (const assets of groups) {
      const groupWork = { ...stepWork, assets, batch: batchOf(step, assets) };
      addRequests(sum, cost.requests?.(groupWork) ?? {});
    }
    addRequests(sum, cost.once?.({ ...stepWork, assets: takenAssets.length }) ?? {});
    addRequests(sum, countConditionReads(step, takenAssets.length));
  }
  return sum;
}

/** Returns the part of `StepWork` that depends only on the step and on the assets that reach it. */
export function workOf({ step, takenAssets }: Pick<CountedStep, 'step' | 'takenAssets'>) {
  const { batch, parents, config } = step;
  return { found: takenAssets, config: jsonFieldsOf(config), batch, isRoot: parents.length === 0 };
}

/** Counts requests that read a condition's model properties: a list, and a search per property and 100 assets. */
function countConditionReads({ when }: Step, assets: number): Requests {
  const names = when === null ? [] : findProperties(when);
  if (names.length === 0) return {};
  return { listProperties: 1, searchAssets: names.length * Math.ceil(assets / 100) };
}
