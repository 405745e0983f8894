// Warnings about possible duplicates that a run takes over from runs that died before they reported them.
import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore, StoreContext } from '../../src/store/runs/run-store.ts';
import { dead, manifestAsset, storesOver, withManifest } from './_store.ts';

type Stores = ReturnType<typeof storesOver>;

const otherRecipe = 'bbbbbbbb00000000';

/** A run whose only shard contains the asset `one`. */
function runOf(store: RunStore): Promise<RunStore> {
  return withManifest(store, [manifestAsset('one')]);
}

/** Returns the ids with which a run after these runs starts. */
async function adopted(
  before: (stores: Stores) => Promise<void>,
  more: Partial<StoreContext> = {},
): Promise<PlatformIds> {
  const stores = storesOver();
  await before(stores);
  const { assets } = await openShard(await runOf(stores('new', more)), 0, dead);
  return assets[0]?.platformIds ?? {};
}

describe('possible duplicates of runs that died', () => {
  const createJob = 'createJob was sent again';
  const createRenders = 'createRenders was sent again';

  /** A run that dies after two ambiguous calls have returned ids. */
  async function dieAfterTwoCalls(stores: Stores) {
    const store = await runOf(stores('old'));
    await openShard(store, 0, dead);
    const answers: [string, PlatformIds][] = [
      ['take', { modelId: 'm', possibleDuplicate: createJob }],
      ['shots', { projectId: 'p', jobId: 'j', possibleDuplicate: createRenders }],
    ];
    for (const [step, answer] of answers) {
      const call = { operation: step, key: step, bodyText: '', assets: ['one'] };
      await store.intents(0, step).open({ ...call, createdAt: '2026-03-01T10:00:00.000Z' });
      await store.intents(0, step).finish(step, { one: answer });
    }
  }

  /** Another run takes over from the first one, makes an ambiguous call itself, and dies. */
  async function dieAfterTakeOver(stores: Stores) {
    await dieAfterTwoCalls(stores);
    const store = await runOf(stores('middle'));
    await openShard(store, 0, dead);
    const call = { operation: 'addColorway', key: 'k', bodyText: '', assets: ['one'] };
    await store.intents(0, 'look').open({ ...call, createdAt: '2026-03-01T10:00:00.000Z' });
    const answer = {
      colorway: { before: 'marks', batchId: 'c' },
      possibleDuplicate: 'addColorway was sent again',
    };
    await store.intents(0, 'look').finish('k', { one: answer });
  }

  it.each([
    ['of two calls are both adopted', dieAfterTwoCalls, {}],
    ['are adopted although the recipe has changed', dieAfterTwoCalls, { recipe: otherRecipe }],
  ])('possible duplicates %s', async (_what, before, more) => {
    const { possibleDuplicate } = await adopted(before, more);
    expect(possibleDuplicate?.split('\n').sort()).toEqual([createJob, createRenders]);
  });

  it('possible duplicates that a run adopted before it died are adopted with its own', async () => {
    const { possibleDuplicate } = await adopted(dieAfterTakeOver);
    const expected = ['addColorway was sent again', createJob, createRenders];
    expect(possibleDuplicate?.split('\n').sort()).toEqual(expected);
  });
});
