// The daily report: failures, and how many of them later runs have repaired.
import { expect, it } from 'vitest';
import { DailyReportCauses } from '../../../src/app/report/read-daily-report.ts';
import { formatDailyReport } from '../../../src/cli/commands/runs/report.ts';
import { explainFailure } from '../../../src/features/failures.ts';
import { sumPaid } from '../../../src/plan/run/paid-work.ts';

function failures(...keys: string[]) {
  return keys.map((key) =>
    explainFailure({ key, node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 1 }),
  );
}

const run = (name: string, pipeline = 'shop') =>
  ({ run: name, pipeline, status: 'completed', memo: { path: 'shop.yaml' } }) as const;

it('a cause counts its failures and its repaired failures in all runs', () => {
  const causes = new DailyReportCauses();
  expect(causes.add(run('third'), failures('c'), new Set())).toBe(0);
  const repairedKeys = new Set(['a']);
  expect(causes.add(run('first'), failures('a', 'b'), repairedKeys)).toBe(1);
  expect(causes.sorted()).toMatchObject([
    {
      count: 3,
      repaired: 1,
      runs: [
        { run: 'third', count: 1, repaired: 0 },
        {
          run: 'first',
          count: 2,
          repaired: 1,
          rerunCommand: expect.stringContaining('rerun first'),
        },
      ],
    },
  ]);
});

it('an asset that failed again in a newer run counts once, and only the newer run has a command', () => {
  const causes = new DailyReportCauses();
  causes.add(run('rerun'), failures('a'), new Set());
  causes.add(run('first'), failures('a', 'b'), new Set(['b']));
  expect(causes.sorted()).toMatchObject([
    {
      count: 2,
      repaired: 1,
      runs: [{ rerunCommand: expect.stringContaining('rerun rerun') }, { rerunCommand: null }],
    },
  ]);
});

it('a cause whose failures are all repaired comes last, and has no command', () => {
  const causes = new DailyReportCauses();
  const repairedKeys = new Set(['a', 'b']);
  causes.add(run('first'), failures('a', 'b'), repairedKeys);
  causes.add(run('other', 'other'), failures('a'), new Set());
  const [open, repaired] = causes.sorted();
  expect(open).toMatchObject({ pipeline: 'other', count: 1, repaired: 0 });
  expect(repaired).toMatchObject({
    pipeline: 'shop',
    count: 2,
    repaired: 2,
    runs: [{ rerunCommand: null }],
  });
  const text = formatDailyReport(
    {
      schema: 'renderline/runs-report/v1',
      since: '',
      until: '',
      runs: [],
      unreadable: [],
      notRead: 0,
      outcomes: {},
      totals: { complete: 2, failed: 3, repaired: 2, cancelled: 0, files: 2, requests: 1 },
      paid: sumPaid([]),
      causes: causes.sorted(),
    },
    (_format, words) => words,
  );
  expect(text).toContain('2 assets complete, 3 failed, 2 of them repaired since');
  expect(text).toContain('RENDER_FAILED at shots, shop: 2 assets, repaired since');
});
