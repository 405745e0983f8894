// The engine's own work in activities: signs of life while it goes on, and what its errors mean.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';
import { toFailure } from './failures.ts';
import { whileBeating } from './heartbeats.ts';

export async function bookkeeping<T>(
  deps: Deps,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const activity = Context.current();
  try {
    return await whileBeating(() => work(activity.cancellationSignal));
  } catch (error) {
    throw toFailure(error, activity.info.attempt, deps.secrets);
  }
}
