// The memory of finished outputs: what it has read, and the time since which it claims to be complete.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ResponseShapeError } from '../../src/api/errors/errors.ts';
import {
  type ListedRender,
  type ReadPage,
  RenderList,
} from '../../src/features/renders/status/render-outputs.ts';
import { RenderFeed } from './_render-feed.ts';

function start() {
  const feed = new RenderFeed();
  return { feed, list: new RenderList(feed.read) };
}

/** Numbers from 0 to 1. The same seed produces the same numbers. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** A random number of rare events with this average. */
function arrivals(average: number, random: () => number): number {
  let count = -1;
  for (let left = 1; left > Math.exp(-average); left *= random()) count += 1;
  return count;
}

const ids = (list: RenderList, project: string) => list.outputsOf(project).map(({ id }) => id);

describe('a sweep of finished outputs', () => {
  it('a sweep of a workspace with less than one page is a single request, and covers everything from the beginning', async () => {
    const { feed, list } = start();
    feed.finish('p1', 'p2', 'p1');
    expect(await list.sweep(feed.nowMs)).toEqual(new Set(['p1', 'p2']));
    expect(ids(list, 'p1')).toEqual(['r3', 'r1']);
    expect(list.completeSinceMs).toBe(0);
    expect(feed.pages).toBe(1);
  });

  it('a sweep of an empty workspace is complete', async () => {
    const { feed, list } = start();
    expect(await list.sweep(feed.nowMs)).toEqual(new Set());
    expect(list.completeSinceMs).toBe(0);
  });

  it('a sweep returns only projects with new outputs since the last sweep', async () => {
    const { feed, list } = start();
    feed.finish('p1', 'p2');
    await list.sweep(0);
    expect(await list.sweep(0)).toEqual(new Set());
    feed.finish('p2', 'p3');
    expect(await list.sweep(0)).toEqual(new Set(['p2', 'p3']));
  });

  it('a sweep of thousands of renders reads back no further than the requested time', async () => {
    const { feed, list } = start();
    feed.finishOthers(5_000);
    const submittedMs = feed.nowMs + 1;
    feed.finish(...Array.from({ length: 130 }, (_, index) => `p${index}`));
    await list.sweep(submittedMs);
    expect(feed.pages).toBe(2);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    for (let index = 0; index < 130; index += 1) expect(ids(list, `p${index}`)).toHaveLength(1);
  });

  it('later sweeps read one page per poll, as long as less than a page is new', async () => {
    const { feed, list } = start();
    feed.finishOthers(5_000);
    const submittedMs = feed.nowMs;
    await list.sweep(submittedMs);
    for (let look = 0; look < 10; look += 1) {
      feed.finishOthers(90);
      feed.finish('mine');
      await list.sweep(submittedMs);
    }
    expect(feed.pages).toBe(11);
    expect(ids(list, 'mine')).toHaveLength(10);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
  });

  it('a sweep from an earlier time than before also finds the older outputs', async () => {
    const { feed, list } = start();
    feed.finishOthers(300);
    const earlierMs = feed.nowMs;
    feed.finish('early');
    feed.finishOthers(250);
    await list.sweep(feed.nowMs);
    expect(ids(list, 'early')).toEqual([]);
    await list.sweep(earlierMs);
    expect(ids(list, 'early')).toHaveLength(1);
    expect(list.completeSinceMs).toBeLessThanOrEqual(earlierMs);
  });

  it('a sweep reads at most 20 pages, claims only what it has read, and is not repeated', async () => {
    const { feed, list } = start();
    const submittedMs = feed.nowMs;
    feed.finishOthers(5_000);
    await list.sweep(submittedMs);
    expect(feed.pages).toBe(20);
    expect(list.completeSinceMs).toBeGreaterThan(submittedMs);
    expect(list.completeSinceMs).toBeLessThanOrEqual(feed.nowMs);
    feed.finish('mine');
    await list.sweep(submittedMs);
    expect(feed.pages).toBe(21);
    expect(ids(list, 'mine')).toHaveLength(1);
  });

  it('a sweep reads more pages if that saves more requests than it costs', async () => {
    const { feed, list } = start();
    const submittedMs = feed.nowMs;
    feed.finish(...Array.from({ length: 5_000 }, (_, index) => `p${index}`));
    await list.sweep(submittedMs, 5_000);
    expect(feed.pages).toBe(53);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    expect(ids(list, 'p0')).toHaveLength(1);
  });

  it('a sweep from a later time claims no more than it has read', async () => {
    const { feed, list } = start();
    feed.finishOthers(300);
    const firstMs = feed.nowMs;
    await list.sweep(firstMs);
    feed.finish('between');
    feed.finishOthers(250);
    const secondMs = feed.nowMs;
    feed.finishOthers(10);
    await list.sweep(secondMs);
    expect(ids(list, 'between').length > 0 || list.completeSinceMs > firstMs + 1).toBe(true);
  });

  it('a sweep forgets the oldest of very many outputs and no longer counts their time as complete', async () => {
    const { feed, list } = start();
    feed.finish('old');
    const oldMs = feed.nowMs;
    await list.sweep(oldMs);
    for (let look = 0; look < 12; look += 1) {
      feed.finishOthers(1_700);
      await list.sweep(oldMs);
    }
    expect(ids(list, 'old')).toEqual([]);
    expect(list.completeSinceMs).toBeGreaterThan(oldMs);
    const before = feed.pages;
    feed.finish('new');
    await list.sweep(oldMs);
    expect(feed.pages).toBe(before + 1);
    expect(ids(list, 'new')).toHaveLength(1);
  });
});

describe('a list that differs from the API reference', () => {
  /** Pages as they are, or with the changes of the test. */
  function startOdd(odd: (page: number, renders: ListedRender[]) => object | undefined) {
    const feed = new RenderFeed();
    const read: ReadPage = async (place) => {
      const page = await feed.read(place);
      return { ...page, ...odd(place.offset / 95, page.renders) };
    };
    return { feed, list: new RenderList(read) };
  }

  it.each<[string, (page: number, renders: ListedRender[]) => object | undefined]>([
    ['always returns the same page', (_, renders) => ({ renders: firstOf(renders), total: 1e6 })],
    [
      'contains an unreadable item on its second page',
      (page, renders) =>
        page === 1 ? { renders: Object.assign(renders, { unread: 1 }) } : undefined,
    ],
    [
      'has an incomplete second page and reports more items than it contains',
      (page, renders) => (page === 1 ? { renders: renders.slice(0, 50) } : undefined),
    ],
    [
      'has no times on its second page',
      (page, renders) =>
        page === 1
          ? { renders: renders.map((item) => ({ ...item, createdAt: undefined })) }
          : undefined,
    ],
    [
      'is unreadable from the second page on',
      (page) => {
        if (page > 0) throw new ResponseShapeError('listRenders', 200, 'renders', 'no list');
        return undefined;
      },
    ],
  ])('a list that %s costs at most two pages per sweep', async (_, odd) => {
    const { feed, list } = startOdd(odd);
    feed.finishOthers(1_000);
    feed.finish('mine');
    await list.sweep(0, 1_000);
    expect(feed.pages).toBe(2);
    expect(list.completeSinceMs).toBeGreaterThan(0);
    await list.sweep(0, 1_000);
    await list.sweep(0, 1_000);
    expect(feed.pages).toBeLessThanOrEqual(6);
    expect(ids(list, 'mine')).toHaveLength(1);
  });

  it('a single item without a time does not make the list incomplete', async () => {
    const { feed, list } = startOdd((_, renders) => ({
      renders: renders.map((item, at) => (at === 99 ? { ...item, createdAt: 'soon' } : item)),
    }));
    feed.finishOthers(500);
    const submittedMs = feed.nowMs;
    feed.finishOthers(50);
    await list.sweep(submittedMs);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    expect(feed.pages).toBe(1);
  });
});

let kept: ListedRender[] = [];
/** The first page, whatever is requested. */
function firstOf(renders: ListedRender[]): ListedRender[] {
  if (kept.length === 0) kept = renders;
  return kept;
}

describe('sweeps while items shift between pages', () => {
  it('outputs are complete even if renders finish between two pages', async () => {
    const { feed, list } = start();
    const submittedMs = feed.nowMs;
    feed.finish(...Array.from({ length: 150 }, (_, index) => `p${index}`));
    feed.afterPage = (page) => {
      if (page === 1) feed.finishOthers(20);
    };
    await list.sweep(submittedMs);
    for (let index = 0; index < 150; index += 1) expect(ids(list, `p${index}`)).toHaveLength(1);
  });

  it('items that reappear because renders finish do not end the sweep too early', async () => {
    const { feed, list } = start();
    feed.finishOthers(300);
    const submittedMs = feed.nowMs;
    await list.sweep(submittedMs);
    feed.finish('first');
    feed.finishOthers(240);
    feed.offsets = [];
    feed.afterPage = (page) => {
      if (page === 1) feed.finishOthers(30);
    };
    await list.sweep(submittedMs);
    // The claim must be true, because the oldest new item is 240 items down.
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    expect(ids(list, 'first')).toHaveLength(1);
    expect(feed.pages).toBe(3);
  });

  it('deletions within the overlap do not make the list incomplete', async () => {
    const { feed, list } = start();
    const submittedMs = feed.nowMs;
    feed.finish(...Array.from({ length: 150 }, (_, index) => `p${index}`));
    feed.afterPage = (page) => {
      if (page === 1) feed.delete('r150', 'r149', 'r148', 'r147');
    };
    await list.sweep(submittedMs);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    for (let index = 0; index < 146; index += 1) expect(ids(list, `p${index}`)).toHaveLength(1);
  });

  it('deletions that move items beyond the overlap cost one more page', async () => {
    const { feed, list } = start();
    feed.finishOthers(200);
    const submittedMs = feed.nowMs;
    feed.finish(...Array.from({ length: 150 }, (_, index) => `p${index}`));
    feed.afterPage = (page) => {
      if (page === 1) feed.delete(...feed.items.slice(0, 12).map(({ id }) => id));
    };
    await list.sweep(submittedMs);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    expect(feed.pages).toBe(3);
  });

  it.each([95, 150, 400])(
    'a list that grows by %i per page is read back to the requested time',
    async (grows) => {
      const { feed, list } = start();
      feed.finishOthers(1_000);
      const submittedMs = feed.nowMs + 1;
      feed.finish(...Array.from({ length: 1_000 }, (_, index) => `p${index}`));
      feed.afterPage = () => feed.finishOthers(grows);
      await list.sweep(submittedMs, 1_000);
      expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
      for (let index = 0; index < 1_000; index += 1) expect(ids(list, `p${index}`)).toHaveLength(1);
      // Each page makes progress by about half a page.
      expect(feed.pages).toBeLessThan(30);
    },
  );

  it.each([
    [50, 10],
    [50, 50],
    [100, 10],
    [100, 150],
  ])(
    'a list that grows by %i on average, in bursts of %i, is read without gaps in nine of ten sweeps',
    async (mean, burst) => {
      let broken = 0;
      for (let seed = 1; seed <= 50; seed += 1) {
        const random = randomOf(seed);
        const { feed, list } = start();
        const submittedMs = feed.nowMs + 1;
        feed.finishOthers(1_000);
        feed.afterPage = () => {
          if (feed.items.length < 2_000) feed.finishOthers(burst * arrivals(mean / burst, random));
        };
        await list.sweep(submittedMs, 1_000);
        if (list.completeSinceMs === Number.POSITIVE_INFINITY) broken += 1;
      }
      expect(broken).toBeLessThanOrEqual(5);
    },
  );

  it('after a gap, a sweep continues from the part that was complete before', async () => {
    const { feed, list } = start();
    feed.finishOthers(3_000);
    const submittedMs = feed.nowMs - 1_500;
    await list.sweep(submittedMs, 1_000);
    feed.finishOthers(300);
    // The list grows faster and faster, so the offset of its items on the next page is unpredictable.
    let grows = 0;
    feed.afterPage = () => {
      grows += 60;
      feed.finishOthers(grows);
    };
    await list.sweep(submittedMs, 1_000);
    expect(list.completeSinceMs).toBe(Number.POSITIVE_INFINITY);
    feed.afterPage = () => undefined;
    feed.offsets = [];
    await list.sweep(submittedMs, 1_000);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
    expect(feed.pages).toBeLessThan(40);
  });

  it('deletions in a list without a total make it incomplete until a sweep finds no gap', async () => {
    const feed = new RenderFeed();
    const list = new RenderList(async (place) => {
      const { renders } = await feed.read(place);
      return { renders };
    });
    feed.finishOthers(200);
    const submittedMs = feed.nowMs;
    feed.finish(...Array.from({ length: 150 }, (_, index) => `p${index}`));
    feed.afterPage = (page) => {
      if (page === 1) feed.delete(...feed.items.slice(0, 12).map(({ id }) => id));
    };
    await list.sweep(submittedMs);
    expect(list.completeSinceMs).toBe(Number.POSITIVE_INFINITY);
    feed.afterPage = () => undefined;
    await list.sweep(submittedMs);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
  });

  it('a sweep that fails partway claims nothing that it has not read', async () => {
    const { feed, list } = start();
    feed.finishOthers(300);
    const submittedMs = feed.nowMs;
    await list.sweep(submittedMs);
    feed.finish('first');
    feed.finishOthers(240);
    feed.afterPage = (page) => {
      if (page === 3) throw new Error('502');
    };
    await expect(list.sweep(submittedMs)).rejects.toThrow('502');
    feed.afterPage = () => undefined;
    await list.sweep(submittedMs);
    expect(ids(list, 'first')).toHaveLength(1);
    expect(list.completeSinceMs).toBeLessThanOrEqual(submittedMs);
  });

  it('what a sweep claims is never wrong, for any arrivals, deletions and failures', async () => {
    const kinds = fc.constantFrom<Kind>('finish', 'finish', 'finish', 'delete', 'fail');
    const happening = fc.record({ kind: kinds, count: fc.nat(220) });
    const looks = fc.array(fc.tuple(happening, fc.array(happening, { maxLength: 3 })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(fc.nat(400), looks, async (before, rounds) => {
        const { feed, list } = start();
        feed.finishOthers(before);
        const submittedMs = feed.nowMs + 1;
        for (const [between, during] of rounds) {
          if (between.kind !== 'fail') happen(feed, between);
          const standing = new Set(feed.items.map(({ id }) => id));
          const queue = [...during];
          feed.afterPage = () => {
            const next = queue.shift();
            if (next) happen(feed, next);
          };
          const swept = await list.sweep(submittedMs).catch(() => null);
          // Only a completed sweep makes a claim.
          if (swept) expect(unseen(feed, list, standing, submittedMs)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

type Kind = 'finish' | 'delete' | 'fail';

function happen(feed: RenderFeed, { kind, count }: { kind: Kind; count: number }): void {
  if (kind === 'finish') feed.finishOthers(count);
  else if (kind === 'fail') throw new Error('502');
  else feed.delete(...feed.items.slice(0, count % 20).map(({ id }) => id));
}

/** Items that existed before the sweep, still exist, are covered by the claim, and are unknown. */
function unseen(feed: RenderFeed, list: RenderList, standing: Set<string>, sinceMs: number) {
  const claimedMs = Math.max(list.completeSinceMs, sinceMs);
  return feed.items
    .filter(({ id, createdAt = '' }) => standing.has(id) && Date.parse(createdAt) >= claimedMs)
    .filter(({ id, projectId }) => !ids(list, projectId).includes(id))
    .map(({ id }) => id);
}
