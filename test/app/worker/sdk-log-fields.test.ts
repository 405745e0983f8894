// Run and shard of an SDK log line, by the id of its workflow.
import { expect, test } from 'vitest';
import { toLogFields } from '../../../src/app/worker/run-worker.ts';
import { workflowIds } from '../../../src/plan/contract/workflow-ids.ts';

const run = 'shop-20261127-020000-1bb9';

test.each<[string, object]>([
  [run, { run }],
  [workflowIds.shard(run, 2), { run, shard: 3 }],
  [workflowIds.notice(run, 0), { run }],
  [workflowIds.approvalNotice(run, 0), { run }],
  [workflowIds.approvalNotice(run, 0, 2), { run }],
  [workflowIds.decisionNotice(run, 0), { run }],
  [workflowIds.lateNotice(run, 0), { run }],
  [workflowIds.expectedLateNotice(run, 0), { run }],
  [workflowIds.eventTrigger('shop'), {}],
])('a log line of the workflow %s contains the fields %j', (workflowId, fields) => {
  expect(toLogFields({ workflowId })).toEqual({ ...fields, workflowId });
});
