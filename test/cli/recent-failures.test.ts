// `failures --since` and `rerun --since`: refused command lines, and what the commands print.
import { expect, test } from 'vitest';
import type { RecentFailures } from '../../src/app/failures/list-recent-failures.ts';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import { formatRecentFailures } from '../../src/cli/failures/format-recent.ts';
import { formatRecentRerun, formatStartedReruns } from '../../src/cli/rerun/format-recent.ts';
import { explainFailure } from '../../src/features/failures.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';
import { rerunSinceCommand } from '../../src/plan/run/rerun-command.ts';
import { run } from './_run-cli.ts';

test.each([
  [['failures', '--where', 'code == "A"'], 'Specify a run or --since.'],
  [['rerun', '--failed'], 'Specify a run or --since.'],
  [
    ['failures', 'r-1', '--since', '7d'],
    '--since applies to many runs and cannot be combined with the run r-1',
  ],
  [
    ['failures', 'r-1', '--where', 'code == "A"'],
    '--where applies to many runs and cannot be combined with the run r-1',
  ],
  [
    ['rerun', 'r-1', '--pipeline', 'a'],
    '--pipeline applies to many runs and cannot be combined with the run r-1',
  ],
  [['rerun', '--since', '7d'], '--since requires --failed.'],
  [['rerun', '--since', '7d', '--failed', '--wait'], '--wait cannot be combined with --since.'],
  [['rerun', '--since', '7d', '--failed', '--param', 'a=b'], '--param cannot be combined with'],
])('%j is refused before any request', async (argv, message) => {
  const ran = await run([...argv, '--json']);
  expect([ran.code, ran.json()]).toMatchObject([
    2,
    { code: 'USAGE', message: expect.stringContaining(message) },
  ]);
});

test('the fix for a missing --failed can be pasted into a shell', async () => {
  const argv = ['rerun', '--since', '2026-11-01 02:00', '--pipeline', 'shoes', '--json'];
  expect((await run(argv)).json()).toMatchObject({
    fix: "renderline rerun --since '2026-11-01 02:00' --failed --pipeline shoes",
  });
});

test.each([
  ['7d', {}, 'renderline rerun --since 7d --failed'],
  [
    'yesterday',
    { pipeline: 'new shoes', where: 'code == "A"' },
    `renderline rerun --since yesterday --failed --pipeline 'new shoes' --where 'code == "A"'`,
  ],
])('the command that reruns all failures since %s, of %j, is complete', (since, of, command) => {
  expect(rerunSinceCommand(since, of)).toBe(command);
});

const plain = (_format: unknown, text: string) => text;
const render = { code: 'RENDER_FAILED', node: 'shots', message: 'no light', attempts: 3 };
const recent: RecentFailures = {
  schema: 'renderline/failures-since/v1',
  since: '2026-11-20T20:00:00.000Z',
  pipeline: null,
  where: null,
  runs: [
    { run: 'catalog-2', pipeline: 'catalog', failed: 2, repaired: 0, failedAgain: 0 },
    { run: 'catalog-1', pipeline: 'catalog', failed: 1, repaired: 3, failedAgain: 2 },
  ],
  total: 3,
  rerunCommand: 'renderline rerun --since 7d --failed',
  groups: [
    {
      ...explainFailure(render),
      count: 3,
      keys: ['a', 'b', 'c'],
      pipeline: 'catalog',
      runs: ['catalog-2', 'catalog-1'],
      rerunCommand: 'renderline rerun --since 7d --failed --pipeline catalog',
    },
  ],
  unreadable: [],
  notRead: 0,
};

test.each<[string, Partial<RecentFailures>, string[]]>([
  [
    'one cause of several runs',
    {},
    [
      'Since 2026-11-20 20:00:00Z  3 assets failed in 2 runs; 3 others delivered since',
      '',
      'RENDER_FAILED at shots in catalog: 3 assets',
      '  no light',
      `  ${renderFailures.RENDER_FAILED.fix}`,
      '  a, b, c',
      '  in catalog-2, catalog-1',
      '  renderline rerun --since 7d --failed --pipeline catalog',
    ],
  ],
  [
    'only assets that were delivered since',
    {
      runs: [{ run: 'r-1', pipeline: 'a', failed: 0, repaired: 3, failedAgain: 0 }],
      total: 0,
      groups: [],
      rerunCommand: null,
    },
    ['Since 2026-11-20 20:00:00Z  3 assets failed in 1 run; delivered since'],
  ],
  [
    'no failures, but an unreadable run, and more runs than are read',
    {
      runs: [],
      total: 0,
      groups: [],
      rerunCommand: null,
      unreadable: [{ run: 'r-1', unreadable: { code: 'ENOENT', message: 'gone', fix: '' } }],
      notRead: 4,
    },
    [
      'Since 2026-11-20 20:00:00Z  no failures found',
      '',
      'not read  r-1: ENOENT: gone',
      'not read  4 older runs: use a later --since, or --pipeline',
    ],
  ],
])('failures --since prints %s', (_what, more, lines) => {
  expect(formatRecentFailures({ ...recent, ...more }, plain).split('\n')).toEqual(lines);
});

const reruns: RecentRerunShape = {
  schema: 'renderline/rerun-since/v1',
  since: '2026-11-20T20:00:00.000Z',
  where: null,
  ready: [
    {
      of: 'catalog-2',
      pipeline: 'catalog',
      plan: 'pinned',
      work: {
        groups: [
          { outcome: 'failed', code: 'RENDER_FAILED', node: 'shots', count: 2, keys: ['a', 'b'] },
        ],
        assets: 2,
        changed: 0,
        delivered: 0,
        later: 0,
        refused: [],
        reuse: { models: 2, projects: 2, renders: 0, items: 0 },
      },
      cost: { requests: 9, maxRequests: 20, renders: 2, max: false, seconds: 12 },
    },
  ],
  refused: [{ of: 'sheets-1', code: 'PLAN_DIFFERS', message: 'it differs', fix: 'one\ntwo' }],
  assets: 2,
  requests: 9,
  maxRequests: 20,
  renders: 2,
  notRead: 0,
  started: null,
};

test('rerun --since prints one preview for all runs, including what cannot be rerun', () => {
  expect(formatRecentRerun(reruns, plain).split('\n')).toEqual([
    'Reruns failed assets of 1 run since 2026-11-20 20:00:00Z',
    '  catalog-2 (catalog, with its own plan): 2 assets, 2 renders, 12 s: RENDER_FAILED 2',
    'takes     2 assets, 2 renders, about 9 to 20 requests',
    'refused   sheets-1: PLAN_DIFFERS: it differs',
    '            one',
    '            two',
  ]);
});

test('rerun --since prints what was started', () => {
  const started = [{ of: 'catalog-2', run: 'catalog-3' }];
  const shape = { ...reruns, refused: [], started };
  expect(formatStartedReruns(shape, plain).split('\n')).toEqual([
    'catalog-3  reruns catalog-2',
    'Follow them: renderline runs',
  ]);
  expect(formatStartedReruns({ ...shape, started: [] }, plain)).toBe('Nothing was started.');
});
