// Tests an asset when a step fails, is retried, or the run is cancelled.
import { describe, expect, it } from 'vitest';
import { KeyedShard } from './_keyed-shard.ts';
import {
  asset,
  assets,
  done,
  failed,
  failure,
  retry,
  runAll,
  startAll,
  step,
  steps,
} from './_steps.ts';

describe('a failure of an asset', () => {
  it('a failure ends the asset at the step that failed, and does not affect other assets', () => {
    const plan = steps({ a: [], b: ['a'], c: ['b'] });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const log = runAll(state, plan, (id, { key }) =>
      id === 'b' && key === 'x' ? failed(key) : done(key),
    );
    expect(log).toEqual(['a:x+y', 'b:x+y', 'c:y']);
    expect(state.takeSettled()).toMatchObject([
      { key: 'x', outcome: 'failed', failure: failure('x', 'b') },
      { key: 'y', outcome: 'complete', failure: null },
    ]);
    expect(state.failures()).toEqual([failure('x', 'b')]);
  });

  it('a failure in one branch lets running steps of the other branch end, and starts no more steps', () => {
    const plan = steps({ a: [], b: ['a'], c: ['a'], c2: ['c'], d: ['b', 'c2'] });
    const state = new KeyedShard(plan, assets('x'));
    state.apply(0, state.takeReady(0, 0), [done('x')]);
    const b = state.takeReady(1, 0);
    const c = state.takeReady(2, 0);
    state.apply(1, b, [failed('x')]);
    expect(state.ended).toBe(false);
    expect(state.takeSettled()).toEqual([]);
    state.apply(2, c, [done('x', { projectId: 'p1' })]);
    expect(startAll(state, plan)).toEqual([]);
    expect(state.takeSettled()).toMatchObject([
      { outcome: 'failed', failure: failure('x', 'b'), platformIds: { projectId: 'p1' } },
    ]);
  });

  it('a failure stops a branch that was ready but had not started', () => {
    const plan = steps({ a: [], b: ['a'], c: ['a'] });
    const state = new KeyedShard(plan, assets('x'));
    state.apply(0, state.takeReady(0, 0), [done('x')]);
    state.apply(1, state.takeReady(1, 0), [failed('x')]);
    expect(state.hasReady(2)).toBe(false);
    expect(state.ended).toBe(true);
  });

  it('the first failure of the asset counts, and a later failure in another branch is ignored', () => {
    const plan = steps({ a: [], b: [] });
    const state = new KeyedShard(plan, assets('x'));
    const [a, b] = [state.takeReady(0, 0), state.takeReady(1, 0)];
    state.apply(1, b, [failed('x', 'LATER_NODE')]);
    state.apply(0, a, [failed('x', 'EARLIER_NODE')]);
    expect(state.failures()).toEqual([failure('x', 'b', 'LATER_NODE')]);
  });

  it('a failure is not followed by another start if another branch is released', () => {
    const plan = steps({ a: [], b: [] });
    const state = new KeyedShard(plan, assets('x'));
    const [a, b] = [state.takeReady(0, 0), state.takeReady(1, 0)];
    state.apply(0, a, [failed('x')]);
    state.release(1, b);
    expect(state.ended).toBe(true);
    expect(startAll(state, plan)).toEqual([]);
  });

  it('a failure removes the ids that the platform has lost, and keeps the others', () => {
    const plan = steps({ a: [] });
    const state = new KeyedShard(plan, [
      asset('x', { modelId: 'm', projectId: 'p', category: 'c' }),
    ]);
    state.apply(0, state.takeReady(0, 0), [
      {
        key: 'x',
        outcome: 'failed',
        code: 'GONE',
        message: 'gone',
        forgetIds: ['modelId', 'projectId'],
      },
    ]);
    expect(state.takeSettled()[0]?.platformIds).toEqual({ category: 'c' });
  });

  it('a failure contains the node in the file rather than its step, and the number of attempts', () => {
    const plan = [step('shots.wait', [], { node: 'shots' })];
    const state = new KeyedShard(plan, assets('x'));
    state.apply(0, state.takeReady(0, 0), [
      { key: 'x', outcome: 'failed', code: 'E', message: 'm', attempts: 7 },
    ]);
    expect(state.failures()).toEqual([
      { key: 'x', node: 'shots', code: 'E', message: 'm', attempts: 7 },
    ]);
  });

  it('a failure adds the model of the asset to the failed models', () => {
    const plan = steps({ a: [] });
    const state = new KeyedShard(plan, [asset('x', { modelId: 'm1' }), asset('y'), asset('z')]);
    state.apply(0, state.takeReady(0, 0), [failed('x'), failed('y'), done('z', { modelId: 'm3' })]);
    expect(state.failedModels()).toEqual(['m1']);
  });
});

describe('a retry of a step', () => {
  const chain = (max: number) =>
    steps(
      { up: [], submit: ['up'], wait: ['submit'], out: ['wait'] },
      { wait: { mode: 'wait', retry: { step: 'submit', max } } },
    );

  it.each([
    { max: 0, fails: 1, outcome: 'failed', submits: 1, attempts: 1 },
    { max: 1, fails: 1, outcome: 'complete', submits: 2, attempts: 0 },
    { max: 1, fails: 2, outcome: 'failed', submits: 2, attempts: 2 },
    { max: 3, fails: 9, outcome: 'failed', submits: 4, attempts: 4 },
  ])(
    'with at most $max retries and $fails failures, the asset is $outcome after $submits submissions',
    (row) => {
      const plan = chain(row.max);
      const state = new KeyedShard(plan, assets('x'));
      let fails = 0;
      const log = runAll(state, plan, (id, { key }) => {
        if (id !== 'wait' || fails === row.fails) return done(key);
        fails += 1;
        return retry(key);
      });
      expect(log.filter((entry) => entry === 'submit:x')).toHaveLength(row.submits);
      expect(log.filter((entry) => entry === 'up:x')).toHaveLength(1);
      expect(state.takeSettled()).toMatchObject([{ outcome: row.outcome }]);
      expect(state.failures().map(({ attempts }) => attempts)).toEqual(
        row.attempts ? [row.attempts] : [],
      );
    },
  );

  it('a retry of one step does not count for another step', () => {
    const places = { wait1: ['make'], make2: ['wait1'], wait2: ['make2'] };
    const plan = steps(
      { make: [], ...places },
      {
        wait1: { mode: 'wait', retry: { step: 'make', max: 1 } },
        wait2: { mode: 'wait', retry: { step: 'make2', max: 1 } },
      },
    );
    const state = new KeyedShard(plan, assets('x'));
    const failed = new Map<string, number>();
    const log = runAll(state, plan, (id, { key }) => {
      const times = failed.get(id) ?? 0;
      failed.set(id, times + 1);
      return id.startsWith('wait') && times === 0 ? retry(key) : done(key);
    });
    expect(log.join(' ')).toBe('make:x wait1:x make:x wait1:x make2:x wait2:x make2:x wait2:x');
    expect(state.takeSettled()).toMatchObject([{ outcome: 'complete' }]);
  });

  it('a retry is counted in the platform ids, and each wait gets its own deadline', () => {
    const plan = chain(2);
    const state = new KeyedShard(plan, assets('x'));
    state.apply(0, state.takeReady(0, 0), [done('x')]);
    state.apply(1, state.takeReady(1, 0), [done('x', { jobId: 'j1' })]);
    const first = state.takeReady(2, 1_000);
    state.apply(2, first, [retry('x', { failedJob: true })]);
    const again = state.takeReady(1, 5_000);
    expect(again).toMatchObject([{ platformIds: { jobId: 'j1', failedJob: true, retries: 1 } }]);
    state.apply(1, again, [done('x', { failedJob: false })]);
    expect(state.takeReady(2, 9_000)).toMatchObject([
      { enteredAtMs: 9_000, deadlineMs: 9_000 + 3_600_000 },
    ]);
  });

  it('a retry repeats only the steps in between, even in a diamond', () => {
    const plan = steps(
      {
        up: [],
        beside: ['up'],
        submit: ['up'],
        left: ['submit'],
        right: ['submit'],
        wait: ['left', 'right'],
        also: ['submit'],
        out: ['wait', 'beside', 'also'],
      },
      { wait: { mode: 'wait', retry: { step: 'submit', max: 1 } } },
    );
    const state = new KeyedShard(plan, assets('x'));
    let looked = false;
    const log = runAll(state, plan, (id, { key }) => {
      if (id !== 'wait' || looked) return done(key);
      looked = true;
      return retry(key);
    });
    const entered = (id: string) => log.filter((entry) => entry === `${id}:x`).length;
    expect(Object.fromEntries(plan.map(({ id }) => [id, entered(id)]))).toEqual({
      up: 1,
      beside: 1,
      submit: 2,
      left: 2,
      right: 2,
      wait: 2,
      also: 1,
      out: 1,
    });
    expect(state.takeSettled()).toMatchObject([{ outcome: 'complete' }]);
  });

  it('an asset that has failed in another branch is not retried', () => {
    const plan = steps(
      { submit: [], wait: ['submit'], other: [] },
      { wait: { mode: 'wait', retry: { step: 'submit', max: 5 } } },
    );
    const state = new KeyedShard(plan, assets('x'));
    const other = state.takeReady(2, 0);
    state.apply(0, state.takeReady(0, 0), [done('x')]);
    const wait = state.takeReady(1, 0);
    state.apply(2, other, [failed('x', 'OTHER')]);
    state.apply(1, wait, [retry('x')]);
    expect(startAll(state, plan)).toEqual([]);
    expect(state.takeSettled()).toMatchObject([{ failure: { code: 'OTHER' } }]);
  });

  it.each([
    ['no target', null],
    ['a target that is not in the plan', { step: 'nowhere', max: 3 }],
    ['a target that does not lead here', { step: 'beside', max: 3 }],
  ])('a retry with %s counts as a failure', (_name, target) => {
    const plan = steps({ beside: [], wait: [] }, { wait: { retry: target } });
    const state = new KeyedShard(plan, assets('x'));
    state.apply(0, state.takeReady(0, 0), [done('x')]);
    state.apply(1, state.takeReady(1, 0), [retry('x')]);
    expect(state.failures()).toMatchObject([{ code: 'RENDER_FAILED', attempts: 1 }]);
    expect(state.ended).toBe(true);
  });
});

describe('finalizing and cancelling', () => {
  it('each asset that has ended is returned once', () => {
    const plan = steps({ a: [] });
    const state = new KeyedShard(plan, assets('x', 'y'));
    const given = state.takeReady(0, 0);
    state.apply(0, given, [done('x')]);
    expect(state.takeSettled().map(({ key }) => key)).toEqual(['x']);
    expect(state.takeSettled()).toEqual([]);
  });

  it('the files of all steps are returned, in the order of delivery', () => {
    const plan = steps({ a: [], b: ['a'] });
    const file = (path: string) => ({
      key: 'x',
      path,
      bytes: 1,
      sha256: 'ab',
      width: 1,
      height: 1,
      output: path,
      delivery: 'd',
    });
    const state = new KeyedShard(plan, assets('x'));
    runAll(state, plan, (id, { key }) => ({ key, outcome: 'done', files: [file(`${id}.png`)] }));
    expect(state.takeSettled()[0]?.files.map(({ path }) => path)).toEqual(['a.png', 'b.png']);
  });

  it('on cancellation, all assets that were not finalized are returned, with their true outcomes', () => {
    const plan = steps({ a: [], b: ['a'] });
    const state = new KeyedShard(plan, assets('settled', 'ended', 'broken', 'running', 'waiting'));
    const given = state.takeReady(0, 0);
    const part = (...keys: string[]) => given.filter(({ key }) => keys.includes(key));
    state.apply(0, part('settled', 'ended'), [done('settled'), done('ended')]);
    const second = state.takeReady(1, 0);
    state.apply(1, second.slice(0, 1), [done('settled')]);
    expect(state.takeSettled().map(({ key }) => key)).toEqual(['settled']);
    state.apply(1, second.slice(1), [done('ended')]);
    state.apply(0, part('broken'), [failed('broken')]);
    state.release(0, part('waiting'));
    expect(state.takeCancelled().map(({ key, outcome }) => [key, outcome])).toEqual([
      ['ended', 'complete'],
      ['broken', 'failed'],
      ['running', 'cancelled'],
      ['waiting', 'cancelled'],
    ]);
    expect(state.takeCancelled()).toEqual([]);
  });
});

describe('counts of a shard', () => {
  it('the assets are counted by step', () => {
    const plan = steps({ a: [], b: ['a'] });
    const state = new KeyedShard(plan, assets('u', 'v', 'w', 'x'));
    const given = state.takeReady(0, 0);
    state.apply(0, given.slice(0, 3), [done('u'), failed('v'), done('w')]);
    state.apply(1, state.takeReady(1, 0), [done('u'), { key: 'w', outcome: 'pruned' }]);
    expect(state.counts()).toEqual({
      a: { waiting: 0, running: 1, done: 2, failed: 1 },
      b: { waiting: 1, running: 0, done: 2, failed: 0 },
    });
    expect(state.totals()).toEqual({ total: 4, complete: 1, failed: 1, skipped: 1 });
  });

  it('the totals add up when the shard has ended', () => {
    const plan = steps({ a: [] });
    const state = new KeyedShard(plan, assets('x', 'y', 'z'));
    state.apply(0, state.takeReady(0, 0), [
      done('x'),
      failed('y'),
      { key: 'z', outcome: 'pruned' },
    ]);
    const { total, complete, failed: broken, skipped } = state.totals();
    expect(complete + broken + skipped).toBe(total);
  });
});
