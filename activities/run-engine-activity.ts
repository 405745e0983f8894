// Runs the engine's own activities: sends heartbeats while they work and maps their errors to failures.
import { Context } from '@temporalio/activity';
import type { AssertLease } from '../src/store/claims/assert-lease.ts';
import { AttemptLease } from './attempt-lease.ts';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { findRateLimitWait, withHeartbeats } from './heartbeats.ts';

export async function runEngineActivity<T>(
  deps: Deps,
  task: (signal: AbortSignal, assertLease: AssertLease) => Promise<T>,
  details?: () => unknown,
): Promise<T> {
  const activity = Context.current();
  const lease = new AttemptLease(deps);
  const assertLease = () => lease.assertLease();
  try {
    return await withHeartbeats(
      () => task(activity.cancellationSignal, assertLease),
      () => findRateLimitWait(deps.client) ?? details?.(),
    );
  } catch (error) {
    throw toFailure(error, activity.info.attempt, deps.secrets);
  }
}
