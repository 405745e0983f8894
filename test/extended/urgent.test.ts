// A run that a person waits for does not wait behind a bulk run that fills the worker.

import { beforeAll, expect, it } from 'vitest';
import { workflowIds } from '../../src/plan/contract/contract.ts';
import { withClient } from '../system/_histories.ts';
import { startInProcess } from '../system/_in-process.ts';
import { names, writeModels } from '../system/_models.ts';
import { createPipelineFolder, runArguments, useProductWith } from '../system/_runs.ts';
import { fastSandbox } from '../system/_sandbox.ts';
import { startWorkerProcess, useProcesses, waitUntil } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProductWith(temporal, fastSandbox, startWorkerProcess);

/** More calls than a worker has slots for. */
const calls = 130;
/** One of its hundred slots is in use by the activity that discovers assets. */
const slots = 99;

// Every upload begins with one of these two requests, so all uploads keep their slots.
beforeAll(() =>
  product.sandbox.set(
    'faults',
    ['POST /models', 'POST /jobs'].map((match) => ({
      match,
      do: { delayMs: 300_000, before: true },
    })),
  ),
);

// Value of temporal.api.enums.v1.PendingActivityState.
const hasStarted = 2;

/** Activities of a run's first shard: those that a worker has started, and those that wait for a slot. */
async function activitiesOf(run: string): Promise<{ started: number; waiting: number }> {
  return withClient(product.env, async ({ client }) => {
    const handle = client.workflow.getHandle(workflowIds.shard(run, 0));
    const pending = await handle.describe().then(
      ({ raw }) => raw.pendingActivities ?? [],
      () => [],
    );
    const started = pending.filter(({ state }) => state === hasStarted).length;
    return { started, waiting: pending.length - started };
  });
}

async function startOf(prefix: string, models: string[], ...more: string[]): Promise<string> {
  const place = await createPipelineFolder(prefix, { batchSize: 1 });
  await writeModels(place.folder, models);
  const args = runArguments(place, '--json', ...more);
  const { code, stdout, stderr } = await startInProcess(args, product.env).finished;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return (JSON.parse(stdout) as { run: string }).run;
}

it('one asset can start while a bulk run occupies all slots', async () => {
  const bulk = await startOf('bulk', names('many', calls), '--priority', 'bulk');
  await waitUntil('the worker is full', async () => (await activitiesOf(bulk)).started === slots);
  expect(await activitiesOf(bulk)).toEqual({ started: slots, waiting: calls - slots });
  const one = await startOf('one', ['alone']);
  await waitUntil('it is taken up', async () => (await activitiesOf(one)).started === 1, 20_000);
  expect(await activitiesOf(bulk)).toEqual({ started: slots, waiting: calls - slots });
  // A run of normal priority has to wait.
  const normal = await startOf('normal', ['patient'], '--priority', 'normal');
  await waitUntil('it waits', async () => (await activitiesOf(normal)).waiting === 1, 20_000);
  await product.worker.stop('SIGKILL');
});
