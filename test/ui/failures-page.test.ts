// The page of what failed in many runs, and its one preview of the reruns.
import { expect, test } from 'vitest';
import type { RecentFailures } from '../../src/app/failures/list-recent-failures.ts';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import { failuresPage } from '../../src/ui/failures-page.ts';

const strange = '<i>shoe</i>';
const failures: RecentFailures = {
  schema: 'renderline/failures-since/v1',
  since: '2026-11-20T20:00:00.000Z',
  pipeline: null,
  where: null,
  runs: [{ run: 'sheets-1', pipeline: 'sheets', failed: 2, repaired: 0, failedAgain: 0 }],
  total: 2,
  rerunCommand: 'renderline rerun --since 7d --failed',
  groups: [
    {
      code: 'TRUNCATED',
      node: 'take',
      count: 2,
      message: strange,
      attempts: 1,
      title: '',
      fix: null,
      docs: '',
      keys: [strange, 'boot'],
      pipeline: 'sheets',
      runs: ['sheets-1'],
      rerunCommand: 'renderline rerun --since 7d --failed --pipeline sheets',
    },
  ],
  unreadable: [],
  notRead: 0,
};
const work = {
  groups: [],
  assets: 2,
  changed: 0,
  delivered: 0,
  later: 0,
  refused: [],
  reuse: { models: 0, projects: 0, renders: 0, items: 0 },
};
const rerun: RecentRerunShape = {
  schema: 'renderline/rerun-since/v1',
  since: failures.since,
  where: null,
  ready: [
    {
      of: 'sheets-1',
      pipeline: 'sheets',
      plan: 'pinned',
      work,
      cost: { requests: 9, renders: 2, max: true, seconds: 1 },
    },
  ],
  refused: [{ of: 'old-1', code: 'PLAN_DIFFERS', message: 'it differs', fix: 'choose' }],
  assets: 2,
  requests: 9,
  renders: 2,
  notRead: 0,
  started: null,
};

async function pageOf(more: { rerun?: RecentRerunShape; failures?: RecentFailures } = {}) {
  const { body } = failuresPage({ since: '7d', failures, rerun, ...more });
  return String(await body).replace(/\s+/g, ' ');
}

test('shows each cause, what a rerun would take, and why a run is left out', async () => {
  const html = await pageOf();
  expect(html).toContain('2 assets failed in 1 run and were not delivered since.');
  expect(html).toContain('<strong>TRUNCATED</strong> at take in sheets: 2 assets');
  expect(html).toContain('&lt;i&gt;shoe&lt;/i&gt;, boot');
  expect(html).not.toContain(strange);
  expect(html).toContain('at most 2 renders and about 9 requests');
  expect(html).toContain('it differs choose');
  expect(html).toContain('<button class="main">Rerun 2 assets</button>');
  expect(html).toContain('<a href="failures?since=24h">24h</a> <b>7d</b>');
});

test.each<[string, RecentRerunShape]>([
  ['every run is refused', { ...rerun, ready: [], assets: 0 }],
  ['nothing failed', { ...rerun, ready: [], refused: [], assets: 0 }],
])('has no button if %s', async (_what, preview) => {
  expect(await pageOf({ rerun: preview })).not.toContain('<button');
});
