import { expect, test } from 'vitest';
import { countsOf } from '../../src/cli/runs/asset-counts.ts';
import type { RunSnapshot } from '../../src/cli/runs/run-snapshot.ts';
import type { Discovery, SettledAsset } from '../../src/plan/contract.ts';
import type { Totals } from '../../src/plan/totals.ts';

type Counts = [total: number, complete: number, failed: number, skipped: number];
type Case = [
  what: string,
  status: RunSnapshot['status'],
  known: {
    asked?: Counts;
    settled?: Partial<Record<SettledAsset['outcome'], number>>;
    found?: boolean;
  },
  counts: Counts,
  cancelled: number,
];

const found: Discovery = { total: 9, new: 6, changed: 1, unchanged: 1, refused: 1, pages: 1 };
const written = { complete: 2, failed: 1, cancelled: 1 };

test.each<Case>([
  ['under way', 'running', { asked: [9, 1, 1, 1], found: true }, [9, 1, 1, 1], 0],
  ['cancelled', 'cancelled', { asked: [9, 1, 1, 1], found: true }, [9, 1, 1, 1], 6],
  ['terminated', 'terminated', { asked: [9, 1, 1, 1], found: true }, [9, 1, 1, 1], 6],
  ['without a worker', 'cancelled', { settled: written, found: true }, [9, 2, 2, 1], 4],
  ['cancelled before it looked', 'cancelled', { asked: [0, 0, 0, 0] }, [0, 0, 0, 0], 0],
  ['of which nothing is known', 'terminated', {}, [0, 0, 0, 0], 0],
  ['behind', 'running', { asked: [0, 0, 0, 0], settled: { complete: 3 } }, [3, 3, 0, 0], 0],
])(
  'a run that is %s',
  (_what, status, { asked, settled = {}, found: isFound }, counts, cancelled) => {
    const ended = Object.entries(settled).flatMap(([outcome, count]) =>
      Array.from({ length: count }, () => ({ outcome: outcome as SettledAsset['outcome'] })),
    );
    const known = {
      asked: asked && totalsOf(asked),
      settled: ended,
      found: isFound ? found : null,
    };
    const unchanged = isFound ? 1 : 0;
    expect(countsOf(status, known)).toEqual({ ...totalsOf(counts), cancelled, unchanged });
  },
);

function totalsOf([total, complete, failed, skipped]: Counts): Totals {
  return { total, complete, failed, skipped };
}
