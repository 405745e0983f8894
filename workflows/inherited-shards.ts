// Shards that an execution of the run before this one began: their end comes as a signal, unless they broke or were
// terminated, which only a look at them shows.
import { condition, sleep } from '@temporalio/workflow';
import type { RunContext } from '../src/plan/run-context.ts';
import { booksOf } from './activity-options.ts';
import type { OpenShards } from './open-shards.ts';

/** Time between two looks; each one doubles it. */
const lookAfterMs = { least: 10_000, most: 10 * 60_000 };

interface Watching {
  /** Somebody waits for the end of the run. */
  isHasty: () => boolean;
  /** Called for each that has ended without saying so. */
  broke: (shard: number) => Promise<void>;
}

/** Ends when none of them is open any more. */
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
    // Nobody cancels it: that would be one event more, which the run has not counted when it ends.
    const due = sleep(waitMs, { summary: 'do its shards go on?' }).then(() => {
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
