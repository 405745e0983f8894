// An unfinished call about assets that several later runs take over. Whichever run finishes the call, it is paid once.
import { describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/features/run-store.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import {
  assetOf,
  dead,
  manifestAsset,
  recipe,
  settledAs,
  sourceOf,
  startMs,
  withManifest,
} from './_store.ts';

const step = 'shots.project';
const keys = ['one', 'two'];

/** Runs in one place, with a clock that advances by a second at each step. */
function scene() {
  const bucket = new MemoryBucket();
  let nowMs = startMs;
  const runs = new Map<string, RunStore>();
  const storeOf = (run: string) => {
    const context = { run, lineage: run, pipeline: 'shoes', recipe };
    const connector = new MemoryConnector(bucket);
    const store = runs.get(run) ?? openRunStore(connector, context, { now: () => nowMs });
    runs.set(run, store);
    return store;
  };
  const tick = () => {
    nowMs += 1_000;
  };
  return {
    storeOf,
    opens: async (run: string, ...some: string[]) => {
      tick();
      const store = await withManifest(
        storeOf(run),
        some.map((key) => manifestAsset(key)),
      );
      return (await openShard(store, 0, dead)).assets;
    },
    begins: async (run: string) => {
      tick();
      const bodyText = '{"modelIds":["m1","m2"]}';
      const createdAt = new Date(nowMs).toISOString();
      const wish = { operation: 'createProjects', key: 'k', bodyText, assets: keys, createdAt };
      await storeOf(run).intents(0, step).open(wish);
    },
    ends: async (run: string) => {
      tick();
      const made = (projectId: string): PlatformIds => ({ projectId, lastCreatedAtMs: nowMs });
      await storeOf(run)
        .intents(0, step)
        .finish('k', { one: made('p1'), two: made('p2') });
    },
    settles: async (
      run: string,
      outcome: 'cancelled' | 'failed',
      platformIds: Record<string, PlatformIds>,
    ) => {
      tick();
      const finalized = Object.entries(platformIds).map(([key, some]) =>
        settledAs(outcome, assetOf(key, { ...some, lastCreatedAtMs: nowMs })),
      );
      await finalizePart(storeOf(run), { shard: 0, part: 0, finalized });
    },
    listed: async (run: string) =>
      (await storeOf(run).intents(0, step).list()).map(({ key, state }) => `${key} ${state}`),
  };
}

describe('an unfinished call of a terminated run', () => {
  it('a second run sees the call as done when the first finishes it, even if both took over its assets before', async () => {
    const { opens, begins, ends, listed } = scene();
    await opens('terminated', ...keys);
    await begins('terminated');
    await opens('a', 'one');
    await opens('b', 'two');
    await ends('a');
    expect(await listed('b')).toEqual(['k done']);
  });

  it('a call that another run has finished returns its ids to a later run', async () => {
    const { opens, begins, ends, settles } = scene();
    await opens('terminated', ...keys);
    await begins('terminated');
    await settles('terminated', 'cancelled', { one: { modelId: 'm1' }, two: { modelId: 'm2' } });
    await opens('a', 'one');
    await ends('a');
    expect(await opens('b', 'two')).toMatchObject([
      { platformIds: { modelId: 'm2', projectId: 'p2' } },
    ]);
  });

  it('a call that another run has finished is known to a run that takes over from one that saw it open', async () => {
    const { opens, begins, ends } = scene();
    await opens('terminated', ...keys);
    await begins('terminated');
    await opens('a', 'one');
    await opens('b', 'two');
    await ends('a');
    expect(await opens('c', 'two')).toMatchObject([{ platformIds: { projectId: 'p2' } }]);
  });

  it('a call returns no ids that a later run has found missing', async () => {
    const { opens, begins, ends, settles, listed } = scene();
    await opens('terminated', ...keys);
    await begins('terminated');
    await opens('a', ...keys);
    await ends('a');
    await settles('a', 'failed', { one: { modelId: 'm1' }, two: { modelId: 'm2' } });
    const opened = await opens('b', ...keys);
    expect(opened.map(({ platformIds }) => [platformIds.modelId, platformIds.projectId])).toEqual([
      ['m1', undefined],
      ['m2', undefined],
    ]);
    expect(await listed('b')).toEqual([]);
  });
});

describe('an ambiguous call about a file that has changed since', () => {
  const possibleDuplicate = 'createProjects was sent again';

  /** The ids with which the run after an ambiguous call starts. */
  async function next(settled: boolean) {
    const { storeOf, opens, begins, settles } = scene();
    await opens('a', ...keys);
    await begins('a');
    const made = { modelId: 'm1', possibleDuplicate, lastCreatedAtMs: startMs + 3_000 };
    await storeOf('a').intents(0, step).finish('k', { one: made });
    if (settled) await settles('a', 'failed', { one: { modelId: 'm1' } });
    const changed = manifestAsset('one', { source: sourceOf('one', '2-2') });
    const store = await withManifest(storeOf('b'), [changed]);
    return (await openShard(store, 0, dead)).assets.map(({ platformIds }) => platformIds);
  }

  it('the call is reported by the next run if its own run was terminated', async () => {
    expect(await next(false)).toEqual([{ possibleDuplicate }]);
  });

  it('the call is not reported again if its own run has reported it', async () => {
    expect(await next(true)).toEqual([{}]);
  });
});
