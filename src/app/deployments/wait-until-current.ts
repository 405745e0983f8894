// Waits until new runs go to this program's build, because other versions may not understand its plans.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import { exitCode } from '../../failures/exit-code.ts';
import { findGrpcStatus } from '../../failures/grpc-status.ts';
import { type QueueRouting, readQueue } from '../../temporal/deployments/queue-routing.ts';
import type { App } from '../app.ts';
import { explainError } from '../renderline-error.ts';
import { readVersionRequest } from '../worker/worker-version.ts';

const pollIntervalMs = 5_000;
/** Maximum number of consecutive access denials: a minute in total, so that an API key file can be replaced. */
const maxDenials = 12;

/**
 * Waits without a timeout, retries if Temporal does not respond, and emits notes about what it waits for.
 * @param pause called between two reads
 * @throws Temporal's error if it denies access for a minute
 */
export async function waitUntilCurrent(
  app: App,
  client: Client,
  taskQueue: string,
  pause: () => Promise<unknown> = () => sleep(pollIntervalMs),
): Promise<void> {
  const { deployment, buildId } = readVersionRequest({}, app.env);
  let lastMessage = '';
  let denials = 0;
  for (;;) {
    const routing = await readRouting(client, taskQueue, denials < maxDenials);
    denials = routing === 'denied' ? denials + 1 : 0;
    const current = routing === 'denied' ? null : (routing?.current ?? null);
    if (current?.buildId === buildId && (deployment ?? current.deployment) === current.deployment) {
      return;
    }
    const message = formatWaiting(routing, buildId);
    if (message !== lastMessage) app.note(message);
    lastMessage = message;
    await pause();
  }
}

/** The routing, or `denied` if Temporal denies access, or null after any other gRPC error. */
type ReadRouting = QueueRouting | 'denied' | null;

async function readRouting(
  client: Client,
  taskQueue: string,
  toleratesDenial: boolean,
): Promise<ReadRouting> {
  try {
    return (await readQueue(client, taskQueue)).routing;
  } catch (error) {
    const isDenied = explainError(error).exit === exitCode.auth;
    if (findGrpcStatus(error) === null || (isDenied && !toleratesDenial)) throw error;
    return isDenied ? 'denied' : null;
  }
}

export function formatWaiting(routing: ReadRouting, buildId: string): string {
  if (routing === null) return 'Temporal does not respond; retrying.';
  if (routing === 'denied') return 'Temporal denies access; retrying for a minute.';
  const target = routing.current === null ? 'unversioned workers' : routing.current.buildId;
  return `New runs still go to ${target}. Waiting until they go to ${buildId}. To route them to this build now: renderline deployments set-current ${buildId}`;
}
