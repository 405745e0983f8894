// Measures the workflows and events of a measurement on the Temporal server.
import { setTimeout as delay } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { Span } from './contender.ts';
import { type HistoryFigures, inspectHistory, noFigures } from './history-figures.ts';
import { measurementTimeoutMs } from './timeout.ts';

const pollIntervalMs = 500;
/** Maximum number of histories that are read. If there are more workflows, a sample is read. */
const maxRead = 500;

/**
 * Waits until no workflow of these types is running and at least `minClosed` have closed. @returns the first start and
 * the last end
 */
export async function waitUntilClosed(
  client: Client,
  types: readonly string[],
  minClosed: number,
  sinceMs: number,
): Promise<Span> {
  const query = workflowQuery(types, sinceMs);
  const lastMs = Date.now() + measurementTimeoutMs;
  for (;;) {
    const running = await count(client, `${query} AND ExecutionStatus = "Running"`);
    const closed = await count(client, `${query} AND ExecutionStatus != "Running"`);
    if (running === 0 && closed >= minClosed) break;
    if (Date.now() > lastMs)
      throw new Error(`${running} workflows still run after ${measurementTimeoutMs} ms`);
    await delay(pollIntervalMs);
  }
  const span = { startedAtMs: Infinity, closedAtMs: 0 };
  for await (const info of client.workflow.list({ query })) {
    span.startedAtMs = Math.min(span.startedAtMs, info.startTime.getTime());
    span.closedAtMs = Math.max(span.closedAtMs, info.closeTime?.getTime() ?? 0);
  }
  return span;
}

export interface Histories extends HistoryFigures {
  workflows: number;
  events: number;
  bytes: number;
}

/** Adds up the histories of workflows that started since `sinceMs`. Details cover at most `maxRead` of them. */
export async function readHistories(
  client: Client,
  types: readonly string[],
  sinceMs: number,
): Promise<Histories> {
  const executions: { workflowId: string; runId: string }[] = [];
  const sum = { workflows: 0, events: 0, bytes: 0 };
  if (types.length === 0) return { ...sum, ...noFigures() };
  for await (const info of client.workflow.list({ query: workflowQuery(types, sinceMs) })) {
    sum.workflows += 1;
    sum.events += info.historyLength;
    sum.bytes += info.historySize ?? 0;
    executions.push({ workflowId: info.workflowId, runId: info.runId });
  }
  const figures = noFigures();
  const step = Math.ceil(executions.length / maxRead);
  for (let index = 0; index < executions.length; index += step) {
    const { workflowId, runId } = executions[index] ?? { workflowId: '', runId: '' };
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    inspectHistory(figures, events ?? []);
  }
  return { ...sum, ...figures };
}

function workflowQuery(types: readonly string[], sinceMs: number): string {
  const quotedTypes = types.map((type) => `"${type}"`).join(', ');
  return `WorkflowType IN (${quotedTypes}) AND StartTime >= "${new Date(sinceMs).toISOString()}"`;
}

async function count(client: Client, query: string): Promise<number> {
  return (await client.workflow.count(query)).count;
}
