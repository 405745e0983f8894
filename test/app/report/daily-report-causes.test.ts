// The daily report: failures, and how many of them a later run has repaired.
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

const complete = (...keys: string[]) => keys.map((key) => ({ key, outcome: 'complete' as const }));

const recordsIn = (path: string) => ({ type: 'local', path });

function run(name: string, more: Partial<Parameters<DailyReportCauses['add']>[0]> = {}) {
  const same = { run: name, pipeline: 'shop', records: recordsIn('/production'), isOver: true };
  return { ...same, path: 'shop.yaml', failures: [], finalized: [], ...more };
}

it('a later run that completed an asset mends its failure; an earlier one does not', () => {
  const causes = new DailyReportCauses();
  // Runs are added newest first.
  expect(causes.add(run('third', { failures: failures('c') }))).toBe(0);
  expect(causes.add(run('second', { finalized: complete('a', 'c') }))).toBe(0);
  expect(causes.add(run('first', { failures: failures('a', 'b') }))).toBe(1);
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

it('a run of another pipeline with the same name mends nothing', () => {
  const causes = new DailyReportCauses();
  causes.add(run('second', { records: recordsIn('/staging'), finalized: complete('a') }));
  expect(causes.add(run('first', { failures: failures('a') }))).toBe(0);
  const rerunCommand = expect.stringContaining('rerun first');
  expect(causes.sorted()).toMatchObject([{ repaired: 0, runs: [{ rerunCommand }] }]);
});

it('a cause of which all is mended comes last, and asks for no command', () => {
  const causes = new DailyReportCauses();
  causes.add(run('second', { finalized: complete('a', 'b') }));
  causes.add(run('first', { failures: failures('a', 'b') }));
  causes.add(run('other', { pipeline: 'other', failures: failures('a') }));
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
      totals: { complete: 2, failed: 3, repaired: 2, files: 2, requests: 1 },
      paid: sumPaid([]),
      causes: causes.sorted(),
    },
    (_format, words) => words,
  );
  expect(text).toContain('2 assets complete, 3 failed, 2 of them repaired since');
  expect(text).toContain('RENDER_FAILED at shots, shop: 2 assets, repaired since');
});
