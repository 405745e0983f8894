// A run that is cancelled while it starts its shards, or while a call fails, with activities that do nothing.

import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import { NativeConnection } from '@temporalio/worker';
import { expect, inject, test } from 'vitest';
import type { RunInput, RunProgress } from '../../src/plan/contract/contract.ts';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { ShardAssetOutcome } from '../../src/plan/shard/step-contract.ts';
import { planSchema } from '../../src/plan/types.ts';
import { noStages, step } from '../plan/_steps.ts';
import { AllQueues } from './_all-queues.ts';
import type { FakeActivities } from './_fake-activities.ts';
import { withClient } from './_histories.ts';
import { waitUntil } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
const folder = { type: 'local', path: '/nowhere' };
const shards = 200;

const input = (run: string): RunInput => ({
  plan: {
    schema: planSchema,
    hash: 'h',
    pipeline: 'trial',
    file: 'trial.yaml',
    parameters: {},
    connectors: {},
    records: folder,
    destination: folder,
    recipe: 'r',
    stages: noStages,
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps: [step('look')],
    shardSize: 1,
    window: shards,
    inFlight: 25_000,
    route: [],
  },
  run,
  lineage: run,
  epoch: 0,
  searchable: false,
});

const cancelled = (run: string) =>
  withClient(temporal.env, ({ client }) => client.workflow.getHandle(run).cancel());

/** Starts a run with this id and these activities, and stops the worker when the work is done. */
async function played(
  run: string,
  activities: FakeActivities,
  work: (handle: WorkflowHandle) => Promise<void>,
): Promise<void> {
  const { address, namespace } = temporal;
  const connection = await NativeConnection.connect({ address });
  const worker = await AllQueues.create({
    connection,
    namespace,
    taskQueue: run,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities: {
      endOrphanedChildren: async () => undefined,
      cancelRemoteJobs: async () => ({ pages: [], requests: {} }),
      ...activities,
    },
    // Activities learn of a cancellation immediately.
    maxHeartbeatThrottleInterval: 100,
  });
  await withClient(temporal.env, ({ client }) =>
    worker.runUntil(async () => {
      const args: [RunInput] = [input(run)];
      const options = { taskQueue: run, workflowId: run, args };
      await work(await client.workflow.start(workflowNames.run, options));
    }),
  );
  await connection.close();
}

const hasEnded = async (handle: WorkflowHandle) =>
  (await handle.describe()).status.name !== 'RUNNING';

test('a run that is cancelled while it starts shards ends, and counts the assets that it never started', async () => {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const activities: FakeActivities = {
    discover: async () => {
      const counts = { total: shards, new: shards, changed: 0, unchanged: 0 };
      return { ...counts, refused: 0, pages: shards };
    },
    openShard: async ({ shard }) => {
      if (shard === 0) await cancelled('early');
      await held;
      return { assets: [0], complete: [], keys: [String(shard)], takenByOtherRuns: [], pages: [] };
    },
    finalizeAssets: async () => undefined,
  };
  await played('early', activities, async (handle) => {
    const look = () => handle.query<RunProgress>(messages.progress);
    await waitUntil('it is cancelled', async () => (await look()).state === 'cancelling');
    release();
    await waitUntil('it has ended', () => hasEnded(handle));
    const { totals, shardsDone } = await look();
    expect(shardsDone).toBeLessThan(shards);
    expect(totals).toMatchObject({ total: shards, complete: 0 });
  });
});

test('an asset whose retry is prevented by a cancellation counts as cancelled, not as failed', async () => {
  const settled: ShardAssetOutcome[] = [];
  const activities: FakeActivities = {
    discover: async () => {
      const counts = { total: 1, new: 1, changed: 0, unchanged: 0 };
      return { ...counts, refused: 0, pages: 1 };
    },
    openShard: async () => {
      return { assets: [0], complete: [], keys: ['one'], takenByOtherRuns: [], pages: [] };
    },
    template_match: async () => {
      const activity = Context.current();
      await cancelled('failing');
      const beat = setInterval(() => activity.heartbeat(), 50);
      await activity.cancelled.catch(() => undefined);
      clearInterval(beat);
      throw ApplicationFailure.retryable('the platform is away', 'API_UNREACHABLE');
    },
    finalizeAssets: async (input) => {
      settled.push(...input.outcomes);
      return undefined;
    },
  };
  await played('failing', activities, (handle) =>
    waitUntil('it has ended', () => hasEnded(handle)),
  );
  expect(settled).toEqual([{ assetIndex: 0, outcome: 'cancelled' }]);
});
