// The pages of reruns and of the failures of many runs, with fake use cases.
import { describe, expect, test } from 'vitest';
import { pages } from './_pages.ts';
import { recentFailures, recentRerun, rerunOfSheets } from './_recent-failures.ts';

describe('a rerun', () => {
  test.each([
    ['', undefined],
    ['?plan=latest', 'latest'],
    ['?plan=pinned', 'pinned'],
    ['?plan=other', undefined],
  ])(
    'the page with the query "%s" shows the assets of the rerun by the plan %s, and starts no run',
    async (query, plan) => {
      const { asked, call } = pages({ previewRerun: async () => rerunOfSheets });
      const { status, text } = await call(`/runs/sheets-1/rerun${query}`);
      expect(status).toBe(200);
      expect(asked).toEqual([['previewRerun', 'sheets-1', plan]]);
      expect(text).toContain('action="runs/sheets-1/rerun"');
      expect(text).toContain(`name="assets" value="${rerunOfSheets.shape.preview?.assets}"`);
    },
  );

  test('a refused rerun shows the reason, and offers both plans', async () => {
    const { status, text } = await pages().call('/runs/sheets-1/rerun');
    expect([status, text]).toEqual([409, expect.stringContaining('check the path')]);
    expect(text).toContain('href="runs/sheets-1/rerun?plan=latest"');
    expect(text).not.toContain('<button');
  });

  test('the button starts the shown rerun, and redirects to the new run', async () => {
    const { asked, call } = pages({ rerun: async () => 'sheets-2' });
    const form = { plan: 'pinned', assets: '2' };
    const { status, location } = await call('/runs/sheets-1/rerun', form);
    expect([status, location]).toEqual([303, '/runs/sheets-2']);
    expect(asked).toEqual([['rerun', 'sheets-1', { plan: 'pinned', assets: 2 }]]);
  });

  test('a rerun that cannot start shows the fix', async () => {
    const { status, text } = await pages().call('/runs/sheets-1/rerun', { plan: 'pinned' });
    expect([status, text.includes('check the path')]).toEqual([409, true]);
  });
});

describe('the failures of many runs', () => {
  const useCases = {
    recentFailures: async () => recentFailures,
    previewRecentRerun: async () => recentRerun,
    rerunRecent: async () => ({ ...recentRerun, started: [{ of: 'sheets-1', run: 'sheets-2' }] }),
  };

  test.each([
    ['', '7d'],
    ['?since=24h', '24h'],
    ['?since=1000y', '7d'],
  ])(
    'the page with the query "%s" shows failures since %s, and starts no run',
    async (query, since) => {
      const { asked, call } = pages(useCases);
      const { status, text } = await call(`/failures${query}`);
      expect(status).toBe(200);
      expect(text).toContain('Rerun 2 assets');
      expect(text).toContain('name="assets" value="2"');
      expect(asked).toEqual([
        ['recentFailures', since],
        ['previewRecentRerun', since],
      ]);
    },
  );

  test('the button reruns all runs with failures, and redirects to the runs', async () => {
    const { asked, call } = pages(useCases);
    const { status, location } = await call('/failures', { since: '24h', assets: '2' });
    expect([status, location]).toEqual([303, '/runs']);
    expect(asked).toEqual([['rerunRecent', '24h', 2]]);
  });

  test('a refusal shows its fix', async () => {
    const { status, text } = await pages().call('/failures', { since: '24h' });
    expect([status, text.includes('The folder is not there.')]).toEqual([409, true]);
  });
});
