import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/features/run-store.ts';
import type { ClaimHolder } from '../../src/store/claims/claims.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import {
  alive,
  dead,
  manifestAsset,
  recipe,
  startMs,
  storeOn,
  storesOver,
  withManifest,
} from './_store.ts';

const wish = { key: 'shoes/one', version: '1-1', shard: 0 };
const claimPath = '.renderline/shoes/claims/shoes+one.json';
const failure = { key: wish.key, node: 'shots', code: 'FAILED', message: 'no', attempts: 2 };

describe('claiming an asset', () => {
  it('a run claims a free asset', async () => {
    const store = storesOver()('a');
    const result = await store.claims.claim(wish, alive);
    expect(result).toMatchObject({
      isOurs: true,
      claim: {
        ...wish,
        run: 'a',
        lineage: 'a',
        recipe,
        state: 'working',
        at: '2026-03-01T10:00:00.000Z',
      },
    });
    expect([...(await store.claims.names()).names()]).toEqual(['shoes+one']);
  });

  it('claiming a free asset needs a single store operation, which is a create', async () => {
    const operations: string[] = [];
    const connector = new MemoryConnector(new MemoryBucket(), async (operation) => {
      operations.push(operation);
    });
    await storeOn(connector, 'a').claims.claim(wish, alive);
    expect(operations).toEqual(['create']);
  });

  it('a run that claims twice gets the existing claim', async () => {
    const store = storesOver()('a');
    const first = await store.claims.claim({ ...wish, platformIds: { modelId: 'm' } }, alive);
    const second = await store.claims.claim(wish, dead);
    expect(second).toEqual(first);
  });

  it('an asset that a live run has claimed is not claimed again', async () => {
    const stores = storesOver();
    await stores('a').claims.claim(wish, alive);
    const result = await stores('b').claims.claim(wish, alive);
    expect(result).toMatchObject({ isOurs: false, by: { run: 'a' } });
  });

  it('an asset that a live run of the same lineage has claimed is not claimed again', async () => {
    const stores = storesOver();
    await stores('a', { lineage: 'x' }).claims.claim(wish, alive);
    const result = await stores('b', { lineage: 'x' }).claims.claim(wish, alive);
    expect(result).toMatchObject({ isOurs: false });
  });

  it.each([
    ['another version', '0-0', [{ kind: 'model', id: 'm' }]],
    ['the same version', wish.version, undefined],
    // An object that the run only found on the platform was not created by Renderline.
    ['an object of the platform', `p${'0'.repeat(24)}.1`, undefined],
  ])(
    'undelivered resources are listed only if they belong to another version: %s',
    async (_what, version, undeliveredResources) => {
      const stores = storesOver();
      const { claims } = stores('a');
      await claims.markFree({ ...wish, version, platformIds: { modelId: 'm' } }, 'failed', failure);
      const taken = await stores('b').claims.claim(wish, alive);
      expect(taken.isOurs && taken.claim.undeliveredResources).toEqual(undeliveredResources);
      await stores('b').claims.markFree(wish, 'failed', failure);
      expect((await claims.read(wish.key))?.undeliveredResources).toEqual(undeliveredResources);
    },
  );

  it('only the undelivered resources of the last 20 versions are kept', async () => {
    const stores = storesOver();
    for (let number = 1; number <= 30; number += 1) {
      const { claims } = stores(`run-${number}`);
      const version = `1-${number}`;
      await claims.claim({ ...wish, version }, dead);
      await claims.markFree(
        { ...wish, version, platformIds: { modelId: `m${number}` } },
        'failed',
        failure,
      );
    }
    const ids = (await stores('x').claims.read(wish.key))?.undeliveredResources?.map(
      ({ id }) => id,
    );
    expect(ids).toHaveLength(20);
    expect(ids?.at(-1)).toBe('m29');
  });

  it('an asset of a dead run is taken over, with its platform ids and its shard', async () => {
    const stores = storesOver();
    await stores('a').claims.claim({ ...wish, shard: 7, platformIds: { modelId: 'm' } }, alive);
    const adopt = async () => ({ modelId: 'm', projectId: 'p' });
    const result = await stores('b').claims.claim(wish, { ...dead, adopt });
    expect(result).toMatchObject({
      isOurs: true,
      claim: {
        run: 'b',
        platformIds: { modelId: 'm', projectId: 'p' },
        from: [{ run: 'a', shard: 7 }],
      },
    });
    expect(await stores('c').claims.read(wish.key)).toMatchObject({ run: 'b' });
  });

  it('the claim remembers every shard from which an asset was taken over', async () => {
    const stores = storesOver();
    for (const [index, run] of ['a', 'b', 'c'].entries()) {
      await stores(run).claims.claim({ ...wish, shard: index }, dead);
    }
    expect(await stores('d').claims.read(wish.key)).toMatchObject({
      run: 'c',
      from: [
        { run: 'a', shard: 0 },
        { run: 'b', shard: 1 },
      ],
    });
  });

  it('a failed asset is taken over, even from a live run', async () => {
    const stores = storesOver();
    await stores('a').claims.claim(wish, alive);
    await stores('a').claims.markFree(
      { ...wish, platformIds: { modelId: 'm' } },
      'failed',
      failure,
    );
    const result = await stores('b').claims.claim(wish, alive);
    expect(result).toMatchObject({ isOurs: true, claim: { run: 'b', state: 'working' } });
  });

  it('a run claims its own failed asset again after a reset', async () => {
    const store = storesOver()('a');
    await store.claims.claim(wish, alive);
    await store.claims.markFree(wish, 'failed', failure);
    expect(await store.claims.claim(wish, alive)).toMatchObject({ isOurs: true });
    expect(await store.claims.read(wish.key)).toMatchObject({ state: 'working' });
    expect((await store.claims.read(wish.key))?.from).toBeUndefined();
  });

  it('claiming leaves no files in the store other than the claims', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    for (const run of ['a', 'b', 'c']) await stores(run).claims.claim(wish, dead);
    await stores('c').claims.markFree(wish, 'failed', failure);
    expect([...bucket.files.keys()]).toEqual([claimPath]);
  });
});

describe('ending a claim', () => {
  it('ending a claim frees the asset', async () => {
    const stores = storesOver();
    await stores('a').claims.claim(wish, alive);
    await stores('a').claims.release(wish.key);
    await stores('a').claims.release(wish.key);
    expect(await stores('b').claims.claim(wish, alive)).toMatchObject({ isOurs: true });
  });

  it('ending a claim does not change a claim that another run has taken over', async () => {
    const stores = storesOver();
    await stores('a').claims.claim(wish, alive);
    await stores('b').claims.claim(wish, dead);
    await stores('a').claims.release(wish.key);
    await stores('a').claims.markFree(wish, 'failed', failure);
    expect(await stores('a').claims.read(wish.key)).toMatchObject({ run: 'b', state: 'working' });
  });

  it('ending a claim twice has the same result', async () => {
    const store = storesOver()('a');
    await store.claims.claim(wish, alive);
    await store.claims.markFree({ ...wish, platformIds: { modelId: 'm' } }, 'failed', failure);
    await store.claims.markFree({ ...wish, platformIds: { modelId: 'm' } }, 'failed', failure);
    expect(await store.claims.read(wish.key)).toMatchObject({
      state: 'failed',
      platformIds: { modelId: 'm' },
    });
  });

  it('ending a claim stores a failure even if the claim has disappeared', async () => {
    const store = storesOver()('a');
    await store.claims.markFree(wish, 'failed', failure);
    expect(await store.claims.read(wish.key)).toMatchObject({ state: 'failed', failure });
  });
});

describe('a claim of a run on another Temporal server', () => {
  const storeAt = (bucket: MemoryBucket, run: string, temporal: string) => {
    const context = { run, lineage: run, pipeline: 'shoes', recipe };
    return openRunStore(new MemoryConnector(bucket), context, { now: () => startMs, temporal });
  };

  it.each([
    ['stays valid, although this server does not know the run', {}, false],
    ['stays valid if it is younger than a person has declared', { takeOverMs: 1 }, false],
    ['is taken over if a person has declared claims of its age dead', { takeOverMs: 0 }, true],
  ])('the claim %s', async (_what, options, isOurs) => {
    const bucket = new MemoryBucket();
    await storeAt(bucket, 'a', 'theirs').claims.claim(wish, alive);
    const { claims } = storeAt(bucket, 'b', 'ours');
    expect(await claims.claim(wish, { ...dead, ...options })).toMatchObject({ isOurs });
  });
});

describe('an unreadable claim', () => {
  async function damagedClaim(ageMs: number) {
    const bucket = new MemoryBucket();
    const store = storesOver(bucket)('a');
    bucket.files.set(claimPath, { bytes: Buffer.from('{"sch'), mtimeMs: startMs - ageMs });
    return store;
  }

  it('a recent unreadable claim counts as being written', async () => {
    const store = await damagedClaim(5_000);
    expect(await store.claims.claim(wish, dead)).toMatchObject({ isOurs: false });
  });

  it('a recent unreadable claim is held, and nobody is asked for a run without a name', async () => {
    const { claims } = await damagedClaim(5_000);
    const claim = await claims.read(wish.key);
    const isAlive = async () => expect.unreachable('a run without a name');
    expect(claim && (await claims.isHeld(claim, { isAlive }))).toBe(true);
  });

  it('an asset with a recent unreadable claim is left to "another run", which has no name yet', async () => {
    const store = await withManifest(await damagedClaim(5_000), [manifestAsset(wish.key)]);
    expect(await openShard(store, 0, alive)).toMatchObject({
      assets: [],
      taken: [{ key: wish.key, by: 'another run' }],
    });
  });

  it('an old unreadable claim counts as free', async () => {
    const store = await damagedClaim(61_000);
    const result = await store.claims.claim(wish, alive);
    expect(result).toMatchObject({ isOurs: true, claim: { run: 'a' } });
    expect(await store.claims.read(wish.key)).toMatchObject({ run: 'a', state: 'working' });
  });
});

describe('claims of concurrent runs', () => {
  it('a dead claim is taken over exactly once, even by 30 runs', async () => {
    const stores = storesOver();
    await stores('old').claims.claim(wish, alive);
    const runs = Array.from({ length: 30 }, (_, index) => `run-${index}`);
    const isAlive = async ({ run }: ClaimHolder) => run !== 'old';
    const results = await Promise.all(
      runs.map((run) => stores(run).claims.claim(wish, { isAlive })),
    );
    const winners = runs.filter((_, index) => results[index]?.isOurs);
    expect(winners).toHaveLength(1);
    expect(await stores('x').claims.read(wish.key)).toMatchObject({ run: winners[0] });
  });

  /** Runs that may die before any of their operations, in every order of the scheduler. */
  async function race(
    scheduler: fc.Scheduler,
    deaths: readonly (number | null)[],
    start: 'free' | 'dead' | 'failed',
  ) {
    const bucket = new MemoryBucket();
    const gone = new Set<string>(['old']);
    if (start !== 'free') await storesOver(bucket)('old').claims.claim(wish, alive);
    if (start === 'failed') {
      await storesOver(bucket)('old').claims.markFree(wish, 'failed', failure);
      gone.delete('old');
    }
    const isAlive = async ({ run }: ClaimHolder) => !gone.has(run);
    const racing = deaths.map(async (diesAt, index) => {
      const run = `run-${index}`;
      let operations = 0;
      let die: (how: 'died') => void = () => undefined;
      const death = new Promise<'died'>((resolve) => {
        die = resolve;
      });
      const connector = new MemoryConnector(bucket, async (operation) => {
        if (operations === diesAt) {
          gone.add(run);
          die('died');
          await new Promise(() => undefined);
        }
        operations += 1;
        await scheduler.schedule(Promise.resolve(), `${run} ${operation}`);
      });
      const claim = storeOn(connector, run).claims.claim(wish, { isAlive });
      const outcome = await Promise.race([claim, death]);
      return { run, won: outcome !== 'died' && outcome.isOurs };
    });
    const outcomes = await scheduler.waitFor(Promise.all(racing));
    return { bucket, isAlive, winners: outcomes.filter(({ won }) => won).map(({ run }) => run) };
  }

  it('runs never share an asset, and leave it free if none could claim it, whichever process dies', async () => {
    const deaths = fc.array(fc.option(fc.nat({ max: 14 })), { minLength: 2, maxLength: 4 });
    const start = fc.constantFrom('free' as const, 'dead' as const, 'failed' as const);
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), deaths, start, async (scheduler, diesAt, from) => {
        const { bucket, isAlive, winners } = await race(scheduler, diesAt, from);
        expect(winners.length).toBeLessThanOrEqual(1);
        const late = await storesOver(bucket)('late').claims.claim(wish, { isAlive });
        if (winners.length === 1)
          expect(late).toMatchObject({ isOurs: false, by: { run: winners[0] } });
        else expect(late).toMatchObject({ isOurs: true });
      }),
      { numRuns: 400 },
    );
  });
});
