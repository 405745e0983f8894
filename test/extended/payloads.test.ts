// Payloads in histories have a limit in bytes, however many outputs an asset has, however long names are and however
// many assets are refused.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { assetFailures } from '../../src/failures/assets.ts';
import type { OutputRef } from '../../src/features/renders/platform-ids.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { type RunResult, workflowIds } from '../../src/plan/contract/contract.ts';
import type { DeliveredFile } from '../../src/plan/types.ts';
import { sourceFailure } from '../../src/store/discovery/asset-keys.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { step } from '../plan/_steps.ts';
import { costOf, planOf, useRunScenarios } from '../system/_run-scenario.ts';

const maxBytes = 100_000;
const outputs = 300;
const clashes = 10_000;
/** 512 characters of three bytes, which is the longest key. */
const keyOf = (at: number) => `${at}/`.padEnd(512, '靴');
const longName = (at: number) => `${at} `.padEnd(2_000, '絵');
const keys = Array.from({ length: 60 }, (_, at) => keyOf(at));
const refused = Array.from({ length: clashes }, (_, at) =>
  sourceFailure(
    assetFailures.KEY_CLASH,
    longName(at),
    'take',
    'its key is also that of another; rename all but one',
  ),
);

const output = (at: number): OutputRef => {
  const url = `https://cdn.example.com/${at}/${'x'.repeat(1_000)}.png`;
  return {
    id: `o-${at}`,
    name: longName(at),
    fileType: 'PNG',
    url,
    isVideo: false,
    isPreview: false,
  };
};
const file = (key: string, at: number): DeliveredFile => {
  const size = { bytes: 1, width: 1, height: 1 };
  const sha256 = 'ab'.repeat(32);
  return { key, path: longName(at), ...size, sha256, output: 'o', delivery: 'd' };
};
const each = <T>(count: number, make: (at: number) => T) =>
  Array.from({ length: count }, (_, at) => make(at));

const played = useRunScenarios(
  {
    wait: {
      takesMs: () => 5_000,
      result: (key) => ({ key, outcome: 'done', platformIds: { outputs: each(20, output) } }),
    },
    deliver: {
      result: (key) => ({ key, outcome: 'done', files: each(outputs, (at) => file(key, at)) }),
    },
    broken: {
      result: (key) => ({ key, outcome: 'failed', code: 'BROKEN', message: '壊'.repeat(400) }),
    },
  },
  () => ({ keys, refused }),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-payloads-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const waiting = { activity: 'render_complete', mode: 'wait', batch: 250 } as const;
const steps = [
  step('take', [], { activity: 'connector_poll' }),
  step('wait', ['take'], waiting),
  step('deliver', ['wait'], { activity: 'export' }),
];
const failing = [...steps.slice(0, 2), step('broken', ['wait'], { activity: 'export' })];

async function largestOf(run: string): Promise<number> {
  const ids = [workflowIds.run(run), workflowIds.shard(run, 0)];
  const costs = await Promise.all(ids.map((id) => costOf(played.environment, id)));
  return Math.max(...costs.map(({ largest }) => largest));
}

function storeOf(run: string, pipeline: string) {
  const context = { run, lineage: run, pipeline, recipe: 'r' };
  return openRunStore(openConnector({ type: 'local', path: folder }), context);
}

test('60 assets with 300 files each and the longest keys, and 10,000 name conflicts, stay within the limit', async () => {
  const handle = await played.start('huge', planOf(folder, steps));
  const result: RunResult = await handle.result();
  expect(result).toMatchObject({
    outcome: 'partial_failure',
    assets: { total: 60 + clashes, complete: 60, failed: clashes },
  });
  expect(await largestOf('huge')).toBeLessThanOrEqual(maxBytes);
  let files = 0;
  for await (const asset of storeOf('huge', 'played').results.read('huge'))
    files += asset.files.length;
  expect(files).toBe(60 * outputs);
  const refused = await collect(storeOf('huge', 'played').runAssets.refused());
  expect(refused.flat()).toHaveLength(clashes);
}, 240_000);

test('assets that all fail with the longest messages stay within the limit', async () => {
  const handle = await played.start(
    'huge-failed',
    planOf(folder, failing, { pipeline: 'failing' }),
  );
  await expect(handle.result()).rejects.toMatchObject({
    cause: { type: 'RunFailed', details: [{ assets: { failed: 60 + clashes } }] },
  });
  expect(await largestOf('huge-failed')).toBeLessThanOrEqual(maxBytes);
  let failed = 0;
  for await (const { failure } of storeOf('huge-failed', 'failing').results.read('huge-failed')) {
    if (failure?.code === 'BROKEN' && failure.node === 'broken') failed += 1;
  }
  expect(failed).toBe(60);
}, 240_000);
