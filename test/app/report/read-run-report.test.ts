// What the report of a run reads from Temporal.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { readRunReport } from '../../../src/app/report/read-run-report.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import { runMemoField } from '../../../src/plan/run/run-memo.ts';
import { folderWith } from '../../cli/_folder.ts';

test('the history of a paused run is read once, although both the remark and the timeline need it', async () => {
  const records = { type: 'local', path: folderWith() };
  const described = {
    workflowId: 'shop-1',
    runId: 'e-1',
    type: workflowNames.run,
    taskQueue: 'q',
    status: { name: 'RUNNING' },
    startTime: new Date(0),
    historyLength: 9,
    memo: { [runMemoField]: { pipeline: 'shop', records, destination: null, steps: [] } },
    raw: {},
  };
  const progress = {
    state: 'paused',
    cause: null,
    discovery: null,
    totals: { total: 0, complete: 0, failed: 0, skipped: 0 },
    openShards: [],
    failures: [],
  };
  const plan = { schema: 'x', steps: [], records };
  const input = { payloads: [defaultPayloadConverter.toPayload({ plan, epoch: 0 })] };
  const pause = { signalName: 'pause', identity: 'ann@a' };
  const events = [
    { workflowExecutionStartedEventAttributes: { input } },
    { workflowExecutionSignaledEventAttributes: pause },
  ];
  const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
  let historiesRead = 0;
  const client = {
    options: { namespace: 'n', identity: 'a', loadedDataConverter },
    workflow: {
      getHandle: () => ({ describe: async () => described, query: async () => progress }),
    },
    workflowService: {
      async getWorkflowExecutionHistory({ maximumPageSize }: { maximumPageSize?: number }) {
        // The input of the run is in the first event, which is read separately.
        if (maximumPageSize === undefined) historiesRead += 1;
        return { history: { events } };
      },
    },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  const app = new App({ env: {}, cwd: folderWith() });
  // The report reads only these fields of a connection.
  app.temporal = { client, namespace: 'n' } as never;
  const { report } = await readRunReport(app, 'shop-1');
  expect(report).toMatchObject({
    remark: expect.stringContaining('Paused by ann@a since'),
    people: [{ what: 'started' }, { what: 'paused', by: 'ann@a' }],
  });
  expect(historiesRead).toBe(1);
});
