// Tests the DAG algorithm: which steps an asset enters, in which order, for every shape of graph.
import { describe, expect, it } from 'vitest';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { KeyedShard } from './_keyed-shard.ts';
import { asset, assets, done, pruned, runAll, startAll, steps } from './_steps.ts';

const ok = (_id: string, { key }: StepAsset): AssetResult => done(key);

describe('the order of steps', () => {
  const shapes: [name: string, shape: Record<string, string[]>, order: string[]][] = [
    ['one step', { a: [] }, ['a']],
    ['chain', { a: [], b: ['a'], c: ['b'] }, ['a', 'b', 'c']],
    ['diamond', { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] }, ['a', 'b', 'c', 'd']],
    ['fan-in at unequal depth', { a: [], b: ['a'], c: ['b'], d: ['a', 'c'] }, ['a', 'b', 'c', 'd']],
    ['two sinks', { a: [], b: ['a'], c: ['a'] }, ['a', 'b', 'c']],
    ['two roots that join', { a: [], b: [], c: ['a', 'b'] }, ['a', 'b', 'c']],
    [
      'diamond in a diamond',
      { a: [], b: ['a'], c: ['b'], d: ['b'], e: ['c', 'd'], f: ['a'], g: ['e', 'f'] },
      ['a', 'b', 'f', 'c', 'd', 'e', 'g'],
    ],
  ];
  it.each(shapes)('an asset passes the steps in order: %s', (_name, shape, order) => {
    const plan = steps(shape);
    const state = new KeyedShard(plan, assets('x'));
    expect(runAll(state, plan, ok)).toEqual(order.map((id) => `${id}:x`));
    expect(state.takeSettled()).toMatchObject([{ key: 'x', outcome: 'complete', failure: null }]);
    expect(state.ended).toBe(true);
  });

  it('a join waits for its deepest parent', () => {
    const plan = steps({ a: [], b: ['a'], c: ['b'], d: ['a', 'c'] });
    const state = new KeyedShard(plan, assets('x'));
    for (const expected of ['a', 'b', 'c', 'd']) {
      const started = startAll(state, plan);
      expect(started.map(({ id }) => id)).toEqual([expected]);
      for (const { index, given } of started) state.apply(index, given, [done('x')]);
    }
  });

  it('assets that are ready together share a call, in the order of the shard', () => {
    const plan = steps({ a: [], b: ['a'] });
    const state = new KeyedShard(plan, assets('x', 'y', 'z'));
    expect(runAll(state, plan, ok)).toEqual(['a:x+y+z', 'b:x+y+z']);
  });

  it('a slow asset does not delay other assets', () => {
    const plan = steps({ a: [], b: ['a'], c: ['b'] });
    const state = new KeyedShard(plan, assets('fast', 'slow'));
    let looks = 0;
    const log = runAll(state, plan, (id, { key }) => {
      if (id === 'a' && key === 'slow') looks += 1;
      return key === 'slow' && id === 'a' && looks < 4 ? null : done(key);
    });
    expect(log).toEqual([
      'a:fast+slow',
      'a:slow',
      'b:fast',
      'a:slow',
      'c:fast',
      'a:slow',
      'b:slow',
      'c:slow',
    ]);
  });

  it('a step is entered once, however often its assets are taken', () => {
    const plan = steps({ a: [] });
    const state = new KeyedShard(plan, assets('x'));
    expect(state.takeReady(0, 0)).toHaveLength(1);
    expect(state.hasReady(0)).toBe(false);
    expect(state.takeReady(0, 0)).toEqual([]);
  });

  it('platform ids of a step are merged and passed to later steps', () => {
    const plan = steps({ a: [], b: ['a'], c: ['b'] });
    const state = new KeyedShard(plan, [asset('x', { category: 'shoes' })]);
    runAll(state, plan, (id, { key, platformIds }) => {
      if (id === 'a') return done(key, { modelId: 'm1' });
      if (id === 'b') return done(key, { projectId: `of ${platformIds.modelId ?? ''}` });
      expect(platformIds).toEqual({ category: 'shoes', modelId: 'm1', projectId: 'of m1' });
      return done(key);
    });
    expect(state.takeSettled()[0]?.platformIds).toMatchObject({ projectId: 'of m1' });
  });

  it('a plan without steps ends immediately, with skipped assets', () => {
    const state = new KeyedShard([], assets('x'));
    expect(state.ended).toBe(true);
    expect(state.takeSettled()).toMatchObject([{ outcome: 'skipped' }]);
  });

  it('a shard without assets has ended', () => {
    const state = new KeyedShard(steps({ a: [] }), []);
    expect(state.ended).toBe(true);
    expect(state.totals()).toEqual({ total: 0, complete: 0, failed: 0, skipped: 0 });
  });
});

describe('skipping a step', () => {
  const shapes: [
    name: string,
    shape: Record<string, string[]>,
    passedOver: string[],
    entered: string[],
    outcome: 'complete' | 'skipped',
  ][] = [
    ['ends a chain', { a: [], b: ['a'], c: ['b'] }, ['b'], ['a', 'b'], 'skipped'],
    ['at the root ends the asset', { a: [], b: ['a'] }, ['a'], ['a'], 'skipped'],
    [
      'in one branch of a diamond still runs the join',
      { a: [], b: ['a'], c: ['a'], d: ['b', 'c'] },
      ['b'],
      ['a', 'b', 'c', 'd'],
      'complete',
    ],
    [
      'in all parents of a join skips the join too',
      { a: [], b: ['a'], c: ['a'], d: ['b', 'c'], e: ['d'] },
      ['b', 'c'],
      ['a', 'b', 'c'],
      'skipped',
    ],
    [
      'for one of two alternatives of unequal depth runs the join',
      { a: [], b: ['a'], c: ['a'], c2: ['c'], d: ['b', 'c2'] },
      ['b'],
      ['a', 'b', 'c', 'c2', 'd'],
      'complete',
    ],
    [
      'at the start of a branch of two steps skips both',
      { a: [], b: ['a'], c: ['a'], c2: ['c'], d: ['b', 'c2'] },
      ['c'],
      ['a', 'b', 'c', 'd'],
      'complete',
    ],
    [
      'for one of two sinks leaves the asset complete',
      { a: [], b: ['a'], c: ['a'] },
      ['c'],
      ['a', 'b', 'c'],
      'complete',
    ],
  ];
  it.each(shapes)('skipping %s', (_name, shape, passedOver, entered, outcome) => {
    const plan = steps(shape);
    const state = new KeyedShard(plan, assets('x'));
    const log = runAll(state, plan, (id, { key }) =>
      passedOver.includes(id) ? pruned(key) : done(key),
    );
    expect(log.toSorted()).toEqual(entered.map((id) => `${id}:x`).toSorted());
    expect(state.takeSettled()).toMatchObject([{ outcome }]);
  });

  it('skipping affects each asset separately', () => {
    const plan = steps({ a: [], b: ['a'], c: ['a'], d: ['b', 'c'] });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const log = runAll(state, plan, (id, { key }) =>
      (id === 'b') === (key === 'x') || id === 'a' || id === 'd' ? done(key) : pruned(key),
    );
    expect(log).toEqual(['a:x+y', 'b:x+y', 'c:x+y', 'd:x+y']);
    expect(state.totals()).toEqual({ total: 2, complete: 2, failed: 0, skipped: 0 });
  });
});

describe('the result of an activity', () => {
  it('the result leaves missing assets open, with their old deadline', () => {
    const plan = steps({ a: [] }, { a: { mode: 'wait', timeoutMs: 1_000 } });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const first = state.takeReady(0, 500);
    expect(first).toMatchObject([
      { key: 'x', enteredAtMs: 500, deadlineMs: 1_500 },
      { key: 'y', enteredAtMs: 500, deadlineMs: 1_500 },
    ]);
    state.apply(0, first, [done('x')]);
    expect(state.takeReady(0, 900)).toMatchObject([
      { key: 'y', enteredAtMs: 500, deadlineMs: 1_500 },
    ]);
  });

  it('an asset in a call has no deadline', () => {
    const state = new KeyedShard(steps({ a: [] }), assets('x'));
    expect(state.takeReady(0, 5)[0]).not.toHaveProperty('deadlineMs');
  });

  it('the result may be missing, since a released step is entered again', () => {
    const plan = steps({ a: [], b: ['a'] });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const given = state.takeReady(0, 0);
    state.release(0, given);
    expect(state.ended).toBe(false);
    expect(runAll(state, plan, ok)).toEqual(['a:x+y', 'b:x+y']);
  });

  it('the result is ignored for assets that were not given', () => {
    const plan = steps({ a: [], b: ['a'] });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const given = state.takeReady(0, 0);
    state.apply(0, given.slice(0, 1), [done('x'), done('y'), done('stranger')]);
    expect(state.hasReady(1)).toBe(true);
    expect(state.takeReady(1, 0).map(({ key }) => key)).toEqual(['x']);
    expect(state.counts()['a']).toMatchObject({ running: 1, done: 1 });
  });

  it('assets of a step that does not exist cannot be taken', () => {
    const state = new KeyedShard(steps({ a: [] }), assets('x'));
    expect(() => state.takeReady(3, 0)).toThrow('no step 3');
  });
});

it('the waiting assets are reported by step, since the first arrival', () => {
  const plan = steps(
    { a: [], shots: ['a'], b: ['shots'] },
    { shots: { mode: 'wait', activity: 'render_complete' } },
  );
  const shard = new KeyedShard(plan, assets('x', 'y', 'z'));
  const all = shard.takeReady(0, 1_000);
  expect(shard.state.waits()).toEqual({});
  shard.apply(0, all.slice(0, 2), [done('x'), done('y')]);
  const first = shard.takeReady(1, 5_000);
  shard.apply(0, all.slice(2), [done('z')]);
  const wait = { activity: 'render_complete', assets: 3, sinceMs: 5_000 };
  // An asset waits from its arrival, even before a poll takes it.
  shard.state.recordArrivals(9_000);
  expect(shard.state.waits()).toEqual({ shots: wait });
  shard.takeReady(1, 9_000);
  expect(shard.state.waits()).toEqual({ shots: wait });
  shard.apply(1, first, [done('x'), done('y')]);
  expect(shard.state.waits()).toEqual({ shots: { ...wait, assets: 1, sinceMs: 9_000 } });
});
