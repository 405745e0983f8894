// A status poller of strings with a test clock. The test decides what each poll returns.
import type { Client } from '../../../src/api/client.ts';
import type { PollBudget } from '../../../src/api/rate-limit/budget.ts';
import type { PollerContext } from '../../../src/engine/polling/poller-context.ts';
import { type PolledWork, StatusPoller } from '../../../src/engine/polling/status-poller.ts';
import { WakeUps } from '../../../src/engine/polling/wake-ups.ts';

/** A poller context that provides only the time, the budget and wake-ups. */
export function pollerContextOf(
  now: () => number,
  pollBudget: PollBudget = { limit: undefined, pressure: () => 0 },
): PollerContext {
  // Status pollers use nothing else of the client.
  const client = { pollBudget } as unknown as Client;
  return { client, monotonicNow: now, wakeUps: new WakeUps(now), lags: [], base: null };
}

/** A poller of items that are finished once they are `ready`. */
export function statusPollerOf(
  context: PollerContext,
  work: Pick<PolledWork<string, string>, 'read'> & Partial<PolledWork<string, string>>,
): StatusPoller<string, string> {
  const usual = {
    name: 'things',
    idOf: (id: string) => id,
    isFinished: (status: string) => status === 'ready',
    pageSize: 100,
  };
  return new StatusPoller({ ...usual, ...work }, context);
}
