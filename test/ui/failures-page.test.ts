// The page of what failed in many runs, and its one preview of the reruns.
import { expect, test } from 'vitest';
import type { RecentRerunShape } from '../../src/app/rerun/rerun-recent.ts';
import { failuresPage } from '../../src/ui/failures-page.ts';
import { recentFailures, recentRerun, strangeKey } from './_recent-failures.ts';

async function pageOf(rerun: RecentRerunShape = recentRerun) {
  const { body } = failuresPage({ since: '7d', failures: recentFailures, rerun });
  return String(await body).replace(/\s+/g, ' ');
}

test('shows each cause, what a rerun would take, and why a run is left out', async () => {
  const html = await pageOf();
  expect(html).toContain('2 assets failed in 1 run and were not delivered since.');
  expect(html).toContain('<strong>TRUNCATED</strong> at take in sheets: 2 assets');
  expect(html).toContain('&lt;i&gt;shoe&lt;/i&gt;, boot');
  expect(html).not.toContain(strangeKey);
  expect(html).toContain('at most 2 renders and about 9 requests');
  expect(html).toContain('it differs choose');
  expect(html).toContain('<button class="main">Rerun 2 assets</button>');
  expect(html).toContain('<a href="failures?since=24h">24h</a> <b>7d</b>');
});

test.each<[string, RecentRerunShape]>([
  ['every run is refused', { ...recentRerun, ready: [], assets: 0 }],
  ['nothing failed', { ...recentRerun, ready: [], refused: [], assets: 0 }],
])('has no button if %s', async (_what, preview) => {
  expect(await pageOf(preview)).not.toContain('<button');
});
