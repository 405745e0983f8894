// Tests which records belong to our pipelines, from the runs that Temporal lists, by workspace and task queue.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter, type Payload, type PayloadCodec } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { CodecKeyMissingError } from '../../src/temporal/codec/codec-errors.ts';
import { listRecordsLocations, type RunsScope } from '../../src/temporal/runs/records-locations.ts';

interface ListedRun extends Started {
  taskQueue: string;
  memo?: { fields: Record<string, Payload> };
}

interface Started {
  execution: { workflowId: string; runId: string };
  type: { name: string };
  status: number;
  historyLength: { toNumber: () => number };
  startTime: ReturnType<typeof msToTs>;
}

const started: Started = {
  execution: { workflowId: 'here-1', runId: '1' },
  type: { name: 'pipelineRun' },
  status: 1,
  historyLength: { toNumber: () => 3 },
  startTime: msToTs(1_700_000_000_000),
};

const run = (taskQueue: string, pipeline: string, workspace?: string): ListedRun => {
  const memo = { pipeline, records: { type: 'local', path: `/${pipeline}` }, workspace };
  const payload = defaultPayloadConverter.toPayload(memo);
  return { ...started, taskQueue, memo: { fields: { renderline: payload } } };
};

/** The memo of a run that is encrypted with an unknown key. */
const unreadable = (taskQueue: string): ListedRun => ({
  ...started,
  taskQueue,
  memo: {
    fields: {
      renderline: { metadata: { encoding: Buffer.from('binary/secret') }, data: Buffer.from('') },
    },
  },
});

const codec: PayloadCodec = {
  encode: async (payloads) => payloads,
  decode: async (payloads) => {
    const [first] = payloads;
    if (String(first?.metadata?.['encoding']) === 'binary/secret') {
      throw new CodecKeyMissingError('k1', []);
    }
    return payloads;
  },
};

/** A server with these runs, one per page. */
function clientOf(runs: readonly ListedRun[]) {
  const queries: string[] = [];
  const listWorkflowExecutions = async ({ query, nextPageToken }: ListRequest) => {
    queries.push(query);
    const at = nextPageToken?.[0] ?? 0;
    const isLast = at + 1 >= runs.length;
    return {
      executions: runs.slice(at, at + 1),
      nextPageToken: Buffer.from(isLast ? [] : [at + 1]),
    };
  };
  const client = {
    options: {
      namespace: 'default',
      loadedDataConverter: { payloadCodecs: [codec], payloadConverter: defaultPayloadConverter },
    },
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    connection: { plugins: [], workflowService: { listWorkflowExecutions } },
  };
  return { client: client as unknown as Client, queries };
}

interface ListRequest {
  query: string;
  nextPageToken?: Uint8Array;
}

const ours = { taskQueue: 'q', workspace: 'w' };
const placesOf = async (client: Client, whose: RunsScope = ours) =>
  (await listRecordsLocations(client, whose, 0)).map(({ pipeline }) => pipeline);

describe('the records locations of a workspace', () => {
  it('the records locations of a workspace are those of its runs on any task queue, each once', async () => {
    const { client } = clientOf([
      run('q', 'here', 'w'),
      run('q', 'here', 'w'),
      run('other', 'there', 'w'),
      run('other', 'strange', 'w2'),
      run('q', 'strange-here', 'w2'),
    ]);
    expect(await placesOf(client)).toEqual(['here', 'there']);
  });

  it('records locations are selected by task queue if runs do not state their workspace, as in older versions', async () => {
    const { client } = clientOf([
      run('q', 'here'),
      run('other', 'there'),
      { ...started, taskQueue: 'q' },
    ]);
    expect(await placesOf(client)).toEqual(['here']);
    const said = clientOf([run('q', 'here', 'w'), run('other', 'there', 'w')]);
    expect(await placesOf(said.client, { taskQueue: 'q' })).toEqual(['here']);
  });

  it('records locations omit only runs that cannot be read here', async () => {
    const { client } = clientOf([unreadable('other'), unreadable('q'), run('q', 'here', 'w')]);
    expect(await placesOf(client)).toEqual(['here']);
  });

  it('records locations are read from runs that are open or ended after the given time', async () => {
    const { client, queries } = clientOf([]);
    await listRecordsLocations(client, ours, Date.UTC(2026, 0, 2));
    expect(queries).toEqual([
      "WorkflowType = 'pipelineRun' AND (ExecutionStatus = 'Running' OR CloseTime > '2026-01-02T00:00:00.000Z')",
    ]);
  });
});
