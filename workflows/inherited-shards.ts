// Shards that an execution of the run before this one began: their end comes as a signal, unless they broke or were
// terminated, which only a look at them shows.
import { condition } from '@temporalio/workflow';
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
    const isOver = () => open.inherited().length === 0 || isHasty() !== wasHasty;
    if (await condition(isOver, waitMs)) continue;
    gapMs = Math.min(2 * gapMs, lookAfterMs.most);
    for (const shard of await closed_shards({ context, shards: open.inherited() })) {
      await broke(shard);
    }
  }
}
