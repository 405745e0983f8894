// Output of `renderline test`: for people, for CI servers, and compared with snapshots.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkStarts, type TestedRun } from '../../../src/app/testing/check-expectations.ts';
import { snapshotNamesOf, type TestResult } from '../../../src/app/testing/run-test.ts';
import { Snapshots } from '../../../src/app/testing/snapshots.ts';
import { formatResult, formatSummary } from '../../../src/cli/testing/format.ts';
import { formatJunitXml } from '../../../src/cli/testing/junit.ts';
import type { ScheduleDeclaration } from '../../../src/compile/schedule.ts';
import { folderWith } from '../../cli/_folder.ts';
import { run } from '../../cli/_run-cli.ts';

const facts: TestedRun = {
  outcome: 'complete',
  cause: null,
  runs: 1,
  assets: { total: 1, complete: 1, failed: 0, skipped: 0, unchanged: 0, cancelled: 0 },
  files: ['a.png'],
  failures: [],
  warnings: [],
  requests: { listRenders: 4 },
  notices: [],
  ms: 1,
};
const passed: TestResult = {
  name: 'a <b> & "c"',
  file: 'x.test.yaml',
  line: 2,
  outcome: 'passed',
  ms: 1_234,
  reason: '',
  mismatches: [],
  runs: [],
};
const failed: TestResult = {
  ...passed,
  name: 'fails',
  line: 7,
  outcome: 'failed',
  mismatches: [{ path: ['files', 0], expected: 'b.png', got: 'not there', line: 9, col: 12 }],
  runs: [{ facts, reports: [], problems: [] }],
};
const skipped: TestResult = { ...passed, name: 'later', outcome: 'skipped', reason: 'not yet' };
const plain = (_style: unknown, text: string) => text;

test('the output for people contains the position of the expectation, both values and the end of the run', () => {
  expect(formatResult(failed, plain).split('\n')).toEqual([
    '✗ fails 1.2 s',
    '    x.test.yaml:9:12 expect.files.0',
    '      expected  b.png',
    '      got       not there',
    '    the run: complete',
  ]);
  expect(formatResult(skipped, plain)).toBe('- later skipped: not yet');
  expect(formatSummary([passed, failed, skipped], 2_000, plain)).toBe(
    '3 tests: 1 failed, 1 passed, 1 skipped in 2.0 s',
  );
});

test('the JUnit output contains the counts of all outcomes, and escapes text', () => {
  const xml = formatJunitXml([passed, failed, skipped]);
  expect(xml).toContain('<testsuites tests="3" failures="1" errors="0" skipped="1" time="3.702">');
  expect(xml).toContain('name="a &lt;b&gt; &amp; &quot;c&quot;" classname="x.test.yaml"');
  expect(xml).toContain(
    '<failure message="x.test.yaml:9:12 expect.files.0 expected  b.png got       not there">',
  );
  expect(xml).toContain('<skipped message="not yet"/>');
  expect(formatJunitXml([{ ...passed, name: 'bell \u0007' }])).toContain('name="bell �"');
});

test.each([
  ['in a new folder is written', 'new/deep/results.xml', 0],
  ['that is a folder is refused before a test runs', '.', 2],
])('a JUnit file %s', async (_name, junit, code) => {
  const cwd = folderWith({
    'x.yaml':
      'name: x\nnodes: [{ id: a, type: model_ready, config: { select: { status: READY } } }]\nschedule: { cron: "0 2 * * *", timezone: UTC }\n',
    'x.test.yaml':
      'tests:\n  - name: at two\n    expect: { starts: { from: 2026-01-01, to: 2026-01-02, at: ["2026-01-01T02:00"] } }\n',
  });
  const ran = await run(['test', 'x.test.yaml', '--junit', junit], { cwd });
  expect([ran.code, ran.stdout.includes('1 passed')]).toEqual([code, code === 0]);
  expect(existsSync(join(cwd, 'new/deep/results.xml'))).toBe(code === 0);
});

describe('a snapshot', () => {
  let folder = '';
  const open = (update: boolean) => Snapshots.of('x.test.yaml', folder, update);
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'renderline-snapshots-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test('a snapshot that does not exist is reported with a hint about --update', async () => {
    const found = (await open(false)).compare('one', facts);
    expect(found).toMatchObject([{ path: ['snapshot'], got: expect.stringContaining('--update') }]);
  });

  test('a snapshot is written and compared, and a difference is reported', async () => {
    const writing = await open(true);
    expect(writing.compare('one', facts)).toEqual([]);
    await writing.save(new Set(['one']));
    const reading = await open(false);
    expect(reading.compare('one', { ...facts, requests: { listRenders: 9 }, ms: 5 })).toEqual([]);
    expect(reading.compare('one', { ...facts, files: ['b.png'] })).toEqual([
      {
        path: ['snapshot'],
        expected: 'files: ["a.png"]',
        got: '["b.png"] (if the change is intended: renderline test --update)',
      },
    ]);
  });

  test('a snapshot of a test that was not run is kept, and that of a removed test is deleted', async () => {
    const part = await open(true);
    part.compare('two', facts);
    await part.save(new Set(['one', 'two']));
    const names = () =>
      Object.keys(JSON.parse(readFileSync(join(folder, 'x.test.snapshot.json'), 'utf8')));
    expect(names()).toEqual(['one', 'two']);
    const all = await open(true);
    all.compare('two', facts);
    await all.save(new Set(['two']));
    expect(names()).toEqual(['two']);
  });

  test('each run that expects a snapshot gets its own snapshot name', () => {
    const run = (snapshot: boolean) => ({ files: ['a.glb'], expect: { snapshot } });
    const again = [run(false), run(true)];
    expect(snapshotNamesOf({ name: 'two', ...run(true), again })).toEqual(['two', 'two, run 3']);
  });

  test('a snapshot in a damaged file fails with the name of the file', async () => {
    writeFileSync(join(folder, 'x.test.snapshot.json'), '{');
    await expect(open(false)).rejects.toThrow('x.test.snapshot.json is not valid JSON');
  });
});

describe('starts of a schedule', () => {
  const nightly: ScheduleDeclaration = {
    name: null,
    cron: ['0 2 * * *'],
    interval: null,
    timezone: 'Europe/Berlin',
    overlap: 'skip',
    catchUpMs: 0,
    jitterMs: 0,
    paused: null,
    parameters: {},
    from: null,
    until: null,
    except: { days: [], weekdays: [], calendars: [] },
    onExcept: 'skip',
    clockChange: null,
  };
  const judged = (at: string[]) =>
    checkStarts({ from: '2026-03-28', to: '2026-03-31', at }, [nightly]);

  test('expected starts may use the time zone of the schedule, or UTC', () => {
    expect(judged(['2026-03-28T02:00', '2026-03-30T00:00Z'])).toEqual([]);
  });

  test('expected starts do not include excepted days', () => {
    const except = { ...nightly.except, days: [Date.UTC(2026, 2, 28) / 86_400_000] };
    const expected = { from: '2026-03-28', to: '2026-03-31', at: ['2026-03-30T02:00'] };
    expect(checkStarts(expected, [{ ...nightly, except }])).toEqual([]);
  });

  test('starts are reported if they are missing or unexpected', () => {
    expect(judged(['2026-03-28T02:00', '2026-03-29T02:30'])).toEqual([
      { path: ['starts', 'at', 1], expected: '2026-03-29T02:30', got: 'no start at this time' },
      { path: ['starts', 'at'], expected: 'only 2', got: 'also 2026-03-30T00:00:00.000Z' },
    ]);
  });

  test('starts of an unknown schedule are reported', () => {
    const starts = { schedule: 'x', from: '2026-03-28', to: '2026-03-31', at: [] };
    expect(checkStarts(starts, [nightly])).toMatchObject([{ got: 'a schedule without a name' }]);
  });
});
