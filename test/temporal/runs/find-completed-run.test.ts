// Which completed run of Temporal has stored the records of a pipeline at a location.
import type { Client, ListOptions } from '@temporalio/client';
import { expect, test } from 'vitest';
import { findCompletedRun } from '../../../src/temporal/runs/records-locations.ts';

const owner = {
  pipeline: 'catalog',
  records: { type: 's3', bucket: 'b', prefix: 'out' },
  workspace: 'w',
};

/** A client that lists runs with these memos, newest first. */
function clientOf(memos: readonly object[]) {
  const queries: ListOptions[] = [];
  async function* list(options: ListOptions) {
    queries.push(options);
    for (const [index, renderline] of memos.entries())
      yield { workflowId: `run-${index + 1}`, memo: { renderline } };
  }
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    workflow: { list },
  };
  return { client: client as unknown as Client, queries };
}

test.each<[string, object, string | null]>([
  ['the pipeline with the same location', {}, 'run-1'],
  ['the same location with its fields in another order', reversed(owner.records), 'run-1'],
  ['an unknown workspace', { workspace: undefined }, 'run-1'],
  ['another pipeline', { pipeline: 'season' }, null],
  ['another location', { records: { ...owner.records, prefix: 'new' } }, null],
  ['another workspace', { workspace: 'w2' }, null],
])('a run of %s', async (_what, more, found) => {
  const { client } = clientOf([{ ...owner, ...more }]);
  expect(await findCompletedRun(client, owner)).toBe(found);
});

function reversed(records: object): object {
  return { records: Object.fromEntries(Object.entries(records).toReversed()) };
}

test('a run without a known workspace counts runs of all workspaces', async () => {
  const { client } = clientOf([owner]);
  const { pipeline, records } = owner;
  expect(await findCompletedRun(client, { pipeline, records })).toBe('run-1');
});

test('the newest completed run is found with one request', async () => {
  const { client, queries } = clientOf([{ ...owner, pipeline: 'season' }, owner, owner]);
  expect(await findCompletedRun(client, owner)).toBe('run-2');
  const query = "WorkflowType = 'pipelineRun' AND ExecutionStatus = 'Completed'";
  expect(queries).toEqual([{ query, pageSize: 1_000 }]);
});
