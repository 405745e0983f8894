// Tests the calls that the cells of a grid share.
import { describe, expect, it } from 'vitest';
import type { CellSharing } from '../../src/plan/grid.ts';
import { CellBatcher } from '../../src/plan/shard/cells.ts';
import { ShardState } from '../../src/plan/shard/shard-state.ts';
import type { CellIndexes } from '../../src/plan/shard/step-contract.ts';
import type { Step } from '../../src/plan/types.ts';
import { steps } from './_steps.ts';

/** Three models in two colorways each: positions 0 to 5. */
const cells: CellIndexes[] = [
  [0, 0],
  [0, 1],
  [2, 0],
  [2, 1],
  [4, 0],
  [4, 1],
];
const grid = new CellBatcher(cells.map((cell, at) => [at, cell]));
const taken = (...positions: number[]) =>
  positions.map((at) => ({ assetIndex: at, enteredAtMs: 1_000 }));
const positions = (calls: readonly { assetIndex: number }[][]) =>
  calls.map((call) => call.map(({ assetIndex: at }) => at));

describe('the calls of a step for cells', () => {
  const rows: [what: CellSharing | undefined, batch: number, calls: number[][]][] = [
    [
      undefined,
      4,
      [
        [0, 1, 2, 3],
        [4, 5],
      ],
    ],
    [
      { work: 0, calls: 0 },
      2,
      [
        [0, 1, 2, 3],
        [4, 5],
      ],
    ],
    [
      { work: 1, calls: 0 },
      1,
      [
        [0, 1],
        [2, 3],
        [4, 5],
      ],
    ],
    [
      { work: 1, calls: 1 },
      50,
      [
        [0, 2, 4],
        [1, 3, 5],
      ],
    ],
    [{ work: 1, calls: 1 }, 2, [[0, 2], [4], [1, 3], [5]]],
  ];
  it.each(rows)(
    'the calls with the sharing %j, for at most %d cells each, are %j',
    (sharing, batch, calls) => {
      const step = { batch, ...(sharing ? { cells: sharing } : {}) };
      const found = grid.callsOf(step, taken(0, 1, 2, 3, 4, 5), () => false, 1_000);
      expect([positions(found.calls), found.nextCheckAtMs]).toEqual([calls, null]);
    },
  );

  it('calls wait for the other colorways of a model, but not forever', () => {
    const step = { batch: 50, cells: { work: 1, calls: 0 } };
    const ask = (nowMs: number, coming: number[]) =>
      grid.callsOf(step, taken(0, 2, 3), (at) => coming.includes(at), nowMs);
    expect(ask(1_000, [1])).toMatchObject({ nextCheckAtMs: 121_000 });
    expect(positions(ask(1_000, [1]).calls)).toEqual([[2, 3]]);
    expect(positions(ask(121_000, [1]).calls)).toEqual([[0, 2, 3]]);
    // A failed cell does not arrive any more.
    expect(positions(ask(1_000, []).calls)).toEqual([[0, 2, 3]]);
  });
});

describe('the calls of a step for cells with views', () => {
  /** Two models in two colorways and two views each: positions 0 to 7. */
  const viewed = new CellBatcher(
    Array.from({ length: 8 }, (_, at): [number, CellIndexes] => [
      at,
      [at < 4 ? 0 : 4, Math.floor(at / 2) % 2, at % 2],
    ]),
  );
  const all = taken(0, 1, 2, 3, 4, 5, 6, 7);

  it.each([
    [
      'for one colorway and one view each',
      { work: 2, calls: 2 },
      [
        [0, 4],
        [1, 5],
        [2, 6],
        [3, 7],
      ],
    ],
    [
      'for one colorway each, with all views',
      { work: 1, calls: 1 },
      [
        [0, 1, 4, 5],
        [2, 3, 6, 7],
      ],
    ],
    ['for whole models', { work: 2, calls: 0 }, [[0, 1, 2, 3, 4, 5, 6, 7]]],
  ])('the calls are %s', (_what, cells, calls) => {
    const found = viewed.callsOf({ batch: 2, cells }, all, () => false, 1_000);
    expect(positions(found.calls)).toEqual(calls);
  });

  it('the number of combinations is known for each grid', () => {
    expect([
      viewed.combinationCount,
      grid.combinationCount,
      new CellBatcher().combinationCount,
    ]).toEqual([4, 2, 0]);
  });

  it('calls for all views wait only for cells of their colorway', () => {
    const step = { batch: 50, cells: { work: 1, calls: 1 } };
    const found = viewed.callsOf(step, taken(0, 2, 3), (at) => at === 1, 1_000);
    expect([positions(found.calls), found.nextCheckAtMs]).toEqual([[[2, 3]], 121_000]);
  });
});

describe('a wait in a shard of cells', () => {
  const graph = { ready: [], look: ['ready'] };
  const gatherOf = (marks: Record<string, Partial<Step>>, isGrid: boolean) =>
    new ShardState(
      steps(graph, marks),
      [0, 1, 2, 3, 4, 5],
      [],
      isGrid ? { cells } : {},
    ).batchingFor(0);

  it('the wait batches cells for the calls of all colorways if its step is marked', () => {
    const mark = { ready: { batchesCells: true as const }, look: { batch: 20 } };
    expect([gatherOf(mark, true), gatherOf(mark, false)]).toEqual([
      { batchAssets: 40, calls: 2 },
      { batchAssets: 20 },
    ]);
    expect(gatherOf({ look: { batch: 20 } }, true)).toEqual({ batchAssets: 20 });
  });
});

describe('a shard of cells', () => {
  const plan = steps(
    { up: [], look: ['up'] },
    { up: { cells: { work: 0, calls: 0 } }, look: { cells: { work: 1, calls: 0 } } },
  );
  const report = { pruned: [], retry: [], pages: [], reportedFailures: [] };

  it('a shard knows which cells may still arrive, even after it has continued as new', () => {
    const state = new ShardState(plan, [0, 1, 2, 3], [], { cells: cells.slice(0, 4) });
    expect(positions(state.takeCalls(0, 0).calls)).toEqual([[0, 1, 2, 3]]);
    state.apply(0, [0, 1, 2, 3], { ...report, done: [0, 2], failed: [3] });
    state.takeFinalized();
    const carried = JSON.parse(JSON.stringify(state.carried([]))) as ReturnType<
      typeof state.carried
    >;
    for (const one of [state, ShardState.fromCarried(plan, carried)]) {
      const { calls, nextCheckAtMs } = one.takeCalls(1, 0);
      // The other colorway of the first model has not arrived yet, and that of the second has failed.
      expect([positions(calls), nextCheckAtMs]).toEqual([[[2]], 120_000]);
    }
  });
});
