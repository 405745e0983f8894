// Tests the actions of people on a run, read from the histories of all its executions, page by page.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { readAction, readRunActions } from '../../src/temporal/runs/run-actions.ts';

const at = (seconds: number) => ({ eventTime: { seconds, nanos: 0 } });
const signal = (seconds: number, signalName: string, identity: string) => ({
  ...at(seconds),
  workflowExecutionSignaledEventAttributes: { signalName, identity },
});

/** Two executions: the second continues the first. */
const executions: Record<string, object[][]> = {
  second: [
    [
      {
        ...at(20),
        workflowExecutionStartedEventAttributes: {
          identity: 'worker',
          continuedExecutionRunId: 'first',
        },
      },
    ],
    [
      signal(21, 'approve', 'bob@b'),
      signal(22, 'shardReport', 'worker'),
      signal(22, 'decide', 'ann@a'),
      { ...at(23), workflowExecutionCancelRequestedEventAttributes: { identity: 'eve@e' } },
      {
        ...at(24),
        workflowExecutionTerminatedEventAttributes: { identity: 'eve@e', reason: 'stuck' },
      },
    ],
  ],
  first: [
    [
      { ...at(1), workflowExecutionStartedEventAttributes: { identity: 'ann@a' } },
      signal(2, 'pause', 'ann@a'),
      signal(3, 'resume', 'bob@b'),
    ],
  ],
};

const client = {
  options: { namespace: 'default' },
  withDeadline: (_deadline: number, work: () => unknown) => work(),
  workflowService: {
    async getWorkflowExecutionHistory(asked: {
      execution: { runId?: string };
      nextPageToken: Uint8Array;
    }) {
      const pages = executions[asked.execution.runId ?? 'second'] ?? [];
      const page = asked.nextPageToken[0] ?? 0;
      const next = page + 1 < pages.length ? [page + 1] : [];
      return { history: { events: pages[page] }, nextPageToken: Uint8Array.from(next) };
    },
  },
};

it('the actions of all executions of a run are listed in order of time, and a continuation does not count as a start', async () => {
  const acts = await readRunActions(client as unknown as Client, 'run-1');
  expect(acts.map(({ what, by, reason }) => [what, by, reason])).toEqual([
    ['started', 'ann@a', undefined],
    ['paused', 'ann@a', undefined],
    ['resumed', 'bob@b', undefined],
    ['approved', 'bob@b', undefined],
    ['decided', 'ann@a', undefined],
    ['cancelled', 'eve@e', undefined],
    ['terminated', 'eve@e', 'stuck'],
  ]);
  expect(acts[0]?.at).toBe('1970-01-01T00:00:01.000Z');
});

it.each([
  [{ pictures: 2, rejected: 0 }, 'approved', { pictures: 2 }],
  [{ pictures: 1, rejected: 2 }, 'decided', { pictures: 1, rejected: 2 }],
  [{ pictures: 0, rejected: 1 }, 'decided', { rejected: 1 }],
  [{}, 'resumed', {}],
])(
  'a resume with decisions about changed pictures is an action: %j',
  async (note, what, counts) => {
    const event = {
      ...at(3),
      workflowExecutionSignaledEventAttributes: {
        signalName: 'resume',
        identity: 'ann@a',
        input: { payloads: [defaultPayloadConverter.toPayload(note)] },
      },
    };
    const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
    expect(await readAction({ loadedDataConverter } as never, event as never)).toEqual({
      at: '1970-01-01T00:00:03.000Z',
      what,
      by: 'ann@a',
      ...counts,
    });
  },
);
