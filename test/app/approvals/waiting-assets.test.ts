// Which waiting assets a decision approves and rejects, and what is stored.
import { WorkflowNotFoundError } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { decide, decidePictures } from '../../../src/app/approvals/decide.ts';
import {
  type ApprovalVerdict,
  type AssetVerdict,
  type DecisionOptions,
  decideVerdicts,
} from '../../../src/app/approvals/verdicts.ts';
import {
  mayAwaitDecisions,
  readWaitingAssets,
  type WaitingAsset,
} from '../../../src/app/runs/waiting-assets.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';
import type { AssetSource } from '../../../src/plan/types.ts';
import type { RunAssets } from '../../../src/store/runs/run-assets.ts';
import { MemoryBucket, MemoryConnector } from '../../connectors/_memory-connector.ts';
import { runContext } from '../../engine/_context.ts';
import { asset } from '../../plan/_steps.ts';

const because = (reason?: string) => ({ reason, nowMs: Date.UTC(2026, 10, 21) });

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

describe('waiting assets', () => {
  test('the waiting assets are those that were shown and are neither decided nor finished', async () => {
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

  test.each<[string, string[], boolean]>([
    ['while one is undecided', ['a'], true],
    ['only until all are decided, even if the run has not read the decisions', ['a', 'b'], false],
  ])('assets await decisions %s', async (_what, approved, awaits) => {
    const store = await storeWith(shown(0, 'a', 'b'));
    const note = { by: 'anna@studio', at: '2026-11-27T20:00:00.000Z' };
    await store.approvals.decide({ shard: 0, node: 'look', ...note, approved, rejected: [] });
    expect(await mayAwaitDecisions(store, 'r-1')).toBe(awaits);
  });

  test('assets may await decisions if this machine does not have the records', async () => {
    expect(await mayAwaitDecisions(await storeWith(), 'r-1')).toBe(true);
  });

  test('a run without an approval node has no waiting assets', async () => {
    expect(await readWaitingAssets(await storeWith(), () => false)).toEqual([]);
  });
});

/** The sources of the assets; views are dimensions of a grid. */
const sources: Readonly<Record<string, Partial<AssetSource>>> = {
  'chairs/oslo@front': { cell: { positions: [{ dimension: 'view', name: 'front' }] } as never },
  'chairs/oslo@side': { cell: { positions: [{ dimension: 'view', name: 'side' }] } as never },
  table: {},
};
const runAssets = {
  page: async () =>
    Object.entries(sources).map(([key, source]) => {
      const known = asset(key);
      return { ...known, source: { ...known.source, ...source }, reason: 'new' };
    }),
} as unknown as RunAssets;
const waiting: WaitingAsset[] = Object.keys(sources).map((key) => ({
  ...shown(0),
  key,
  pictures: [],
}));
const [front = '', side = '', table = ''] = Object.keys(sources);

describe('a decision about waiting assets', () => {
  test.each<[string, DecisionOptions, approve: string[], reject: string[]]>([
    ['all assets are approved by default', {}, [front, side, table], []],
    ['--only with a key', { only: [table] }, [table], []],
    ['--only with a glob', { only: ['chairs/**'] }, [front, side], []],
    ['--where with a condition', { where: 'view == "side"' }, [side], []],
    ['--reject approves the others', { reject: 'view == "side"' }, [front, table], [side]],
    [
      '--only with --reject leaves the others waiting',
      { only: ['chairs/**'], reject: 'view == "side"' },
      [front],
      [side],
    ],
    [
      '--only with --reject of all approves nothing',
      { only: [table], reject: 'true' },
      [],
      [table],
    ],
  ])('a decision is applied: %s', async (_what, options, approve, reject) => {
    const verdicts = await decideVerdicts(waiting, options, 'r-1', { runAssets });
    const keys = (wanted: AssetVerdict['verdict']) =>
      verdicts.flatMap(({ asset: { key }, verdict }) => (verdict === wanted ? [key] : []));
    expect([keys('approve'), keys('reject')]).toEqual([approve, reject]);
    expect(verdicts).toHaveLength(waiting.length);
  });

  test.each<[string, DecisionOptions]>([
    ['NO_MATCH', { only: ['nothing'] }],
    ['WHERE', { where: 'veiw == "side"' }],
    ['WHERE', { reject: 'view = "side"' }],
  ])('a decision fails with %s for %j', async (code, options) => {
    const judged = decideVerdicts(waiting, options, 'r-1', { runAssets });
    await expect(judged).rejects.toMatchObject(code === 'WHERE' ? { failure: { code } } : { code });
  });
});

describe('storing decisions', () => {
  const identity = 'anna@studio';
  function client(historyLength = 100, by = identity, status = 'RUNNING') {
    const signals: unknown[][] = [];
    const handle = {
      describe: async () => ({
        workflowId: 'r-1',
        type: workflowNames.run,
        status: { name: status },
        startTime: new Date(0),
        raw: {},
        historyLength,
      }),
      signal: async (...signal: unknown[]) => {
        if (status !== 'RUNNING') throw new WorkflowNotFoundError('ended', 'r-1', undefined);
        signals.push(signal);
      },
    };
    const fake = {
      options: { identity: by },
      workflow: { getHandle: () => handle },
      withDeadline: (_at: unknown, work: () => unknown) => work(),
    };
    return { signals, client: fake as never };
  }

  test('a thousand decisions in forty shards send one signal without keys, and are stored by shard', async () => {
    const store = await storeWith();
    const verdicts = Array.from({ length: 1_000 }, (_, index): AssetVerdict => {
      const known = { ...shown(index % 40), key: `asset-${index}`, pictures: [] };
      return { asset: known, verdict: index < 10 ? 'reject' : 'approve' };
    });
    const { signals, client: fake } = client();
    await decide(fake, 'r-1', store, verdicts, because('too dark'));
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
    await decide(fake, 'r-1', store, verdicts, because());
    expect(signals).toEqual([]);
    expect((await store.approvals.decisions('look', 0)).get(front)?.outcome).toBe('approved');
  });

  test.each([100, 10_000])(
    'a run that has ended in the meantime, after %d events, is reported',
    async (events) => {
      const { client: fake } = client(events, identity, 'COMPLETED');
      const decided = decide(fake, 'r-1', await storeWith(), approve('a'), because());
      await expect(decided).rejects.toMatchObject({ code: 'RUN_ENDED' });
    },
  );

  test('nothing is rejected without a reason', async () => {
    const [first] = waiting;
    const verdicts = first ? [{ asset: first, verdict: 'reject' } as const] : [];
    const { signals, client: fake } = client();
    const store = await storeWith();
    await expect(decide(fake, 'r-1', store, verdicts, because())).rejects.toMatchObject({
      code: 'REJECTED_WITHOUT_REASON',
    });
    expect(signals).toEqual([]);
    expect((await store.approvals.decisions('look')).size).toBe(0);
  });

  const verdictOn = (key: string, verdict: ApprovalVerdict): AssetVerdict => ({
    asset: { ...shown(0), key, pictures: [] },
    verdict,
  });
  const approve = (...keys: string[]) => keys.map((key) => verdictOn(key, 'approve'));
  const reject = (...keys: string[]) => keys.map((key) => verdictOn(key, 'reject'));
  const bob = () => client(100, 'bob@studio').client;

  test('a second person gets the earlier decisions, and decides only about the rest', async () => {
    const store = await storeWith();
    await decide(client().client, 'r-1', store, reject('a', 'b'), because('too dark'));
    const { signals, client: fake } = client(100, 'bob@studio');
    const result = await decide(fake, 'r-1', store, approve('a', 'b', 'c'), because());
    const first = { node: 'look', outcome: 'rejected', by: identity, reason: 'too dark' };
    expect(result).toEqual({
      decided: { approved: 1, rejected: 0, waiting: 0 },
      earlier: ['a', 'b'].map((key) => ({ key, ...first, at: expect.any(String) })),
    });
    expect(signals).toEqual([
      ['decide', { steps: ['look'], shards: [0], approved: 1, rejected: 0 }],
    ]);
    expect((await store.approvals.decisions('look')).get('a')?.outcome).toBe('rejected');
  });

  test('one of two simultaneous decisions wins, and the result of the other contains it', async () => {
    const store = await storeWith();
    const results = await Promise.all([
      decide(client().client, 'r-1', store, reject('a'), because('too dark')),
      decide(bob(), 'r-1', store, approve('a'), because()),
    ]);
    const standing = (await store.approvals.decisions('look')).get('a');
    const [winner, loser] = standing?.by === identity ? results : results.toReversed();
    expect(winner?.earlier).toEqual([]);
    expect(loser).toMatchObject({
      decided: { approved: 0, rejected: 0 },
      earlier: [{ key: 'a', ...standing }],
    });
  });

  test('a decision that is repeated sends nothing', async () => {
    const store = await storeWith();
    await decide(bob(), 'r-1', store, approve('a'), because());
    const { signals, client: fake } = client();
    const result = await decide(fake, 'r-1', store, approve('a'), because());
    expect(result.decided).toEqual({ approved: 0, rejected: 0, waiting: 0 });
    expect(signals).toEqual([]);
  });

  test('approved assets do not receive the reason for a rejection in the same decision', async () => {
    const store = await storeWith();
    const elsewhere: AssetVerdict = {
      asset: { ...shown(1), key: 'c', pictures: [] },
      verdict: 'approve',
    };
    const verdicts = [...approve('a'), ...reject('b'), elsewhere];
    await decide(client().client, 'r-1', store, verdicts, because('too dark'));
    const decisions = await store.approvals.decisions('look');
    expect(['a', 'b', 'c'].map((key) => decisions.get(key)?.reason)).toEqual([
      undefined,
      'too dark',
      undefined,
    ]);
    await decide(client().client, 'r-1', store, approve('d'), because('seen by the customer'));
    expect((await store.approvals.decisions('look')).get('d')?.reason).toBe('seen by the customer');
  });

  test.each<[string, string, string]>([
    ['line breaks become spaces', 'too dark\nand  blurred\r\n', 'too dark and  blurred'],
    ['escape sequences are removed', '\u001b[31mred\u001b[0m', 'red'],
    ['markup is kept as text', `<script>alert("&'")</script>`, `<script>alert("&'")</script>`],
  ])('the reason is cleaned: %s', async (_what, reason, kept) => {
    const store = await storeWith();
    await decide(client().client, 'r-1', store, reject('a'), because(reason));
    expect((await store.approvals.decisions('look')).get('a')?.reason).toBe(kept);
  });

  test.each([
    ['REJECTED_WITHOUT_REASON', ' \n '],
    ['USAGE', 'x'.repeat(10_000)],
  ])('a reason is refused with %s', async (code, reason) => {
    const store = await storeWith();
    const decided = decide(client().client, 'r-1', store, reject('a'), because(reason));
    await expect(decided).rejects.toMatchObject({ code });
    expect((await store.approvals.decisions('look')).size).toBe(0);
  });

  test('a decision approves some changed pictures, rejects some with the reason, and leaves some waiting', async () => {
    const store = await storeWith();
    const same = { shard: 0, node: 'deliver', sha256: 'ab', share: 0.3, before: '', after: '' };
    const verdicts = (['approve', 'reject', 'wait'] as const).map((verdict) => ({
      asset: { ...same, key: verdict, path: `${verdict}.png` },
      verdict,
    }));
    for (const { asset: picture } of verdicts) await store.heldPictures.write(picture);
    const result = await decidePictures(client().client, store, verdicts, because('too dark'));
    expect(result).toEqual({ decided: { approved: 1, rejected: 1, waiting: 1 }, earlier: [] });
    expect((await store.heldPictures.all()).map(({ key, decision }) => [key, decision])).toEqual([
      ['approve', { outcome: 'approved', by: identity, at: expect.any(String) }],
      ['reject', { outcome: 'rejected', by: identity, at: expect.any(String), reason: 'too dark' }],
      ['wait', undefined],
    ]);
    const again = await decidePictures(bob(), store, verdicts, because('too dark'));
    expect(again.decided).toEqual({ approved: 0, rejected: 0, waiting: 1 });
    expect(again.earlier.map(({ key, by }) => [key, by])).toEqual([
      ['approve', identity],
      ['reject', identity],
    ]);
  });

  const heldPicture = {
    shard: 0,
    node: 'deliver',
    key: 'a',
    path: 'a.png',
    sha256: 'ab',
    share: 0.3,
  };
  const verdictOnPicture = (verdict: ApprovalVerdict) => [
    { asset: { ...heldPicture, before: '', after: '' }, verdict },
  ];

  test('one of two simultaneous decisions about a changed picture wins', async () => {
    const store = await storeWith();
    const [approval, rejection] = [verdictOnPicture('approve'), verdictOnPicture('reject')];
    for (const { asset: picture } of approval) await store.heldPictures.write(picture);
    const results = await Promise.all([
      decidePictures(client().client, store, rejection, because('too dark')),
      decidePictures(bob(), store, approval, because()),
    ]);
    const [standing] = await store.heldPictures.all();
    const by = standing?.decision?.by;
    const [winner, loser] = by === identity ? results : results.toReversed();
    expect(winner?.earlier).toEqual([]);
    expect(loser).toMatchObject({
      decided: { approved: 0, rejected: 0 },
      earlier: [{ key: 'a', ...standing?.decision }],
    });
  });

  test('a decision about a changed picture can be repeated after the records could not be written', async () => {
    let isBroken = false;
    const connector = new MemoryConnector(new MemoryBucket(), async (operation, path) => {
      if (isBroken && operation === 'write' && path.includes('/held/')) throw new Error('broken');
    });
    const store = openRunStore(connector, runContext());
    const verdicts = verdictOnPicture('approve');
    for (const { asset: picture } of verdicts) await store.heldPictures.write(picture);
    isBroken = true;
    await expect(decidePictures(bob(), store, verdicts, because())).rejects.toThrow('broken');
    isBroken = false;
    expect(await decidePictures(bob(), store, verdicts, because())).toEqual({
      decided: { approved: 1, rejected: 0, waiting: 0 },
      earlier: [],
    });
  });
});
