// Watches shards that an earlier execution of the run started. They report their end by a signal, unless they failed
// or were terminated, which only a check of their status shows.
import { condition, sleep } from '@temporalio/workflow';
import type { RunContext } from '../src/plan/run-context.ts';
import { booksOf } from './activity-options.ts';
import type { OpenShards } from './open-shards.ts';

/** Time between two checks; doubled after each check. */
const lookAfterMs = { least: 10_000, most: 10 * 60_000 };

interface Watching {
  /** Somebody waits for the end of the run. */
  isHasty: () => boolean;
  /** Called for each shard that has closed without a signal. */
  broke: (shard: number) => Promise<void>;
}

/** Returns when none of them is open any more. */
export async function watchInherited(
  open: OpenShards,
  context: RunContext,
  { isHasty, broke }: Watching,
): Promise<void> {
  const { closed_shards } = booksOf(context);
  let gapMs = lookAfterMs.least;
  while (open.inherited().length > 0) {
    const wasHasty = isHasty();
    const waitMs = wasHasty ? lookAfterMs.least : gapMs;
    let isDue = false;
    // The timer is not cancelled: that would add an event, which the run has not counted when it ends.
    const due = sleep(waitMs, { summary: 'check open shards' }).then(() => {
      isDue = true;
    });
    due.catch(() => undefined);
    await condition(() => isDue || open.inherited().length === 0 || isHasty() !== wasHasty);
    if (!isDue) continue;
    gapMs = Math.min(2 * gapMs, lookAfterMs.most);
    for (const shard of await closed_shards({ context, shards: open.inherited() })) {
      await broke(shard);
    }
  }
}
