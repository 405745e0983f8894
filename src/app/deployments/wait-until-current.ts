// Waits until new runs go to the build of this program, because workers of another version may not understand its plans.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { grpcStatusOf } from '../../failures/grpc-status.ts';
import { type QueueRouting, readQueue } from '../../temporal/deployments/queue-routing.ts';
import type { App } from '../app.ts';
import { readVersionRequest } from '../worker/worker-version.ts';

const pollIntervalMs = 5_000;

/** Waits without a timeout, retries if Temporal does not respond, and notes what it waits for. */
export async function waitUntilCurrent(app: App, client: Client, taskQueue: string): Promise<void> {
  const { deployment, buildId } = readVersionRequest({}, app.env);
  let lastMessage = '';
  for (;;) {
    const routing = await readRouting(client, taskQueue);
    const current = routing?.current ?? null;
    if (current?.buildId === buildId && (deployment ?? current.deployment) === current.deployment) {
      return;
    }
    const message = formatWaiting(routing, buildId);
    if (message !== lastMessage) app.note(message);
    lastMessage = message;
    await sleep(pollIntervalMs);
  }
}

async function readRouting(client: Client, taskQueue: string): Promise<QueueRouting | null> {
  try {
    return (await readQueue(client, taskQueue)).routing;
  } catch (error) {
    if (grpcStatusOf(error) !== null) return null;
    throw error;
  }
}

/** @param routing null if Temporal does not respond */
export function formatWaiting(routing: QueueRouting | null, buildId: string): string {
  if (routing === null) return 'Temporal does not respond; retrying.';
  const to = routing.current === null ? 'workers without a version' : routing.current.buildId;
  return `New runs go to ${to}. Waits until they go to ${buildId} before applying: renderline deployments set-current ${buildId}`;
}
