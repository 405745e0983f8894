// One report for several steps leads to the same state of a shard as one report for each step.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { StepReport } from '../../src/plan/shard/step-contract.ts';
import { steps } from './_steps.ts';

const plan = steps(
  { a: [], b: ['a'], c: ['b'], d: ['c'] },
  { a: { chain: ['b', 'c'] }, b: { chain: ['c'] }, c: { retry: { step: 'b', max: 1 } } },
);
const nothing: StepReport = {
  done: [],
  pruned: [],
  failed: [],
  retry: [],
  pages: [],
  reportedFailures: [],
};

function shard(assets = 3): ShardState {
  const state = new ShardState(
    plan,
    Array.from({ length: assets }, (_, at) => at),
  );
  state.recordArrivals(0);
  return state;
}

describe('one report for several steps', () => {
  it('one report moves each asset to the step that it reached', () => {
    const state = shard();
    const given = state.takeReady(0, 0).map(({ assetIndex: at }) => at);
    state.apply(0, given, {
      ...nothing,
      done: [0, 1, 2],
      chain: [{ ...nothing, done: [0], failed: [1] }],
    });
    expect(state.ready(1, 0).map(({ assetIndex: at }) => at)).toEqual([2]);
    expect(state.ready(2, 0).map(({ assetIndex: at }) => at)).toEqual([0]);
    expect(state.totals()).toMatchObject({ failed: 1 });
  });

  it('one report keeps the pages of all of its steps', () => {
    const state = shard(1);
    state.takeReady(0, 0);
    state.apply(0, [0], {
      ...nothing,
      done: [0],
      pages: ['first'],
      chain: [
        {
          ...nothing,
          done: [0],
          pages: ['second'],
        },
        {
          ...nothing,
          done: [0],
          pages: ['third'],
        },
      ],
    });
    expect(state.pagesOf([0])).toEqual(['first', 'second', 'third']);
  });

  it('one report does not continue with a stopped step', () => {
    const state = shard();
    expect(state.chainOf(0).map(({ id }) => id)).toEqual(['b', 'c']);
    state.stop(new Set(['c']));
    expect(state.chainOf(0).map(({ id }) => id)).toEqual(['b']);
  });

  it('one report after a stop counts finished steps as done', () => {
    const state = shard(1);
    state.takeReady(0, 0);
    state.stop(new Set(['b', 'c']));
    const chain = [
      { ...nothing, done: [0] },
      { ...nothing, done: [0] },
    ];
    state.apply(0, [0], { ...nothing, done: [0], chain });
    expect(state.ready(3, 0)).toHaveLength(1);
  });

  it('one report has the same result as a report for each step', () => {
    const outcome = fc.constantFrom('done', 'pruned', 'failed', 'retry', 'left');
    fc.assert(
      fc.property(fc.array(fc.tuple(outcome, outcome, outcome), { maxLength: 5 }), (assets) => {
        const reportOf = (step: number, positions: readonly number[]): StepReport => {
          const of = (wanted: string) => positions.filter((at) => assets[at]?.[step] === wanted);
          return {
            ...nothing,
            done: of('done'),
            pruned: of('pruned'),
            failed: of('failed'),
            retry: of('retry'),
          };
        };
        const everyone = assets.map((_, at) => at);
        const first = reportOf(0, everyone);
        const second = reportOf(1, first.done);
        const third = reportOf(2, second.done);
        const together = shard(assets.length);
        together.takeReady(0, 0);
        together.apply(0, everyone, { ...first, chain: [second, third] });
        const oneByOne = shard(assets.length);
        oneByOne.takeReady(0, 0);
        oneByOne.apply(0, everyone, first);
        oneByOne.takeReady(1, 0);
        oneByOne.apply(1, first.done, second);
        oneByOne.takeReady(2, 0);
        oneByOne.apply(2, second.done, third);
        expect(together.counts()).toEqual(oneByOne.counts());
        expect(together.totals()).toEqual(oneByOne.totals());
        plan.forEach((_, index) => {
          const ready = (state: ShardState) =>
            state.ready(index, 0).map(({ assetIndex: at }) => at);
          expect(ready(together)).toEqual(ready(oneByOne));
        });
      }),
    );
  });
});
