// Watches shards that an earlier execution of the run started. They signal their end, unless they failed or were
// terminated. Only a check of their status shows a failure or termination.
import { condition, sleep } from '@temporalio/workflow';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import { proxyEngineActivity } from '../activity-options.ts';
import type { OpenShards } from './open-shards.ts';

/** Time between two checks. It doubles after each check, and is the minimum while the run is being cancelled. */
const checkDelayMs = { min: 10_000, max: 10 * 60_000 };

interface InheritedShardsWatch {
  /** True if the run is being cancelled, so that somebody waits for its end. */
  isUrgent: () => boolean;
  /** Called for each shard that has closed without a signal. */
  onBroken: (shard: number) => Promise<void>;
}

/** Returns when no inherited shard is open any more. */
export async function watchInheritedShards(
  openShards: OpenShards,
  context: RunContext,
  { isUrgent, onBroken }: InheritedShardsWatch,
): Promise<void> {
  const listClosedShards = proxyEngineActivity('listClosedShards', context);
  let gapMs = checkDelayMs.min;
  while (openShards.inherited().length > 0) {
    const wasUrgent = isUrgent();
    const waitMs = wasUrgent ? checkDelayMs.min : gapMs;
    let isDue = false;
    // The timer is not cancelled, because cancelling it would add an event that the run's event count lacks.
    const due = sleep(waitMs, { summary: 'until open shards are checked' }).then(() => {
      isDue = true;
    });
    due.catch(() => undefined);
    await condition(() => isDue || openShards.inherited().length === 0 || isUrgent() !== wasUrgent);
    if (!isDue) continue;
    gapMs = Math.min(2 * gapMs, checkDelayMs.max);
    for (const shard of await listClosedShards({ context, shards: openShards.inherited() })) {
      await onBroken(shard);
    }
  }
}
