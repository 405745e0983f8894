// Which waiting assets a person approves and rejects, and what is written of it.
import { describe, expect, test } from 'vitest';
import { decide } from '../../../src/app/approvals/decide.ts';
import {
  type AssetVerdict,
  type DecisionOptions,
  judgeAssets,
  readWaitingAssets,
  type WaitingAsset,
} from '../../../src/app/approvals/waiting-assets.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import type { AssetSource } from '../../../src/plan/types.ts';
import type { Manifest } from '../../../src/store/runs/manifest.ts';
import { MemoryConnector } from '../../connectors/_memory-connector.ts';
import { runContext } from '../../engine/_context.ts';
import { asset } from '../../plan/_steps.ts';

const review = { type: 'local', path: '/review' };
const shown = (shard: number, ...keys: string[]) => ({
  shard,
  node: 'look',
  review,
  assets: keys.map((key) => ({
    key,
    pictures: [{ path: `${key}.png`, width: 8, height: 8 }],
  })),
});

async function storeWith(...pages: ReturnType<typeof shown>[]) {
  const store = openRunStore(new MemoryConnector(), runContext());
  for (const page of pages) await store.approvals.show(page);
  return store;
}

const keysOf = (assets: readonly WaitingAsset[]) => assets.map(({ key }) => key).sort();

describe('what waits', () => {
  test('is what was shown and neither decided nor ended', async () => {
    const store = await storeWith(shown(0, 'a', 'b', 'c'), shown(1, 'd', 'e'));
    const note = { by: 'anna@studio', at: '2026-11-27T20:00:00.000Z' };
    await store.approvals.decide({
      shard: 0,
      node: 'look',
      ...note,
      approved: ['a'],
      rejected: [],
    });
    await store.approvals.decide({
      shard: 1,
      node: 'else',
      ...note,
      approved: ['d'],
      rejected: [],
    });
    expect(keysOf(await readWaitingAssets(store, (key) => key === 'e'))).toEqual(['b', 'c', 'd']);
  });

  test('is nothing in a run without an approval node', async () => {
    expect(await readWaitingAssets(await storeWith(), () => false)).toEqual([]);
  });
});

/** The sources of the assets; views are dimensions of a grid. */
const sources: Readonly<Record<string, Partial<AssetSource>>> = {
  'chairs/oslo@front': { cell: { positions: [{ dimension: 'view', name: 'front' }] } as never },
  'chairs/oslo@side': { cell: { positions: [{ dimension: 'view', name: 'side' }] } as never },
  table: {},
};
const manifest = {
  page: async () =>
    Object.entries(sources).map(([key, source]) => {
      const known = asset(key);
      return { ...known, source: { ...known.source, ...source }, reason: 'new' };
    }),
} as unknown as Manifest;
const waiting: WaitingAsset[] = Object.keys(sources).map((key) => ({
  ...shown(0),
  key,
  pictures: [],
}));
const [front = '', side = '', table = ''] = Object.keys(sources);

describe('a decision', () => {
  test.each<[string, DecisionOptions, approve: string[], reject: string[]]>([
    ['is about all assets', {}, [front, side, table], []],
    ['--only: a key', { only: [table] }, [table], []],
    ['--only: a glob', { only: ['chairs/**'] }, [front, side], []],
    ['--where: a condition', { where: 'view == "side"' }, [side], []],
    ['--reject: the others are approved', { reject: 'view == "side"' }, [front, table], [side]],
    [
      '--only with --reject: the others wait',
      { only: ['chairs/**'], reject: 'view == "side"' },
      [front],
      [side],
    ],
    [
      '--only with --reject of all: nothing is approved',
      { only: [table], reject: 'true' },
      [],
      [table],
    ],
  ])('%s', async (_what, options, approve, reject) => {
    const verdicts = await judgeAssets(waiting, options, 'r-1', { manifest });
    const keys = (wanted: AssetVerdict['verdict']) =>
      verdicts.flatMap(({ asset: { key }, verdict }) => (verdict === wanted ? [key] : []));
    expect([keys('approve'), keys('reject')]).toEqual([approve, reject]);
    expect(verdicts).toHaveLength(waiting.length);
  });

  test.each<[string, DecisionOptions]>([
    ['NO_MATCH', { only: ['nothing'] }],
    ['WHERE', { where: 'veiw == "side"' }],
    ['WHERE', { reject: 'view = "side"' }],
  ])('%s: %j', async (code, options) => {
    const judged = judgeAssets(waiting, options, 'r-1', { manifest });
    await expect(judged).rejects.toMatchObject(code === 'WHERE' ? { failure: { code } } : { code });
  });
});

describe('writing', () => {
  const identity = 'anna@studio';
  function client(historyLength = 100) {
    const signals: unknown[][] = [];
    const handle = {
      describe: async () => ({ historyLength }),
      signal: async (...signal: unknown[]) => void signals.push(signal),
    };
    const fake = {
      options: { identity },
      workflow: { getHandle: () => handle },
      withDeadline: (_at: unknown, work: () => unknown) => work(),
    };
    return { signals, client: fake as never };
  }

  test('a thousand decisions in forty shards are forty pages and one signal without keys', async () => {
    const store = await storeWith();
    const verdicts = Array.from({ length: 1_000 }, (_, index): AssetVerdict => {
      const known = { ...shown(index % 40), key: `asset-${index}`, pictures: [] };
      return { asset: known, verdict: index < 10 ? 'reject' : 'approve' };
    });
    const { signals, client: fake } = client();
    await decide(fake, 'r-1', store, verdicts, 'too dark');
    expect(signals).toEqual([
      [
        'decide',
        {
          steps: ['look'],
          shards: Array.from({ length: 40 }, (_, shard) => shard),
          approved: 990,
          rejected: 10,
          reason: 'too dark',
        },
      ],
    ]);
    const decisions = await store.approvals.decisions('look');
    expect(decisions.size).toBe(1_000);
    expect(decisions.get('asset-3')).toEqual({
      outcome: 'rejected',
      by: identity,
      at: expect.any(String),
      reason: 'too dark',
    });
    expect((await store.approvals.decisions('look', 7)).size).toBe(25);
  });

  test('a run with a long history gets no signal, and its shards find the decision when they poll', async () => {
    const store = await storeWith();
    const [first] = waiting;
    const verdicts = first ? [{ asset: first, verdict: 'approve' } as const] : [];
    const { signals, client: fake } = client(10_000);
    await decide(fake, 'r-1', store, verdicts, undefined);
    expect(signals).toEqual([]);
    expect((await store.approvals.decisions('look', 0)).get(front)?.outcome).toBe('approved');
  });

  test('nothing is rejected without a reason', async () => {
    const [first] = waiting;
    const verdicts = first ? [{ asset: first, verdict: 'reject' } as const] : [];
    const { signals, client: fake } = client();
    const store = await storeWith();
    await expect(decide(fake, 'r-1', store, verdicts, undefined)).rejects.toMatchObject({
      code: 'REJECTED_WITHOUT_REASON',
    });
    expect(signals).toEqual([]);
    expect((await store.approvals.decisions('look')).size).toBe(0);
  });
});
