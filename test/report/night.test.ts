// Tests the page of all runs of a period: foreign names are escaped, links lead to reports, long lists are cut.
import { expect, it, test } from 'vitest';
import { sumOfPaid } from '../../src/plan/paid.ts';
import type { Night, NightRun } from '../../src/report/night.ts';
import { nightHtml } from '../../src/report/night-html.ts';
import { nightCsv } from '../../src/report/report-csv.ts';

const evil = `"><img src=x onerror=alert(1)><script>alert(2)</script>`;

const run = (fields: Partial<NightRun> = {}): NightRun => ({
  run: 'catalog-1',
  pipeline: 'catalog',
  outcome: 'complete',
  startedAt: '2026-01-01T00:00:00.000Z',
  endedAt: null,
  seconds: 60,
  complete: 1,
  failed: 0,
  mended: 0,
  files: 1,
  requests: 2,
  paid: { ...sumOfPaid([]), renders: 1, models: 1 },
  report: null,
  temporalUi: null,
  remark: null,
  ...fields,
});

const night = (fields: Partial<Night> = {}): Night => ({
  schema: 'renderline/runs-report/v1',
  since: '2026-01-01T00:00:00.000Z',
  until: '2026-01-02T00:00:00.000Z',
  runs: [],
  unreadable: [],
  left: 0,
  outcomes: {},
  totals: { complete: 0, failed: 0, mended: 0, files: 0, requests: 0 },
  paid: sumOfPaid([]),
  causes: [],
  ...fields,
});

const cause = {
  code: 'A',
  node: 'take',
  pipeline: 'p',
  count: 1,
  mended: 0,
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
          runs: [{ run: evil, count: 1, mended: 0, redo: evil }],
        },
      ],
    },
  ],
])('%s is text', (_name, fields) => {
  const page = nightHtml(night(fields));
  expect(page).not.toMatch(/<img|<script|href="javascript:/);
  expect(page).toContain("default-src 'none'");
});

it('links runs to their reports, and counts those that it leaves out', () => {
  const page = nightHtml(night({ runs: [run({ report: './catalog-1.html' })], left: 3 }));
  expect(page).toContain('<a href="./catalog-1.html">catalog-1</a>');
  expect(page).toContain('3 older runs not read');
  expect(nightHtml(night())).toContain('No run was open.');
});

it('shows the commands of ten runs of a cause', () => {
  const runs = Array.from({ length: 12 }, (_, at) => ({
    run: `r${at}`,
    count: 1,
    mended: 0,
    redo: 'again',
  }));
  const page = nightHtml(night({ causes: [{ ...cause, runs }] }));
  expect(page.match(/<code>again/g)).toHaveLength(10);
  expect(page).toContain('and 2 older runs');
});

it('has a line of CSV for each run', () => {
  expect(nightCsv(night({ runs: [run()] }))).toBe(
    '\uFEFFrun,pipeline,outcome,startedAt,endedAt,seconds,complete,failed,mended,files,requests,renders,models,captures\n' +
      'catalog-1,catalog,complete,2026-01-01T00:00:00.000Z,,60,1,0,0,1,2,1,1,0\n',
  );
});

it('shows what a later run has mended as mended', () => {
  const runs = [{ run: 'r', count: 2, mended: 2, redo: null }];
  const page = nightHtml(
    night({
      runs: [run({ outcome: 'failed', complete: 0, failed: 2, mended: 2 })],
      causes: [{ ...cause, count: 2, mended: 2, runs }],
    }),
  );
  expect(page).toContain(
    '<article class="cause mended"><h3>p: A at take: 2 assets, repaired since',
  );
  expect(page).toMatch(/failed<\/span> <span class="outcome complete">repaired since/);
});
