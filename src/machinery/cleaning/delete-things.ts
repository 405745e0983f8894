// Deletes the platform's resources of old file versions. The images and records of the new version exist by then, so
// nothing here may fail an asset, delay its run for long, or take precedence over other work.
import type { CallOptions, Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { backoffMs, classify } from '../../api/retry.ts';
import { madeOf } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Left } from '../../store/records/old-versions.ts';
import { NotDeletedYetError } from '../engine-errors.ts';
import { removeThing } from './remove-thing.ts';

/** Temporary errors, including a refused API key, are retried at least this long and this often. */
const bornAtLeastMs = 10 * 60_000;
const triesAtLeast = 20;
/** Maximum wait for the rate budget; an attempt of the activity may take ten minutes. */
const budgetWaitMs = 5 * 60_000;

export interface DeletionContext {
  client: Client;
  requests: RequestCounter;
  signal: AbortSignal;
  /** True once the run is ending, so that nothing more is deleted. */
  isEnding: () => boolean;
  attempt: { number: number; firstAtMs: number };
  /** Temporal's time, that of the attempts. */
  runNow: () => number;
}

/**
 * Deletes resources one after another. If a resource cannot be deleted, the resource it was created from stays too. A missing
 * resource counts as deleted.
 * @returns what remains and why; null if everything was deleted
 * @throws NotDeletedYetError if another attempt may succeed
 */
export async function deleteThings(
  things: readonly PlatformThing[],
  context: DeletionContext,
): Promise<Left | null> {
  const left: PlatformThing[] = [];
  let why = '';
  for (const [index, thing] of things.entries()) {
    if (context.isEnding()) return leftForLater([...left, ...things.slice(index)]);
    if (left.some(({ kind }) => madeOf(kind) === thing.kind)) {
      left.push(thing);
      continue;
    }
    try {
      await removeThing(context.client, thing, callOptions(context));
    } catch (error) {
      if (context.isEnding()) return leftForLater([...left, ...things.slice(index)]);
      why ||= whyItStays(thing, error, context);
      left.push(thing);
    }
  }
  return left.length === 0 ? null : { things: left, why, later: false };
}

/** The reason why a resource remains. @throws NotDeletedYetError if the deletion should be retried */
function whyItStays({ kind, id }: PlatformThing, error: unknown, context: DeletionContext): string {
  // A stopping worker leaves the rest to another worker.
  context.signal.throwIfAborted();
  const message = error instanceof Error ? error.message : String(error);
  const delayMs = againAfterMs(error, context);
  if (delayMs === null) return message;
  throw new NotDeletedYetError(`${kind} ${id} is not deleted yet: ${message}`, delayMs);
}

function leftForLater(things: readonly PlatformThing[]): Left {
  return { things, why: 'the run was cancelled', later: true };
}

/** Delay before a retry, ms; null if a retry is useless or there were enough attempts. */
function againAfterMs(
  error: unknown,
  { attempt: { number, firstAtMs }, runNow }: DeletionContext,
): number | null {
  const answer = classify(error);
  if (answer.kind === 'never') return null;
  if (number >= triesAtLeast && runNow() - firstAtMs >= bornAtLeastMs) return null;
  return 'delayMs' in answer ? answer.delayMs : backoffMs(number);
}

function callOptions({ requests, signal }: DeletionContext): CallOptions {
  // `status` is the lowest priority.
  return { priority: 'status', maxWaitMs: budgetWaitMs, scope: requests, signal };
}
