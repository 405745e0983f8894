// The activity that makes this worker the poll leader for as long as the attempt lasts.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';
import { handOverFailure } from './failures.ts';

const heartbeatMs = 1_000;

export async function holdPollLeadership({ pollLeader }: Pick<Deps, 'pollLeader'>): Promise<never> {
  const activity = Context.current();
  const timer = setInterval(() => activity.heartbeat(), heartbeatMs);
  try {
    await pollLeader.lead(activity.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
  activity.cancellationSignal.throwIfAborted();
  throw handOverFailure();
}
