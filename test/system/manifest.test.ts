// The manifest of an export: it lists all files that are in place, and the changes since the last run.
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesIn, nothing, useChangedPipeline } from './_changed-pipeline.ts';
import {
  changesOf,
  expectListed,
  isBegun,
  pipelineWithManifest,
  writeTable,
  zipped,
} from './_manifest.ts';
import { smallModel, writeModels } from './_models.ts';
import { reportOf, requestsBesideTemplates, runArguments, startRun, useProduct } from './_runs.ts';
import { useProcesses, waitWhileRunning } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100']);
const { command, runToEnd, createdDuring } = useChangedPipeline(product);

test('a manifest lists the files that are in place after each run, and the changes since the previous run', async () => {
  const { place, keys, lines } = await pipelineWithManifest('listed');
  const [first = '', second = '', third = ''] = keys;
  const [, ...given] = runArguments(place);
  expect((await command(['plan', ...given])).stdout).toContain(
    'deliver: lists its files in manifest.csv when a run ends, changes in changes.csv; packs all files into all.zip; packs changed files into new.zip',
  );

  await runToEnd(place);
  expect(await expectListed(place)).toMatchObject([
    { SKU: 'S-0', File: 'S-0.png', Width: '64', Alt: 'Chair 0 from the 1st side' },
    { SKU: 'S-1', File: 'S-1.png' },
    { SKU: 'S-2', File: 'S-2.png' },
  ]);
  expect(await changesOf(place)).toEqual(['added S-0.png', 'added S-1.png', 'added S-2.png']);

  // Another alt text changes only the manifest, and no zip.
  const zippedMs = (await stat(join(place.out, 'all.zip'))).mtimeMs;
  await writeTable(place, { ...lines, [first]: { sku: 'S-0', title: '=Red chair' } });
  const { result, booked } = await createdDuring(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(requestsBesideTemplates(result)).toEqual({});
  expect(result.assets).toMatchObject({ complete: 0, unchanged: 3 });
  expect((await expectListed(place))[0]?.Alt).toBe("'=Red chair from the 1st side");
  expect(await changesOf(place)).toEqual(['updated S-0.png']);
  expect((await stat(join(place.out, 'all.zip'))).mtimeMs).toBe(zippedMs);
  expect(Object.keys(await zipped(place, 'new.zip'))).toHaveLength(3);

  // One file is replaced, one is renamed, one is withdrawn, one is added, and one fails.
  await writeFile(join(place.folder, `${first}.glb`), smallModel(first, { color: '#2040c0' }));
  await rm(join(place.folder, `${third}.glb`));
  await writeModels(place.folder, ['added-1']);
  await writeFile(join(place.folder, 'broken.glb'), 'this is no model');
  await writeTable(place, {
    [first]: { sku: 'S-0', title: 'Chair 0' },
    [second]: { sku: 'NEW-1', title: 'Chair 1' },
    'added-1': { sku: 'S-9', title: 'Stool' },
    broken: { sku: 'S-8', title: 'Bench' },
  });
  await runToEnd(place, 3);
  expect((await expectListed(place)).map(({ SKU }) => SKU).sort()).toEqual(['NEW-1', 'S-0', 'S-9']);
  expect(await changesOf(place)).toEqual([
    'added S-9.png',
    'removed S-2.png',
    'renamed NEW-1.png S-1.png',
    'replaced S-0.png',
  ]);
  expect(Object.keys(await zipped(place, 'new.zip')).sort()).toEqual([
    'NEW-1.png',
    'S-0.png',
    'S-9.png',
  ]);

  // Nothing has changed, and the failed asset has no file.
  await runToEnd(place, 3);
  await expectListed(place);
  expect(await changesOf(place)).toEqual([]);
});

test('a run waits while its manifest cannot be written, and writes it afterwards', async () => {
  const { place } = await pipelineWithManifest('refused');
  await mkdir(join(place.out, 'manifest.csv', 'in the way'), { recursive: true });
  const running = startRun(place, product.env);
  await waitWhileRunning(running, 'all files are delivered', async () => {
    return (await filesIn(place.out)).includes('S-2.png') && (await isBegun(place));
  });
  await rm(join(place.out, 'manifest.csv'), { recursive: true });
  reportOf(await running.finished);
  await expectListed(place);
  expect(await changesOf(place)).toHaveLength(3);
});
