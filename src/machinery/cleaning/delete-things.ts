// Deletes what files had become on the platform before they changed. Pictures and records of the new version are
// there by then, so nothing here may fail an asset, hold its run for long, or come before other work.
import type { CallOptions, Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { backoffMs, classify } from '../../api/retry.ts';
import { madeOf } from '../../api/things.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Left } from '../../store/records/old-versions.ts';
import { NotDeletedYetError } from '../engine-errors.ts';
import { removeThing } from './remove-thing.ts';

/** Passing troubles, a refused key among them, are borne for so long and so many attempts. */
const bornAtLeastMs = 10 * 60_000;
const triesAtLeast = 20;
/** Longest wait for a place in the rate budget; an attempt of the activity may take ten minutes. */
const budgetWaitMs = 5 * 60_000;

export interface DeletionContext {
  client: Client;
  requests: RequestCounter;
  signal: AbortSignal;
  /** The run is to end, so nothing more is deleted. */
  isEnding: () => boolean;
  attempt: { number: number; firstAtMs: number };
  /** Temporal's time, that of the attempts. */
  runNow: () => number;
}

/**
 * Deletes things one after another; one that stays keeps what it is made of. What is gone already is as good as
 * deleted.
 * @throws NotDeletedYetError for what another attempt may mend.
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

/** @throws what is to be tried again. */
function whyItStays({ kind, id }: PlatformThing, error: unknown, context: DeletionContext): string {
  // A worker that is to stop leaves the rest to another one.
  context.signal.throwIfAborted();
  const message = error instanceof Error ? error.message : String(error);
  const delayMs = againAfterMs(error, context);
  if (delayMs === null) return message;
  throw new NotDeletedYetError(`${kind} ${id} is not deleted yet: ${message}`, delayMs);
}

function leftForLater(things: readonly PlatformThing[]): Left {
  return { things, why: 'the run was cancelled', later: true };
}

/** null where it is of no use, or was tried long enough. */
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
  // Reads have the lowest priority there is.
  return { priority: 'status', maxWaitMs: budgetWaitMs, scope: requests, signal };
}
