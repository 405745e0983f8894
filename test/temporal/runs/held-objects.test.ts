// Tests the number of objects that an event trigger holds during a general pause, from histories.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { messages } from '../../../src/plan/contract/messages.ts';
import { countHeldObjects } from '../../../src/temporal/runs/count-held-objects.ts';

const at = (seconds: number) => ({ eventTime: { seconds, nanos: 0 } });
const started = (seconds: number, continuedExecutionRunId = '') => ({
  ...at(seconds),
  workflowExecutionStartedEventAttributes: { continuedExecutionRunId },
});
const events = (seconds: number, ...ids: string[]) => ({
  ...at(seconds),
  workflowExecutionSignaledEventAttributes: {
    signalName: messages.platformEvents,
    input: {
      payloads: [defaultPayloadConverter.toPayload([{ objects: ids.map((id) => ({ id })) }])],
    },
  },
});

/** A client of a server with these executions of one workflow, newest first, by run id; '' is the newest. */
function clientWith(executions: Record<string, object[]>): { client: Client; read: string[] } {
  const read: string[] = [];
  const client = {
    options: {
      namespace: 'default',
      loadedDataConverter: { payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
    },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflowService: {
      getWorkflowExecutionHistory: async ({ execution }: { execution: { runId?: string } }) => {
        read.push(execution.runId ?? '');
        return { history: { events: executions[execution.runId ?? ''] } };
      },
    },
  } as unknown as Client;
  return { client, read };
}

test('objects are counted in all executions since the pause', async () => {
  const { client, read } = clientWith({
    '': [started(300, 'second'), events(310, 'c', 'd')],
    second: [started(100, 'first'), events(150, 'x'), events(210, 'a', 'b'), events(220, 'c')],
    first: [started(10), events(20, 'y')],
  });
  expect(await countHeldObjects(client, 'event-trigger/shoes', 200_000)).toBe(4);
  expect(read).toEqual(['', 'second', 'first']);
});
