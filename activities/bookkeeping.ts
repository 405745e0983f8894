// Runs the engine's own activities: sends heartbeats while they work and maps their errors to failures.
import { Context } from '@temporalio/activity';
import type { Hold } from '../src/store/claims/hold.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';
import { Lease } from './lease.ts';

export async function bookkeeping<T>(
  deps: Deps,
  work: (signal: AbortSignal, hold: Hold) => Promise<T>,
  details?: () => unknown,
): Promise<T> {
  const activity = Context.current();
  const lease = new Lease(deps);
  const hold = () => lease.hold();
  try {
    return await whileBeating(() => work(activity.cancellationSignal, hold), details);
  } catch (error) {
    throw toFailure(error, activity.info.attempt, deps.secrets);
  }
}
