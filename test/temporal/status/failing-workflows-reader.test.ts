// Tests that workflows that fail at every attempt are counted, however rarely Temporal retries them.
import { describe, expect, it } from 'vitest';
import { FailingWorkflowsCounter } from '../../../src/temporal/status/failing-workflows.ts';
import { fakeServer } from './_visibility.ts';

const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `run-${String(index).padStart(3, '0')}`);

describe('failing workflows', () => {
  it('failing workflows are counted from the second read on, until their task succeeds', async () => {
    const server = fakeServer({ runs: [{ id: 'shoes' }, { id: 'hats' }], attempts: { shoes: 9 } });
    const reader = new FailingWorkflowsCounter(server.client, 'q');
    expect(await reader.count()).toBe(0);
    expect(await reader.count()).toBe(1);
    expect(await reader.count()).toBe(1);
    server.attempts = {};
    expect(await reader.count()).toBe(0);
    expect(server.queries[0]).toBe("ExecutionStatus = 'Running' AND TaskQueue = 'q'");
  });

  it('workflows may fail once or twice while workers are replaced', async () => {
    const server = fakeServer({ runs: [{ id: 'shoes' }], attempts: { shoes: 2 } });
    const reader = new FailingWorkflowsCounter(server.client, 'q');
    await reader.count();
    expect(await reader.count()).toBe(0);
    server.attempts = { shoes: 9 };
    expect(await reader.count()).toBe(0);
    server.attempts = { shoes: 1 };
    expect(await reader.count()).toBe(0);
  });

  it('failing workflows that have ended are no longer counted', async () => {
    const server = fakeServer({ runs: [{ id: 'shoes' }], attempts: { shoes: 9 } });
    const reader = new FailingWorkflowsCounter(server.client, 'q');
    await reader.count();
    expect(await reader.count()).toBe(1);
    server.runs = [];
    expect(await reader.count()).toBe(0);
  });

  it('failing workflows are found among many over several reads, and counted from then on', async () => {
    const runs = ids(100).map((id) => ({ id }));
    const server = fakeServer({ runs, attempts: { 'run-095': 9 }, pageSize: 1_000 });
    const reader = new FailingWorkflowsCounter(server.client, 'q');
    const counts = [];
    for (let poll = 0; poll < 6; poll += 1) counts.push(await reader.count());
    expect(counts).toEqual([0, 0, 0, 1, 1, 1]);
    expect(server.described).toBeLessThanOrEqual(6 * 41);
  });
});
