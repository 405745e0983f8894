// Inputs and expected results for workflow scenarios.
import { ApplicationFailure } from '@temporalio/common';
import { expect } from 'vitest';
import type { DeliveryManifest } from '../../src/plan/delivery-manifests.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { StepReport } from '../../src/plan/shard/step-contract.ts';
import type { Plan } from '../../src/plan/types.ts';
import type { PipelineScenarioRun } from './_pipeline-scenario.ts';

/** Fails an activity without retry. */
export const permanentFailure = (message: string) =>
  ApplicationFailure.nonRetryable(message, 'BROKEN');
export const retryLaterCause: RunCause = {
  code: 'AWAY',
  message: 'it is away',
  fix: 'wait',
  kind: 'later',
};
export const permanentCause: RunCause = {
  code: 'NO_RIGHT',
  message: 'it may not',
  fix: 'ask',
  kind: 'never',
};

/** Fails these assets of a shard. */
export const failedAssets = (shard: number, assets: number[]): Partial<StepReport> => ({
  failed: assets,
  reportedFailures: assets.map((at) => ({
    assetIndex: at,
    key: `${shard}-${at}`,
    code: 'BAD',
    message: 'bad',
    attempts: 1,
  })),
});

/** Counts of assets. */
export const totals = (total: number, complete: number, failed = 0, skipped = 0) => ({
  total,
  complete,
  failed,
  skipped,
});

export const manifest: DeliveryManifest = {
  node: 'deliver',
  delivery: 'web00000',
  connector: 'shop',
  path: 'manifest.csv',
  columns: [],
  delimiter: ',',
  bom: false,
  images: {},
};

/** One shard at a time, so that the started shards show how far the run came. */
export const oneByOne: Partial<Plan> = { window: 1 };

/** Key and code of each failure; of a failed shard also the message. @param run id that is left out of the keys */
export function failuresIn(
  failures: readonly { key: string; code: string; message: string }[] = [],
  run = '',
): string[] {
  return failures.map(({ key, code, message }) => {
    const told = `${key.replace(run, '')} ${code}`;
    return code === 'SHARD_FAILED' ? `${told} ${message}` : told;
  });
}

/** Expects exactly these subjects for these activities; other activities may have been called too. */
export function expectCalls(run: PipelineScenarioRun, calls: Record<string, string[]>): void {
  const made = Object.keys(calls).map((activity) => [activity, run.callsOf(activity)]);
  expect(Object.fromEntries(made)).toEqual(calls);
}
