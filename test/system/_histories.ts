// Reads the Temporal histories of a run: those of its workflow and its shards.
import type { WorkflowHandle } from '@temporalio/client';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import type { Env } from './_stack.ts';

type Events = NonNullable<Awaited<ReturnType<WorkflowHandle['fetchHistory']>>['events']>;

export interface WorkflowHistory {
  workflowId: string;
  executionId: string;
  events: Events;
}

/** Connects, and always closes the connection. */
export async function withClient<T>(
  env: Env,
  work: (connection: TemporalConnection) => Promise<T>,
): Promise<T> {
  const connection = await connectTemporal({ env });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
}

/** Histories of all workflows of the namespace, or of those whose ids begin with `prefix`. */
export async function allHistories(env: Env, prefix = ''): Promise<WorkflowHistory[]> {
  return withClient(env, async ({ client }) => {
    const histories: WorkflowHistory[] = [];
    for await (const { workflowId, runId } of client.workflow.list()) {
      if (!workflowId.startsWith(prefix)) continue;
      const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
      histories.push({ workflowId, executionId: runId, events: history.events ?? [] });
    }
    return histories;
  });
}

/** Identities of the workers that executed activities of a run. */
export async function activityWorkers(env: Env, run: string): Promise<Set<string>> {
  const workers = new Set<string>();
  for (const { events } of await allHistories(env, run)) {
    for (const { activityTaskStartedEventAttributes: started } of events) {
      if (started?.identity) workers.add(started.identity);
    }
  }
  return workers;
}

/** The value as text, with payload bytes decoded. */
export function everythingIn(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([key, inner]) => `${key} ${everythingIn(inner)}`)
      .join('\n');
  }
  return String(value);
}
