// Deletes the platform resources of old file versions once the new version is complete. A failed deletion must not fail
// an asset, delay its run for long, or take precedence over other work.
import type { CallOptions, Client } from '../../api/client.ts';
import { classify, computeBackoffMs } from '../../api/errors/retry.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { deletionOf, findParentKind } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { AssertLease } from '../../store/claims/assert-lease.ts';
import type { RemainingResources } from '../../store/runs/old-versions.ts';
import { NotDeletedYetError } from '../engine-errors.ts';
import { nullIfNotFound } from '../null-if-not-found.ts';

/** Temporary errors, including a refused API key, are retried until both this time and this count are reached. */
const minRetryMs = 10 * 60_000;
const minAttempts = 20;
/** Maximum wait of one deletion for the rate budget. */
const budgetWaitMs = 5 * 60_000;

export interface DeletionContext {
  client: Client;
  requests: RequestCounter;
  signal: AbortSignal;
  assertLease: AssertLease;
  /** True once the run is ending, after which nothing more is deleted. */
  isEnding: () => boolean;
  attempt: { number: number; firstAtMs: number };
  /** Temporal's time, epoch ms, as in `attempt`. */
  runNow: () => number;
}

/**
 * Deletes resources one after another. If a resource cannot be deleted, the resource that it was created from is also
 * kept. A missing resource counts as deleted.
 * @returns what remains and why, or null if everything was deleted
 * @throws NotDeletedYetError if another attempt may succeed; the error of `assertLease`
 */
export async function deleteResources(
  resources: readonly PlatformResource[],
  context: DeletionContext,
): Promise<RemainingResources | null> {
  const remainingResources: PlatformResource[] = [];
  let reason = '';
  for (const [index, resource] of resources.entries()) {
    if (context.isEnding())
      return remainderAfterCancel([...remainingResources, ...resources.slice(index)]);
    if (remainingResources.some(({ kind }) => findParentKind(kind) === resource.kind)) {
      remainingResources.push(resource);
      continue;
    }
    let isStale = false;
    const beforeSend = () =>
      context.assertLease().catch((error: unknown) => {
        isStale = true;
        throw error;
      });
    try {
      await deleteResource(context.client, resource, { ...callOptions(context), beforeSend });
    } catch (error) {
      if (isStale) throw error;
      if (context.isEnding())
        return remainderAfterCancel([...remainingResources, ...resources.slice(index)]);
      reason ||= findReasonToKeep(resource, error, context);
      remainingResources.push(resource);
    }
  }
  return remainingResources.length === 0
    ? null
    : { resources: remainingResources, reason, isRetriedNextRun: false };
}

/** Finds the reason for keeping a resource. @throws NotDeletedYetError if the deletion should be retried */
function findReasonToKeep(
  { kind, id }: PlatformResource,
  error: unknown,
  context: DeletionContext,
): string {
  // A stopping worker ends here, and another worker does the rest.
  context.signal.throwIfAborted();
  const message = error instanceof Error ? error.message : String(error);
  const delayMs = retryDelayMs(error, context);
  if (delayMs === null) return message;
  throw new NotDeletedYetError(`${kind} ${id} is not deleted yet: ${message}`, delayMs);
}

/** Deletes a resource permanently. A missing resource counts as deleted. */
export async function deleteResource(
  client: Client,
  { kind, id }: PlatformResource,
  options: CallOptions,
): Promise<void> {
  const { operation, input } = deletionOf(kind, id);
  await nullIfNotFound(() => client.send(operation, input, options));
}

function remainderAfterCancel(resources: readonly PlatformResource[]): RemainingResources {
  return { resources, reason: 'the run was cancelled', isRetriedNextRun: true };
}

/** Returns the delay before the next attempt, in ms, or null if another attempt is useless or there were enough. */
function retryDelayMs(
  error: unknown,
  { attempt: { number, firstAtMs }, runNow }: DeletionContext,
): number | null {
  const decision = classify(error);
  if (decision.kind === 'never') return null;
  if (number >= minAttempts && runNow() - firstAtMs >= minRetryMs) return null;
  return 'delayMs' in decision ? decision.delayMs : computeBackoffMs(number);
}

function callOptions({ requests, signal }: DeletionContext): CallOptions {
  // `status` is the lowest priority.
  return { priority: 'status', maxWaitMs: budgetWaitMs, requestCounter: requests, signal };
}
