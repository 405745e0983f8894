// A Temporal server that only lists runs (by the test's own filter) and schedules.
import { Client, type ConnectionLike } from '@temporalio/client';
import {
  defaultPayloadConverter,
  defineSearchAttributeKey,
  type Payload,
} from '@temporalio/common';
import { encodeUnifiedSearchAttributes } from '@temporalio/common/lib/converter/payload-search-attributes.js';
import { msToTs } from '@temporalio/common/lib/time.js';

export interface FakeRun {
  id: string;
  runId?: string;
  pipeline?: string;
  startedAtMs?: number;
  endedAtMs?: number;
  attributes?: Readonly<Record<string, string>>;
}

export interface FakeSchedule {
  id: string;
  startsMs?: readonly number[];
  /** Starts that were planned before these. */
  earlierMs?: readonly number[];
  paused?: boolean;
  isOurs?: boolean;
}

interface ListRequest {
  query: string;
  pageSize: number;
  nextPageToken?: Uint8Array;
}

interface MatchingRequest {
  scheduleId: string;
  startTime: { seconds: unknown };
  endTime: { seconds: unknown };
}

export interface FakeServer {
  runs: FakeRun[];
  schedules: FakeSchedule[];
  /** Attempt numbers of workflow tasks by workflow id. */
  attempts: Record<string, number>;
  queries: string[];
  /** Number of described workflows. */
  described: number;
  /** Decides which runs match a query. @default all */
  filter: (run: FakeRun, query: string) => boolean;
  /** Runs per page, whatever the request says. */
  pageSize: number;
}

export function fakeServer(more: Partial<FakeServer> = {}): FakeServer & { client: Client } {
  const server: FakeServer = {
    runs: [],
    schedules: [],
    attempts: {},
    queries: [],
    described: 0,
    filter: () => true,
    pageSize: 2,
    ...more,
  };
  const listWorkflowExecutions = async ({ query, pageSize, nextPageToken }: ListRequest) => {
    server.queries.push(query);
    const all = server.runs.filter((run) => server.filter(run, query));
    const at = Number(Buffer.from(nextPageToken ?? []).toString());
    const end = at + Math.min(pageSize, server.pageSize);
    return {
      executions: all.slice(at, end).map(rawRun),
      nextPageToken: Buffer.from(end >= all.length ? '' : String(end)),
    };
  };
  const listSchedules = async () => ({
    schedules: server.schedules.map(rawSchedule),
    nextPageToken: new Uint8Array(),
  });
  const listScheduleMatchingTimes = async ({ scheduleId, startTime, endTime }: MatchingRequest) => {
    server.queries.push(`planned starts of ${scheduleId}`);
    const of = server.schedules.find(({ id }) => id === scheduleId);
    const all = [...(of?.earlierMs ?? []), ...(of?.startsMs ?? [])];
    const [from, to] = [startTime, endTime].map((time) => Number(time.seconds) * 1_000);
    return { startTime: all.filter((ms) => ms > (from ?? 0) && ms <= (to ?? 0)).map(msToTs) };
  };
  const describe = async (workflowId: string) => {
    server.described += 1;
    const attempt = server.attempts[workflowId];
    const { runId = workflowId, startedAtMs = 0 } =
      server.runs.find(({ id }) => id === workflowId) ?? {};
    return {
      startTime: new Date(startedAtMs),
      raw: {
        workflowExecutionInfo: { firstRunId: runId },
        ...(attempt === undefined ? {} : { pendingWorkflowTask: { attempt } }),
      },
    };
  };
  const connection = {
    plugins: [],
    withDeadline: (_deadline: number, work: () => Promise<unknown>) => work(),
    workflowService: { listWorkflowExecutions, listSchedules, listScheduleMatchingTimes },
  };
  const client = new Client({ connection: connection as unknown as ConnectionLike });
  Object.assign(client.workflow, { getHandle: (id: string) => ({ describe: () => describe(id) }) });
  return Object.assign(server, { client });
}

function rawRun({
  id,
  runId = id,
  pipeline,
  startedAtMs = 0,
  endedAtMs,
  attributes = {},
}: FakeRun) {
  const memo: Record<string, Payload> =
    pipeline === undefined ? {} : { renderline: defaultPayloadConverter.toPayload({ pipeline }) };
  const pairs = Object.entries(attributes).map(([name, value]) => ({
    key: defineSearchAttributeKey(name, 'KEYWORD'),
    value,
  }));
  return {
    execution: { workflowId: id, runId },
    type: { name: 'pipelineRun' },
    status: 1,
    historyLength: { toNumber: () => 3 },
    startTime: msToTs(startedAtMs),
    closeTime: endedAtMs === undefined ? null : msToTs(endedAtMs),
    memo: { fields: memo },
    searchAttributes: { indexedFields: encodeUnifiedSearchAttributes(undefined, pairs) },
  };
}

function rawSchedule({ id, startsMs = [], paused = false, isOurs = true }: FakeSchedule) {
  return {
    scheduleId: id,
    memo: { fields: isOurs ? { renderline: {} } : {} },
    info: {
      workflowType: { name: 'pipelineRun' },
      paused,
      futureActionTimes: startsMs.map(msToTs),
    },
  };
}
