// Tests the audit log read from histories of the server.
import { Client, type ConnectionLike } from '@temporalio/client';
import { defaultPayloadConverter, type PayloadCodec } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import { describe, expect, it } from 'vitest';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import { type AuditQuery, readAudit } from '../../../src/temporal/audit/read-audit.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';

const payload = (value: unknown) => defaultPayloadConverter.toPayload(value);
const atSecond = (seconds: number, eventId: number) => ({
  eventId,
  eventTime: { seconds, nanos: 0 },
});

interface Execution {
  type: string;
  workflowId: string;
  runId: string;
  pipeline?: string;
  events: object[];
}

const run = (name: string, events: object[], more: Partial<Execution> = {}): Execution => {
  const [workflowId = ''] = name.split('#');
  const pipeline = 'catalog';
  return { type: workflowNames.run, workflowId, runId: name, pipeline, events, ...more };
};
const log = (events: object[], runId = 'log'): Execution => {
  return { type: workflowNames.audit, workflowId: 'audit/renderline', runId, events };
};
const started = (second: number, identity: string, more: object = {}, eventId = 1) => ({
  ...atSecond(second, eventId),
  workflowExecutionStartedEventAttributes: { identity, ...more },
});
const signal = (
  second: number,
  signalName: string,
  identity: string,
  args: unknown[] = [],
  eventId = 9,
) => ({
  ...atSecond(second, eventId),
  workflowExecutionSignaledEventAttributes: {
    signalName,
    identity,
    input: { payloads: args.map(payload) },
  },
});
const act = (second: number, name: string, more: object = {}, identity = 'ann@a') =>
  signal(second, 'action', identity, [
    { id: name, what: 'paused', subject: 'schedule', name, pipeline: 'catalog', ...more },
  ]);

/** @param codec encodes the payloads, as encryption does */
function clientOf(executions: Execution[], codec?: { decode(): never }) {
  const asked: { query: string; histories: string[] } = { query: '', histories: [] };
  const connection = {
    plugins: [],
    withDeadline: (_deadline: number, work: () => unknown) => work(),
    workflowService: {
      async listWorkflowExecutions({ query }: { query: string }) {
        asked.query = query;
        return {
          executions: executions.map(({ type, workflowId, runId, pipeline }) => ({
            type: { name: type },
            execution: { workflowId, runId },
            status: 1,
            historyLength: { toNumber: () => 3 },
            startTime: msToTs(0),
            memo: pipeline ? { fields: { renderline: payload({ pipeline }) } } : null,
          })),
        };
      },
      async getWorkflowExecutionHistory({ execution }: { execution: { runId: string } }) {
        asked.histories.push(execution.runId);
        const events = executions.find(({ runId }) => runId === execution.runId)?.events;
        return { history: { events } };
      },
      async describeNamespace() {
        return { config: { workflowExecutionRetentionTtl: { seconds: 86_400 } } };
      },
    },
  };
  const client = new Client({
    connection: connection as unknown as ConnectionLike,
    dataConverter: { payloadCodecs: codec ? [codec as unknown as PayloadCodec] : [] },
  });
  return { client, asked };
}

const nowMs = Date.parse('2026-03-04T05:06:07Z');
const all: AuditQuery = { sinceMs: 0, untilMs: null };
const lines = async (executions: Execution[], query: Partial<AuditQuery> = {}) => {
  const { client } = clientOf(executions);
  const { entries } = await readAudit(client, { ...all, ...query }, { nowMs });
  return entries.map(({ by, host, via, what, name }) => [by, host, via, what, name].join(' '));
};

describe('actions', () => {
  it('actions from runs and from the log are listed in order of time', async () => {
    const executions = [
      run('two', [started(5, 'bob@b'), signal(9, 'pause', 'ann@a (ui)')]),
      log([act(7, 'nightly')]),
      run('one', [started(1, 'ann@a (mcp)'), signal(6, 'approve', 'bob@b')]),
    ];
    expect(await lines(executions)).toEqual([
      'ann a mcp started one',
      'bob b command started two',
      'bob b command approved one',
      'ann a command paused nightly',
      'ann a ui paused two',
    ]);
  });

  it('actions contain the reason that a person gave', async () => {
    const memo = { fields: { renderline: payload({ reason: 'autumn' }) } };
    const executions = [
      run('one', [
        started(1, 'ann@a', { memo }),
        signal(2, 'pause', 'ann@a', [undefined, { reason: 'lunch' }], 2),
        signal(3, 'approve', 'ann@a', [{ reason: 'fine' }], 3),
        signal(4, 'resume', 'ann@a', [undefined, { pictures: 3, reason: 'new light' }], 4),
        {
          ...atSecond(5, 5),
          workflowExecutionCancelRequestedEventAttributes: { identity: 'ann@a', cause: 'wrong' },
        },
      ]),
      log([act(6, 'nightly', { reason: 'stocktaking' })]),
    ];
    const { entries } = await readAudit(clientOf(executions).client, all, { nowMs });
    expect(entries.map(({ what, reason }) => [what, reason])).toEqual([
      ['started', 'autumn'],
      ['paused', 'lunch'],
      ['approved', 'fine'],
      ['approved', 'new light'],
      ['cancelled', 'wrong'],
      ['paused', 'stocktaking'],
    ]);
    expect(entries[3]?.details).toEqual({ pictures: 3 });
  });

  it('actions that start a run contain its file, its parameters, and the permissions given by a person', async () => {
    const plan = { file: 'a.yaml', hash: 'h', parameters: { out: 'x' }, steps: ['much more'] };
    const input = {
      payloads: [payload({ plan, run: 'one', withdrawAll: true, rerun: { of: 'z' } })],
    };
    const executions = [run('one', [started(1, 'ann@a', { input })])];
    const { entries } = await readAudit(clientOf(executions).client, all, { nowMs });
    expect(entries[0]?.details).toEqual({
      file: 'a.yaml',
      plan: 'h',
      parameters: { out: 'x' },
      withdrawAll: true,
      again: { of: 'z' },
    });
  });

  it.each([
    [
      'a schedule',
      { searchAttributes: { indexedFields: { TemporalScheduledById: payload('nightly') } } },
      ' schedule',
    ],
    ['an event', { parentWorkflowExecution: { workflowId: 'event-trigger/x' } }, ' event'],
  ])('actions without a person are attributed to %s', async (_what, more, via) => {
    const executions = [run('one', [started(1, 'temporal-scheduler', more)])];
    expect(await lines(executions)).toEqual([` ${via} started one`]);
  });

  it.each([
    ['temporal-ui', 'temporal-ui  other'],
    ['temporal-cli:eve@e', 'temporal-cli:eve e other'],
    ['4711@e', '4711 e other'],
  ])('actions of other clients are marked as such: %s', async (identity, told) => {
    expect(await lines([run('one', [signal(1, 'pause', identity)])])).toEqual([
      `${told} paused one`,
    ]);
  });

  it('a run that continued as new has one start', async () => {
    const executions = [
      run('one#2', [started(5, 'worker', { continuedExecutionRunId: 'x' })]),
      run('one#1', [started(1, 'ann@a')]),
    ];
    expect(await lines(executions)).toEqual(['ann a command started one']);
  });

  it('actions before a reset are listed once, and the reset is not a termination', async () => {
    const before = [started(1, 'ann@a'), signal(2, 'pause', 'ann@a', [], 2)];
    const executions = [
      run('one#2', [
        ...before,
        {
          ...atSecond(5, 3),
          workflowTaskFailedEventAttributes: {
            identity: 'history-service',
            failure: { message: 'try again', resetWorkflowFailureInfo: {} },
          },
        },
      ]),
      run('one#1', [
        ...before,
        {
          ...atSecond(4, 4),
          workflowExecutionTerminatedEventAttributes: { identity: 'history-resetter' },
        },
      ]),
    ];
    expect(await lines(executions)).toEqual([
      'ann a command started one',
      'ann a command paused one',
      '  other reset one',
    ]);
  });

  it('actions that failed contain their error, even if the log continued as new in between', async () => {
    const failed = signal(8, 'action', 'ann@a', [{ id: 'nightly', failed: 'refused' }]);
    const executions = [log([failed], 'log-2'), log([act(7, 'nightly')], 'log-1')];
    const { entries } = await readAudit(clientOf(executions).client, all, { nowMs });
    expect(entries).toMatchObject([{ name: 'nightly', failed: 'refused' }]);
  });
});

describe('the list', () => {
  const executions = [
    run('two', [started(5, 'bob@b')], { pipeline: 'shoes' }),
    run('one', [started(1, 'ann@a'), signal(6, 'approve', 'bob@c', [])]),
    log([act(7, 'nightly')]),
  ];

  it.each<[string, Partial<AuditQuery>, string[]]>([
    ['filters by start time', { sinceMs: 6_000 }, ['approved one', 'paused nightly']],
    ['filters by end time', { untilMs: 6_000 }, ['started one', 'started two']],
    ['filters by pipeline', { pipeline: 'shoes' }, ['started two']],
    ['filters by run', { run: 'one' }, ['started one', 'approved one']],
    ['filters by user', { by: 'bob' }, ['started two', 'approved one']],
    ['filters by user and machine', { by: 'bob@c' }, ['approved one']],
  ])('the list %s', async (_what, query, told) => {
    const found = await lines(executions, query);
    expect(found.map((line) => line.split(' ').slice(-2).join(' '))).toEqual(told);
  });

  it('the list queries executions that were open in the period, and reads only the histories of its pipeline', async () => {
    const { client, asked } = clientOf(executions);
    await readAudit(client, { sinceMs: 1_000, untilMs: 2_000, pipeline: 'shoes' }, { nowMs });
    expect(asked.query).toBe(
      "((WorkflowType = 'pipelineRun') OR WorkflowType = 'auditLog') AND " +
        "(CloseTime >= '1970-01-01T00:00:01.000Z' OR ExecutionStatus = 'Running') AND " +
        "StartTime < '1970-01-01T00:00:02.000Z'",
    );
    expect(asked.histories.toSorted()).toEqual(['log', 'two']);
  });

  it('the list is bounded, and reports the number of unread executions', async () => {
    const many = Array.from({ length: 250 }, (_, at) => run(`run-${at}`, [started(at, 'ann@a')]));
    const { client, asked } = clientOf(many);
    const { entries, unreadExecutions: left } = await readAudit(client, all, {
      nowMs,
      maxEntries: 20,
    });
    expect(entries.length).toBe(asked.histories.length);
    expect(entries.length).toBeLessThan(40);
    expect(entries.length + left).toBe(250);
  });

  it('the list reports how far back the server keeps histories', async () => {
    const { keptSince } = await readAudit(clientOf([]).client, all, { nowMs });
    expect(keptSince).toBe('2026-03-03T05:06:07.000Z');
  });

  it('the list counts actions encrypted with a missing key, and shows their person and time', async () => {
    const codec = {
      decode(): never {
        throw new CodecKeyMissingError('k', []);
      },
    };
    const { client } = clientOf(executions, codec);
    const { entries, unreadable } = await readAudit(client, all, { nowMs });
    expect(unreadable).toBe(1);
    expect(entries.map(({ by, what }) => [by, what])).toEqual([
      ['ann', 'started'],
      ['bob', 'started'],
      ['bob', 'approved'],
      ['ann', 'unreadable'],
    ]);
  });

  it('the list accepts invalid signals and memos of other clients', async () => {
    const odd = { metadata: { encoding: new TextEncoder().encode('odd') }, data: new Uint8Array() };
    const raw = (signalName: string, one: unknown) => ({
      ...atSecond(3, 3),
      workflowExecutionSignaledEventAttributes: {
        signalName,
        identity: 'eve@e',
        input: { payloads: [one] },
      },
    });
    const executions = [
      run('one', [raw('pause', odd), raw('approve', payload(7))]),
      log([
        raw('action', odd),
        raw('action', payload('x')),
        raw('action', payload({ id: 4, details: 3 })),
      ]),
    ];
    const { entries, unreadable } = await readAudit(clientOf(executions).client, all, { nowMs });
    expect(entries.map(({ what, by }) => [by, what])).toEqual([
      ['eve', 'paused'],
      ['eve', 'unreadable'],
    ]);
    expect(unreadable).toBe(1);
  });
});
