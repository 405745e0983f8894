// Tests the status of a general pause whose log has continued as new: its start, and the starts that it refused.
import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { firstStartField } from '../../../src/plan/contract/audit-contract.ts';
import { countRefusedStarts } from '../../../src/temporal/audit/refused-starts.ts';
import { readGeneralPause } from '../../../src/temporal/runs/general-pause.ts';

const scope = { taskQueue: 'shop', pipeline: 'lamps' };
const firstStart = '2026-11-27T20:01:02.345Z';
const options = {
  namespace: 'default',
  loadedDataConverter: { payloadConverter: defaultPayloadConverter, payloadCodecs: [] },
};
const withDeadline = (_at: number, work: () => unknown) => work();

test.each<[string, string, Record<string, string>]>([
  ['the first execution', firstStart, {}],
  ['a continuation', '2026-11-29T08:00:00.000Z', { [firstStartField]: firstStart }],
])(
  'a general pause has lasted since the start of its first execution, read from %s',
  async (_what, startedAt, more) => {
    const renderlinePause = { ...scope, reason: 'a bill', by: 'ann@studio-2' };
    const found = {
      status: { name: 'RUNNING' },
      startTime: new Date(startedAt),
      memo: { renderlinePause, ...more },
    };
    const workflow = { getHandle: () => ({ describe: async () => found }) };
    const client = { options, withDeadline, workflow } as unknown as Client;
    expect(await readGeneralPause(client, scope)).toEqual({ ...renderlinePause, at: firstStart });
  },
);

test('refused starts are counted once, in all executions', async () => {
  const executions: Record<string, { before: string; refused: string[] }> = {
    second: { before: 'first', refused: ['b', 'c'] },
    first: { before: '', refused: ['a', 'b'] },
  };
  const refusal = (id: string) => {
    const act = { id, what: 'refused', subject: 'http-start', name: 'lamps', pipeline: 'lamps' };
    const payloads = [defaultPayloadConverter.toPayload(act)];
    return {
      workflowExecutionSignaledEventAttributes: { signalName: 'action', input: { payloads } },
    };
  };
  const workflowService = {
    async getWorkflowExecutionHistory({ execution }: { execution: { runId?: string } }) {
      const { before = '', refused = [] } = executions[execution.runId ?? 'second'] ?? {};
      const started = {
        workflowExecutionStartedEventAttributes: { continuedExecutionRunId: before },
      };
      return { history: { events: [started, ...refused.map(refusal)] } };
    },
  };
  const client = { options, withDeadline, workflowService } as unknown as Client;
  expect(await countRefusedStarts(client, scope)).toEqual([{ pipeline: 'lamps', refused: 3 }]);
});
