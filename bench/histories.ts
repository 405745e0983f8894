// What a measurement left on the Temporal server: how many events, from when to when.

import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';

export interface Histories {
  workflows: number;
  events: number;
  failed: number;
  startedAtMs: number;
  closedAtMs: number;
}

const lookEveryMs = 500;

/** Waits until `expected` workflows of these types have closed, and adds up their histories. */
export async function untilClosed(
  client: Client,
  types: string[],
  expected: (closed: number) => boolean,
  withinMs: number,
): Promise<Histories> {
  const named = types.map((type) => `"${type}"`).join(', ');
  const lastMs = Date.now() + withinMs;
  for (;;) {
    const running = await count(
      client,
      `WorkflowType IN (${named}) AND ExecutionStatus = "Running"`,
    );
    const closed = await count(
      client,
      `WorkflowType IN (${named}) AND ExecutionStatus != "Running"`,
    );
    if (running === 0 && expected(closed)) break;
    if (Date.now() > lastMs) throw new Error(`${running} workflows still run after ${withinMs} ms`);
    await delay(lookEveryMs);
  }
  const sum = { workflows: 0, events: 0, failed: 0, startedAtMs: Infinity, closedAtMs: 0 };
  for await (const one of client.workflow.list({ query: `WorkflowType IN (${named})` })) {
    sum.workflows += 1;
    sum.events += one.historyLength;
    if (one.status.name !== 'COMPLETED') sum.failed += 1;
    sum.startedAtMs = Math.min(sum.startedAtMs, one.startTime.getTime());
    sum.closedAtMs = Math.max(sum.closedAtMs, one.closeTime?.getTime() ?? 0);
  }
  return sum;
}

async function count(client: Client, query: string): Promise<number> {
  return (await client.workflow.count(query)).count;
}
