// The page of a run whose figures are not known.
import { expect, test } from 'vitest';
import { RunOutput, RunsOutput } from '../../src/ui/command-outputs.ts';
import { runsPage, runView } from '../../src/ui/run-pages.ts';

const zeroAssetCounts = {
  total: 0,
  complete: 0,
  failed: 0,
  skipped: 0,
  unchanged: 0,
  cancelled: 0,
};
const keyMissing = 'Payloads in Temporal are encrypted with the key "new", which is not set here.';

async function pageOf(more: object): Promise<string> {
  const shape = RunOutput.parse({
    run: 'r-1',
    pipeline: 'p',
    outcome: 'running',
    cause: null,
    canary: null,
    destination: '/out',
    assets: zeroAssetCounts,
    files: [],
    failures: [],
    requests: { total: 0 },
    paid: null,
    begins: [],
    exports: [],
    waits: [],
    seconds: 4,
    ...more,
  });
  const view = { shape, failures: null, changed: [], page: 1 };
  const html = String(await runView(view, 'r-1'));
  return html.replaceAll('&quot;', '"').replaceAll('&#39;', "'");
}

test('shows why, and no zeros', async () => {
  const html = await pageOf({ unknown: keyMissing, discovered: false });
  expect(html).toContain(keyMissing);
  expect(html).toContain('requests not known');
  expect(html).not.toMatch(/0 of 0|<progress|\b0 API/);
});

test('shows what the records tell', async () => {
  const assets = { ...zeroAssetCounts, total: 8, complete: 3 };
  const html = await pageOf({ unknown: keyMissing, discovered: true, assets });
  expect(html).toContain('3 of 8 complete, as its records say');
});

test('says nothing of it where the figures are known', async () => {
  const html = await pageOf({ unknown: null, discovered: true });
  expect(html).toContain('0 of 0 complete');
  expect(html).not.toContain('figures are not known');
});

test('says that it does not go on by itself, and the command that moves it', async () => {
  const stranded =
    'r-1/shard-0001: it is pinned to build b2: stranded. Move it: renderline deployments move b2';
  expect(await pageOf({ unknown: stranded, remark: stranded })).toContain(stranded);
  const known = await pageOf({ unknown: null, discovered: true, remark: stranded });
  expect(known.split(stranded)).toHaveLength(2);
});

test('of the list says what cannot be read, and what nobody goes on with', async () => {
  const run = { pipeline: 'p', state: 'running', startedAt: '2026-11-27T04:00:00Z', seconds: null };
  const fix = 'Then: renderline deployments move b2 --deployment shop';
  const { runs } = RunsOutput.parse({
    runs: [
      { ...run, run: 'r-1', unreadable: { code: 'CODEC_KEY_MISSING', message: keyMissing } },
      { ...run, run: 'r-2', stranded: { why: 'build b2 has no workers', fix } },
      { ...run, run: 'r-3' },
    ],
  });
  const html = String(await runsPage({ runs }).body).split('</tr>');
  expect(html[1]).toContain('cannot be read here (CODEC_KEY_MISSING)');
  expect(html[2]).toContain('stranded: build b2 has no workers');
  expect(html[2]).toContain(fix);
  expect(html[3]).not.toMatch(/stranded|cannot be read/);
});
