// The activity that makes this worker the poll leader for as long as the attempt lasts.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';
import { handedOn } from './failures.ts';

const beatMs = 1_000;

export async function keepLookout({ lookoutPost }: Pick<Deps, 'lookoutPost'>): Promise<never> {
  const activity = Context.current();
  const beating = setInterval(() => activity.heartbeat(), beatMs);
  try {
    await lookoutPost.hold(activity.cancellationSignal);
  } finally {
    clearInterval(beating);
  }
  activity.cancellationSignal.throwIfAborted();
  throw handedOn();
}
