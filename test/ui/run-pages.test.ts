// The pages of runs, also if the figures are unknown.
import { expect, test } from 'vitest';
import type { RunsList } from '../../src/app/runs/list-runs.ts';
import { zeroAssetCounts } from '../../src/app/runs/run-shape.ts';
import type { ShownRun } from '../../src/app/runs/show-run.ts';
import { createRunsPage, runHtml } from '../../src/ui/run-pages.ts';
import type { Visitor } from '../../src/ui/visitor.ts';
import { shownRun } from './_shown-run.ts';
import { ownVisitor } from './_visitor.ts';

const keyMissing = 'Payloads in Temporal are encrypted with the key "new", which is not set here.';

async function pageOf(
  more: Partial<ShownRun['shape']>,
  visitor: Visitor = ownVisitor(),
): Promise<string> {
  const shape = shownRun(more);
  const view = { shape, failures: null, changed: [], page: 1 };
  const html = String(await runHtml(view, 'r-1', visitor));
  return html.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

test('the page shows why the figures are unknown instead of showing zeros', async () => {
  const html = await pageOf({ unknown: keyMissing, discovered: false });
  expect(html).toContain(keyMissing);
  expect(html).toContain('requests unknown');
  expect(html).not.toMatch(/0 of 0|<progress|\b0 API/);
});

test('the page shows the counts of the records', async () => {
  const assets = { ...zeroAssetCounts, total: 8, complete: 3 };
  const html = await pageOf({ unknown: keyMissing, discovered: true, assets });
  expect(html).toContain('3 of 8 complete, according to its records');
});

test('the page shows only the counts if the figures are known', async () => {
  const html = await pageOf({ unknown: null, discovered: true });
  expect(html).toContain('0 of 0 complete');
  expect(html).not.toContain('figures are not known');
});

test('the page shows that the run is stranded, with the command that moves it', async () => {
  const stranded =
    'r-1/shard-0001: it is pinned to build b2: stranded. Move it: renderline deployments move b2';
  expect(await pageOf({ unknown: stranded, remark: stranded })).toContain(stranded);
  const known = await pageOf({ unknown: null, discovered: true, remark: stranded });
  expect(known.split(stranded)).toHaveLength(2);
});

test.each([
  ['failed', { total: 5, complete: 3, failed: 2 }, 'Rerun 2 undelivered assets …'],
  [
    'partial_failure',
    { total: 5, complete: 3, failed: 1, skipped: 1 },
    'Rerun 1 undelivered asset …',
  ],
  ['cancelled', { total: 5, complete: 3, cancelled: 1 }, 'Rerun 2 undelivered assets …'],
  ['complete', { total: 5, complete: 4, skipped: 1 }, null],
  ['running', { total: 5, complete: 3, failed: 1 }, 'Rerun 1 failed asset …'],
  ['paused', { total: 5, complete: 3, failed: 1 }, 'Rerun 1 failed asset …'],
  ['running', { total: 5, complete: 3 }, null],
] as const)('the page of a run that is %s, of %j, offers: %s', async (outcome, counts, link) => {
  const html = await pageOf({ outcome, assets: { ...zeroAssetCounts, ...counts } });
  expect(/<a href="runs\/r-1\/rerun">([^<]*)</.exec(html)?.[1] ?? null).toBe(link);
});

test('the list shows unreadable and stranded runs', async () => {
  const fix = 'Then: renderline deployments move b2 --deployment shop';
  const one: RunsList['runs'][number] = {
    run: 'r-1',
    pipeline: 'p',
    state: 'running',
    schedule: null,
    againOf: null,
    startedAt: '2026-11-27T04:00:00Z',
    endedAt: null,
    seconds: null,
    unreadable: null,
    stranded: null,
  };
  const runs = [
    { ...one, unreadable: { code: 'CODEC_KEY_MISSING', message: keyMissing, fix: '' } },
    { ...one, run: 'r-2', stranded: { why: 'build b2 has no workers', fix } },
    { ...one, run: 'r-3' },
  ];
  const html = String(
    await createRunsPage({ schema: 'renderline/runs/v1', pauses: [], runs }).body,
  ).split('</tr>');
  expect(html[1]).toContain('cannot be read here (CODEC_KEY_MISSING)');
  expect(html[2]).toContain('stranded: build b2 has no workers');
  expect(html[2]).toContain(fix);
  expect(html[3]).not.toMatch(/stranded|cannot be read/);
});

test('the list starts with what is paused, stating by whom and why', async () => {
  const pause = {
    taskQueue: 'shop',
    pipeline: null,
    by: 'ann@studio-2',
    at: '2026-11-27T20:01:02.345Z',
    reason: '<b>wrong</b> colours',
  };
  const list: RunsList = { schema: 'renderline/runs/v1', pauses: [pause], runs: [] };
  const html = String(await createRunsPage(list).body);
  expect(html).toContain('by ann@studio-2: &lt;b&gt;wrong&lt;/b&gt; colours');
  expect(html).toContain('renderline resume --all');
});

test.each([
  [
    'with a link',
    { link: { id: 'l-1', run: 'r-1' }, role: 'decide' },
    ['ask'],
    ['Cost', '/out', 'Cancel'],
  ],
  ['who may look', { link: null, role: 'look' }, ['Cost', '/out'], ['ask', 'Approve', 'Cancel']],
  [
    'who may decide',
    { link: null, role: 'decide' },
    ['Cost', '/out', 'ask', 'Approve'],
    ['Cancel'],
  ],
] as const)('a visitor %s sees only the allowed actions', async (_who, visitor, shown, hidden) => {
  const canary = { assets: 2, state: 'waiting', until: '2026-11-24T10:00:00Z' } as const;
  const html = await pageOf({ canary, destination: '/out' }, { ...ownVisitor(), ...visitor });
  for (const text of shown) expect(html).toContain(text);
  for (const text of hidden) expect(html).not.toContain(text);
});
