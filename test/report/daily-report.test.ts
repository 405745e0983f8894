// The page of all runs of a period. Foreign names are escaped, links lead to reports, and long lists are cut.
import { expect, it, test } from 'vitest';
import { formatDailyReport } from '../../src/cli/commands/runs/report.ts';
import { sumPaid } from '../../src/plan/run/paid-work.ts';
import type { DailyReport, DailyRun } from '../../src/report/daily/daily-report.ts';
import { dailyReportHtml } from '../../src/report/daily/daily-report-html.ts';
import { formatDailyReportCsv } from '../../src/report/report-csv.ts';

const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

const run = (fields: Partial<DailyRun> = {}): DailyRun => ({
  run: 'catalog-1',
  pipeline: 'catalog',
  outcome: 'complete',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  seconds: 60,
  complete: 1,
  failed: 0,
  repaired: 0,
  cancelled: 0,
  files: 1,
  requests: 2,
  paid: { ...sumPaid([]), renders: 1, models: 1 },
  report: null,
  temporalUi: null,
  remark: null,
  ...fields,
});

const night = (fields: Partial<DailyReport> = {}): DailyReport => ({
  schema: 'renderline/runs-report/v1',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-02T00:00:00.000Z',
  runs: [],
  unreadable: [],
  notRead: 0,
  outcomes: {},
  totals: { complete: 0, failed: 0, repaired: 0, cancelled: 0, files: 0, requests: 0 },
  paid: sumPaid([]),
  causes: [],
  ...fields,
});

const cause = {
  code: 'A',
  node: 'take',
  pipeline: 'p',
  count: 1,
  repaired: 0,
  title: 'T',
  message: 'M',
  fix: 'F',
};

test.each([
  ['a run', { runs: [run({ run: evil, outcome: evil, remark: evil, report: evil })] }],
  ['an outcome', { outcomes: { [evil]: 1 } }],
  ['an address', { runs: [run({ temporalUi: 'javascript:alert(1)' })] }],
  [
    'a cause',
    {
      causes: [
        {
          ...cause,
          code: evil,
          node: evil,
          pipeline: evil,
          message: evil,
          runs: [{ run: evil, count: 1, repaired: 0, rerunCommand: evil }],
        },
      ],
    },
  ],
])('%s is escaped', (_name, fields) => {
  const page = dailyReportHtml(night(fields));
  expect(page).not.toMatch(/<img|<script|href="javascript:/);
  expect(page).toContain("default-src 'none'");
});

it('the page links runs to their reports, and counts the runs that are not shown', () => {
  const page = dailyReportHtml(night({ runs: [run({ report: './catalog-1.html' })], notRead: 3 }));
  expect(page).toContain('<a href="./catalog-1.html">catalog-1</a>');
  expect(page).toContain('3 older runs were not read');
  expect(dailyReportHtml(night())).toContain('No runs in this period.');
});

it('the page shows the number of runs for which a sum is unknown', () => {
  const runs = [run({ requests: null, paid: null }), run({})];
  const page = dailyReportHtml(night({ runs }));
  expect(page).toMatch(/API requests<\/dt><dd>\d+, unknown for 1 run</);
  expect(page).toMatch(/Renders paid<\/dt><dd>\d+, unknown for 1 run</);
  expect(dailyReportHtml(night({ runs: [run({})] }))).not.toContain('unknown for');
  const text = formatDailyReport(night({ runs, notRead: 3 }), (_format, words) => words);
  expect(text).toContain('unknown for 1 run\n3 older runs not read');
});

it('the page shows commands for ten runs per cause', () => {
  const runs = Array.from({ length: 12 }, (_, at) => ({
    run: `r${at}`,
    count: 1,
    repaired: 0,
    rerunCommand: 'again',
  }));
  const page = dailyReportHtml(night({ causes: [{ ...cause, runs }] }));
  expect(page.match(/<code>again/g)).toHaveLength(10);
  expect(page).toContain('and 2 older runs');
});

it('the page shows unknown numbers of requests as unknown', () => {
  const unknown = night({ runs: [run({ requests: null })] });
  expect(dailyReportHtml(unknown)).toContain('<td>unknown</td>');
  expect(formatDailyReportCsv(unknown)).toContain(',1,0,0,0,1,,1,1,0\n');
});

it('the unfinished assets of stopped runs are counted, if there are any', () => {
  const runs = [run({ outcome: 'cancelled', complete: 3, cancelled: 7 }), run()];
  const totals = { complete: 4, failed: 0, repaired: 0, cancelled: 7, files: 4, requests: 4 };
  const stopped = night({ runs, totals });
  expect(dailyReportHtml(stopped)).toMatch(/Assets cancelled<\/dt><dd>7</);
  expect(dailyReportHtml(stopped)).toContain('>Cancelled<');
  expect(formatDailyReport(stopped, (_format, words) => words)).toContain(
    '4 assets complete, 7 cancelled, 4 files',
  );
  expect(dailyReportHtml(night({ runs: [run()] }))).not.toContain('>Cancelled<');
});

it('the CSV has one line per run', () => {
  expect(formatDailyReportCsv(night({ runs: [run()] }))).toBe(
    '\uFEFFrun,pipeline,outcome,startedAt,endedAt,seconds,complete,failed,repaired,cancelled,files,requests,renders,models,captures\n' +
      'catalog-1,catalog,complete,2026-01-01T00:00:00.000Z,,60,1,0,0,0,1,2,1,1,0\n',
  );
});

it('assets that a later run delivered are shown as repaired', () => {
  const runs = [{ run: 'r', count: 2, repaired: 2, rerunCommand: null }];
  const page = dailyReportHtml(
    night({
      runs: [run({ outcome: 'failed', complete: 0, failed: 2, repaired: 2 })],
      causes: [{ ...cause, count: 2, repaired: 2, runs }],
    }),
  );
  expect(page).toContain(
    '<article class="cause repaired"><h3>p: A at take: 2 assets, repaired since',
  );
  expect(page).toMatch(/failed<\/span> <span class="outcome complete">repaired since/);
});

it('cancelled shards are counted as shards, on the page and in the terminal', () => {
  const runs = [{ run: 'r', count: 2, repaired: 0, rerunCommand: null }];
  const shards = { ...cause, code: 'SHARD_CANCELLED', node: '', count: 2, runs };
  const report = night({ causes: [shards] });
  const page = dailyReportHtml(report);
  expect(page).toContain('<h3>p: SHARD_CANCELLED: 2 shards</h3>');
  expect(page).toContain('<p>r: 2 shards</p>');
  const text = formatDailyReport(report, (_format, text) => text);
  expect(text).toContain('  SHARD_CANCELLED, p: 2 shards');
});
