// A run whose workers are away for longer than its discovery may take. The server counts the time without workers.
import { Worker } from '@temporalio/worker';
import { expect, inject, it } from 'vitest';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { urgentQueueOf } from '../../src/plan/run/queues.ts';
import { step } from '../plan/_steps.ts';
import type { FakeActivities } from './_fake-activities.ts';
import { planOf } from './_run-scenario.ts';
import { waitUntil } from './_stack.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();

it('a run lists its assets although no worker could list them for a day', async () => {
  const { environment } = inUse;
  const { client, nativeConnection: connection } = environment;
  const taskQueue = 'discovery-timeouts';
  const workflowBundle = { codePath: inject('workflowBundle') };
  const run = 'later';
  const plan = planOf('/pictures', [step('a')]);
  const input = { plan, run, lineage: run, epoch: 0, searchable: false };
  const handle = await client.workflow.start(workflowNames.run, {
    taskQueue,
    workflowId: run,
    args: [input],
  });

  // This worker starts the run. No worker executes the activity, which times out after a day and is repeated.
  const starter = await Worker.create({ connection, taskQueue, workflowBundle });
  const nothing = { pages: 0, total: 0, new: 0, changed: 0, unchanged: 0, refused: 0 };
  const activities: FakeActivities = { discover: async () => nothing };
  await starter.runUntil(async () => {
    await environment.sleep('30h');
    const urgentQueue = urgentQueueOf(taskQueue);
    const worker = await Worker.create({ connection, taskQueue: urgentQueue, activities });
    // `result` would skip time before the workers have polled.
    const hasEnded = async () => (await handle.describe()).status.name !== 'RUNNING';
    await worker.runUntil(() => waitUntil('the end of the run', hasEnded));
  });
  expect(await handle.result()).toMatchObject({ outcome: 'complete' });
});
