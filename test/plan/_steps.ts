// Small builders of steps and assets, and a driver that applies activity results to a shard's state.

import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { Asset, AssetResult, Failure, Stages, Step, StepAsset } from '../../src/plan/types.ts';
import type { KeyedShard } from './_keyed-shard.ts';

export const noStages: Stages = {
  source: '',
  composition: '',
  render: '',
  sheet: '',
  deliveries: {},
};

/** `a` and `b` come before `c`: steps({ a: [], b: [], c: ['a', 'b'] }). Later entries follow earlier ones. */
export function steps(shape: Record<string, string[]>, more: Record<string, Partial<Step>> = {}) {
  return Object.entries(shape).map(([id, parents]) => step(id, parents, more[id]));
}

export function step(id: string, parents: string[] = [], more: Partial<Step> = {}): Step {
  return {
    id,
    node: id,
    activity: 'template_match',
    mode: 'call',
    parents,
    when: null,
    config: {},
    batch: 50,
    startToCloseMs: 60_000,
    heartbeatMs: null,
    timeoutMs: 3_600_000,
    retry: null,
    ...more,
  };
}

export function asset(key: string, platformIds: PlatformIds = {}): Asset {
  return {
    key,
    source: { path: `${key}.glb`, bytes: 700, mtimeMs: 1, version: 'v1' },
    platformIds,
  };
}

export function assets(...keys: string[]): Asset[] {
  return keys.map((key) => asset(key));
}

export const done = (key: string, platformIds: PlatformIds = {}): AssetResult => ({
  key,
  outcome: 'done',
  platformIds,
});
export const pruned = (key: string): AssetResult => ({ key, outcome: 'pruned' });
export const failed = (key: string, code = 'BROKEN'): AssetResult => ({
  key,
  outcome: 'failed',
  code,
  message: `${code} it is`,
});
export const retry = (key: string, platformIds: PlatformIds = {}): AssetResult => ({
  key,
  outcome: 'retry',
  code: 'RENDER_FAILED',
  message: 'out of light',
  platformIds,
});

export function failure(key: string, node: string, code = 'BROKEN'): Failure {
  return { key, node, code, message: `${code} it is`, attempts: 1 };
}

export interface Started {
  index: number;
  id: string;
  given: StepAsset[];
}

/** Starts everything that may start now, step by step, as the workflow does. */
export function startAll(state: KeyedShard, plan: readonly Step[], nowMs = 0): Started[] {
  return plan.flatMap(({ id }, index) => {
    if (!state.hasReady(index)) return [];
    return [{ index, id, given: state.takeReady(index, nowMs) }];
  });
}

/**
 * Runs rounds until no step starts any more.
 * @returns `step:keys` in the order of starting
 */
export function runAll(
  state: KeyedShard,
  plan: readonly Step[],
  answer: (id: string, asset: StepAsset) => AssetResult | null,
  maxRounds = 200,
): string[] {
  const log: string[] = [];
  for (let round = 0; round < maxRounds; round += 1) {
    const started = startAll(state, plan);
    if (started.length === 0) return log;
    for (const { index, id, given } of started) {
      log.push(`${id}:${given.map(({ key }) => key).join('+')}`);
      const results = given.map((one) => answer(id, one)).filter((result) => result !== null);
      state.apply(index, given, results);
    }
  }
  throw new Error(`still going after ${maxRounds} rounds: ${log.slice(-8).join(' ')}`);
}
