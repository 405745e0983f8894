// The activity that makes this worker the poll leader for as long as the attempt lasts.
import { Context } from '@temporalio/activity';
import type { Deps } from './deps.ts';
import { handOverFailure } from './failures.ts';
import { withHeartbeats } from './heartbeats.ts';

const heartbeatMs = 1_000;

export async function holdPollLeadership({ pollLeader }: Pick<Deps, 'pollLeader'>): Promise<never> {
  const { cancellationSignal } = Context.current();
  await withHeartbeats(() => pollLeader.lead(cancellationSignal), undefined, heartbeatMs);
  cancellationSignal.throwIfAborted();
  throw handOverFailure();
}
