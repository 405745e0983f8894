// Tests a shard of a run that stops. It starts no new work, and finishes the work that it has started.
import { describe, expect, it } from 'vitest';
import type { Step } from '../../src/plan/types.ts';
import { KeyedShard } from './_keyed-shard.ts';
import { assets, done, failed, retry, runAll, startAll, steps } from './_steps.ts';

const shape = { take: [], ready: ['take'], shots: ['ready'], wait: ['shots'], deliver: ['wait'] };
const submits = new Set(['take', 'shots']);

/** The state in which all assets have reached `step`. */
function stateBefore(step: string, more: Record<string, Partial<Step>> = {}) {
  const plan = steps(shape, more);
  const state = new KeyedShard(plan, assets('x', 'y'));
  while (!state.hasReady(plan.findIndex(({ id }) => id === step))) {
    for (const { index, given } of startAll(state, plan))
      state.apply(
        index,
        given,
        given.map(({ key }) => done(key)),
      );
  }
  return { plan, state };
}

describe('an asset in a run that stops', () => {
  it.each<[string, string[]]>([
    ['take', []],
    ['ready', ['ready']],
    ['shots', []],
    ['wait', ['wait', 'deliver']],
    ['deliver', ['deliver']],
  ])('an asset before %s continues with %j', (step, log) => {
    const { plan, state } = stateBefore(step);
    state.stop(submits);
    const entered = runAll(state, plan, (_id, { key }) => done(key));
    expect(entered).toEqual(log.map((id) => `${id}:x+y`));
    const outcome = log.includes('deliver') ? 'complete' : 'cancelled';
    expect(state.takeSettled().map((one) => one.outcome)).toEqual([outcome, outcome]);
    expect(state.ended).toBe(true);
    const ended = outcome === 'complete' ? { complete: 2 } : { skipped: 2 };
    expect(state.totals()).toMatchObject({ total: 2, failed: 0, ...ended });
  });

  it('an asset in a step is awaited, and its results are kept', () => {
    const { plan, state } = stateBefore('shots');
    const [started] = startAll(state, plan);
    state.stop(submits);
    expect(state.ended).toBe(false);
    state.apply(started?.index ?? 0, started?.given ?? [], [
      done('x', { jobId: 'j-1' }),
      failed('y'),
    ]);
    runAll(state, plan, (_id, { key }) => done(key));
    expect(state.takeSettled()).toMatchObject([
      { outcome: 'complete', platformIds: { jobId: 'j-1' } },
      { outcome: 'failed' },
    ]);
  });

  it('an asset whose job continues keeps the job for the next run', () => {
    const { plan, state } = stateBefore('shots');
    const [started] = startAll(state, plan);
    state.stop(new Set([...submits, 'wait']));
    const results = [done('x', { jobId: 'j-1' }), done('y')];
    state.apply(started?.index ?? 0, started?.given ?? [], results);
    const [x, y] = state.takeSettled();
    expect(x).toMatchObject({ outcome: 'cancelled', renderContinues: true });
    expect(y).not.toHaveProperty('renderContinues');
  });

  it('an asset that a stop ends while its shard continues as new counts once', () => {
    const { plan, state } = stateBefore('shots');
    state.stop(submits);
    state.continueAsNew();
    state.stop(submits);
    expect(runAll(state, plan, (_id, { key }) => done(key))).toEqual([]);
    state.takeSettled();
    expect(state.totals()).toEqual({ total: 2, complete: 0, failed: 0, skipped: 2 });
  });

  it('an asset whose render failed is not rendered again', () => {
    const { plan, state } = stateBefore('wait', { wait: { retry: { step: 'shots', max: 3 } } });
    state.stop(submits);
    expect(runAll(state, plan, (_id, { key }) => retry(key))).toEqual(['wait:x+y']);
    expect(state.takeSettled().map(({ outcome }) => outcome)).toEqual(['cancelled', 'cancelled']);
    expect(state.counts()['shots']?.waiting).toBe(0);
  });
});
