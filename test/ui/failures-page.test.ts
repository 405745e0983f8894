// The page of failures in many runs, with one preview of their reruns.
import { expect, test } from 'vitest';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import { createFailuresPage } from '../../src/ui/failures-page.ts';
import { recentFailures, recentRerun, strangeKey } from './_recent-failures.ts';

async function pageOf(rerun: RecentRerunShape = recentRerun, failures = recentFailures) {
  const { body } = createFailuresPage({ since: '7d', failures, rerun });
  return String(await body).replace(/\s+/g, ' ');
}

test('the page shows each cause, what a rerun would take, and why a run is excluded', async () => {
  const html = await pageOf();
  expect(html).toContain('2 assets failed in 1 run and are still undelivered.');
  expect(html).toContain('<strong>TRUNCATED</strong> at take in sheets: 2 assets');
  expect(html).toContain('&lt;i&gt;shoe&lt;/i&gt;, boot');
  expect(html).toContain('Change <code class="inline">naming</code>.');
  expect(html).not.toContain(strangeKey);
  expect(html).toContain('at most 2 renders and about 9 requests');
  expect(html).toContain('it differs choose');
  expect(html).toContain('<button class="main">Rerun 2 assets</button>');
  expect(html).toContain('<a href="failures?since=24h">24h</a> <b>7d</b>');
});

test.each<[string, RecentRerunShape]>([
  ['every run is refused', { ...recentRerun, ready: [], assets: 0 }],
  ['nothing failed', { ...recentRerun, ready: [], refused: [], assets: 0 }],
])('the page has no button if %s', async (_what, preview) => {
  expect(await pageOf(preview)).not.toContain('<button');
});

const noRerun: RecentRerunShape = { ...recentRerun, ready: [], refused: [], assets: 0 };

test('the page says that all assets have been delivered if a later run delivered the failed ones', async () => {
  const runs = [{ run: 'sheets-1', pipeline: 'sheets', failed: 0, repaired: 2, failedAgain: 0 }];
  const html = await pageOf(noRerun, { ...recentFailures, runs, total: 0, groups: [] });
  expect(html).toContain('No asset that failed in this time is still undelivered.');
  expect(html).not.toContain('not complete');
});

test('the page lists the runs that are excluded, because they are unreadable or too many', async () => {
  const unreadable = { code: 'NO_KEY', message: 'encrypted', fix: 'Set the key.' };
  const html = await pageOf(noRerun, {
    ...recentFailures,
    runs: [],
    total: 0,
    groups: [],
    unreadable: [{ run: 'secret-1', unreadable }],
    notRead: 3,
  });
  expect(html).toContain('This page is not complete.');
  expect(html).toContain('secret-1</a> cannot be read: NO_KEY: encrypted Set the key.');
  expect(html).toContain('3 older runs were not read.');
});
