// The failures of a run are unknown, not zero, if its records are on another machine.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { readFailedRuns } from '../../../src/app/failures/failed-runs.ts';
import { listFailures } from '../../../src/app/failures/list-failures.ts';
import { previewRerun } from '../../../src/app/rerun/rerun.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import { runMemoField } from '../../../src/plan/run/run-memo.ts';
import { planSchema } from '../../../src/plan/types.ts';
import { folderWith } from '../../cli/_folder.ts';

const run = 'shop-20261121-090507-ab01';

/** A run that has failed with 37 of its assets, whose records are not in their folder here. */
function runElsewhere(total = 37) {
  const records = { type: 'local', path: folderWith() };
  const plan = {
    schema: planSchema,
    pipeline: 'shop',
    file: 'shop.yaml',
    recipe: 'r',
    records,
    connectors: {},
    destination: null,
  };
  const described = {
    workflowId: run,
    runId: 'e-1',
    type: workflowNames.run,
    taskQueue: 'q',
    status: { name: 'COMPLETED' },
    startTime: new Date(),
    closeTime: new Date(),
    historyLength: 9,
    memo: { [runMemoField]: { pipeline: 'shop', records, destination: null, steps: [] } },
    raw: {},
  };
  const assets = { total, complete: 0, failed: total, skipped: 0, unchanged: 0 };
  const result = { run, pipeline: 'shop', outcome: 'failed', assets, failures: [], requests: {} };
  const handle = { describe: async () => described, result: async () => result };
  const input = { payloads: [defaultPayloadConverter.toPayload({ plan, epoch: 0 })] };
  const events = [{ workflowExecutionStartedEventAttributes: { input } }];
  const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
  const client = {
    options: { namespace: 'n', identity: 'a', loadedDataConverter },
    workflow: {
      getHandle: () => handle,
      async *list() {
        yield described;
      },
    },
    workflowService: { getWorkflowExecutionHistory: async () => ({ history: { events } }) },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  const app = new App({ env: {}, cwd: folderWith() });
  // The use cases read only these fields of a connection.
  app.temporal = { client, namespace: 'n' } as never;
  return { app, client };
}

const unknown = {
  code: 'RECORDS_UNREADABLE',
  message: expect.stringMatching(/^The run shop-\S+ has 37 assets, but its records are not in /),
};

test('the failures of a run whose records are elsewhere cannot be listed', async () => {
  await expect(listFailures(runElsewhere().app, run)).rejects.toMatchObject(unknown);
});

test('a run whose records are elsewhere cannot be rerun', async () => {
  const rerun = previewRerun(runElsewhere().app, run, { with: 'pinned' });
  await expect(rerun).rejects.toMatchObject(unknown);
});

test('a run is listed as unreadable if its records are elsewhere', async () => {
  const { app, client } = runElsewhere();
  const found = await readFailedRuns(app, client, { since: '1d' });
  expect(found).toMatchObject({ runs: [], unreadable: [{ run, unreadable: unknown }] });
});

test('a run that has ended before it discovered its assets has no failures, and nothing to rerun', async () => {
  const { app } = runElsewhere(0);
  expect(await listFailures(app, run)).toMatchObject({ total: 0 });
  const rerun = previewRerun(app, run, { with: 'pinned' });
  await expect(rerun).rejects.toMatchObject({ code: 'NOTHING_TAKEN' });
});
