import { expect, test } from 'vitest';
import { countAssets } from '../../../src/app/runs/run-shape.ts';
import type { RunSnapshot } from '../../../src/app/runs/run-snapshot.ts';
import type { Discovery } from '../../../src/plan/contract/contract.ts';
import type { Totals } from '../../../src/plan/shard/totals.ts';

type Counts = [total: number, complete: number, failed: number, skipped: number];
type Case = [
  what: string,
  status: RunSnapshot['status'],
  known: {
    reported?: Counts;
    stored?: Counts;
    discovery?: boolean;
  },
  counts: Counts,
  cancelled: number,
];

const found: Discovery = { total: 9, new: 6, changed: 1, unchanged: 1, refused: 1, pages: 1 };
/** Two complete assets, a failed one and a cancelled one. */
const written: Counts = [4, 2, 1, 0];

test.each<Case>([
  ['under way', 'running', { reported: [9, 1, 1, 1], discovery: true }, [9, 1, 1, 1], 0],
  ['cancelled', 'cancelled', { reported: [9, 1, 1, 1], discovery: true }, [9, 1, 1, 1], 6],
  ['terminated', 'terminated', { reported: [9, 1, 1, 1], discovery: true }, [9, 1, 1, 1], 6],
  ['without a worker', 'cancelled', { stored: written, discovery: true }, [9, 2, 2, 1], 4],
  ['cancelled before discovery', 'cancelled', { reported: [0, 0, 0, 0] }, [0, 0, 0, 0], 0],
  ['unknown', 'terminated', {}, [0, 0, 0, 0], 0],
  [
    'behind its written results',
    'running',
    { reported: [0, 0, 0, 0], stored: [3, 3, 0, 0] },
    [3, 3, 0, 0],
    0,
  ],
])(
  'the assets of a run that is %s are counted',
  (_what, status, { reported: asked, stored, discovery: isFound }, counts, cancelled) => {
    const known = {
      reported: asked && totalsOf(asked),
      stored: totalsOf(stored ?? [0, 0, 0, 0]),
      discovery: isFound ? found : null,
    };
    const unchanged = isFound ? 1 : 0;
    expect(countAssets(status, known)).toEqual({ ...totalsOf(counts), cancelled, unchanged });
  },
);

function totalsOf([total, complete, failed, skipped]: Counts): Totals {
  return { total, complete, failed, skipped };
}
