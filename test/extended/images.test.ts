// Images that an export makes of its pictures: from one render, and again only if they have changed.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect, test } from 'vitest';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { change, filesIn, nothing, useChangedPipeline } from '../system/_changed-pipeline.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  pictureSize,
  type RunReport,
  requestsBesideTemplates,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);
const { runToEnd, planned, createdDuring: bookedBy } = useChangedPipeline(product);

/** A pipeline that has delivered two pictures under their keys. */
async function delivered(name: string): Promise<{ place: PipelineFolder; keys: string[] }> {
  const place = await createPipelineFolder(name);
  const keys = names(name, 2);
  await writeModels(place.folder, keys);
  await runToEnd(place);
  return { place, keys };
}

/** Adds these options to the export. */
const withOptions = (place: PipelineFolder, options: string) =>
  change(place, (text) =>
    text.replace('{ connector: pictures,', `{ connector: pictures, ${options},`),
  );

const whenMs = async (place: PipelineFolder, path: string) =>
  (await stat(join(place.out, path))).mtimeMs;

/** Fails unless each file of the report is in place with its size and hash. */
async function expectFiles({ files }: RunReport, place: PipelineFolder): Promise<void> {
  expect(files).not.toEqual([]);
  for (const { path, bytes, sha256, width, height } of files) {
    const content = await readFile(join(place.out, path));
    const found = createHash('sha256').update(content).digest('hex');
    expect({ path, bytes: content.length, sha256: found }).toEqual({ path, bytes, sha256 });
    expect(await sharp(content).metadata()).toMatchObject({ width, height });
  }
}

const jpegAndTiff =
  'images: [{ format: JPEG, width: 32 }, { format: TIFF, background: "#ffffff" }]';

test('additional formats are created from the delivered pictures, and again only if those change', async () => {
  const { place, keys } = await delivered('formats');
  const [one = '', other = ''] = keys;
  const originals = await Promise.all(keys.map((key) => whenMs(place, `${key}.png`)));

  await withOptions(place, jpegAndTiff);
  expect(await planned(place)).toMatchObject({
    renders: 0,
    requests: { total: 0 },
    startPoints: [{ startStage: 'delivery', assets: 2 }],
    files: { total: 6 },
  });
  const first = await bookedBy(() => runToEnd(place));
  expect(first.booked).toEqual(nothing);
  expect(requestsBesideTemplates(first.result)).toEqual({});
  expect(first.result.paid).toMatchObject({ renders: 0, models: 0 });
  expect(first.result.files.map(({ path }) => path).sort()).toEqual(
    keys.flatMap((key) => [`${key}.jpg`, `${key}.png`, `${key}.tif`]).sort(),
  );
  await expectFiles(first.result, place);
  expect(await Promise.all(keys.map((key) => whenMs(place, `${key}.png`)))).toEqual(originals);
  expect(await sharp(join(place.out, `${one}.jpg`)).metadata()).toMatchObject({
    format: 'jpeg',
    width: 32,
    height: 18,
  });
  expect(await sharp(join(place.out, `${one}.tif`)).metadata()).toMatchObject({
    format: 'tiff',
    ...pictureSize,
    hasAlpha: false,
  });

  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });

  const [jpegMs, tiffMs] = [await whenMs(place, `${one}.jpg`), await whenMs(place, `${one}.tif`)];
  await change(place, (text) => text.replace('width: 32', 'width: 16'));
  const second = await bookedBy(() => runToEnd(place));
  expect(second.booked).toEqual(nothing);
  expect(requestsBesideTemplates(second.result)).toEqual({});
  await expectFiles(second.result, place);
  expect(await whenMs(place, `${one}.tif`)).toBe(tiffMs);
  expect(await whenMs(place, `${one}.jpg`)).toBeGreaterThan(jpegMs);
  expect(await sharp(join(place.out, `${other}.jpg`)).metadata()).toMatchObject({ width: 16 });

  // A missing original is downloaded from the platform, for all of its images.
  await rm(join(place.out, `${one}.png`));
  await change(place, (text) => text.replace('width: 16', 'width: 8'));
  const third = await bookedBy(() => runToEnd(place));
  expect(third.booked).toEqual(nothing);
  expect(requestsBesideTemplates(third.result)).toEqual({});
  await expectFiles(third.result, place);
  expect(await filesIn(place.out)).toEqual(
    keys.flatMap((key) => [`${key}.jpg`, `${key}.png`, `${key}.tif`]).sort(),
  );
});

test('a JPEG for the web and a TIFF for print come from one render', async () => {
  const place = await createPipelineFolder('print', { settings: { imageFormat: 'TIFF' } });
  const [key = ''] = names('print', 1);
  await writeModels(place.folder, [key]);
  const print =
    '{ format: TIFF, bits: 16, background: "#ffffff", naming: "print/{{ key }}.{{ ext }}" }';
  const web = '{ format: JPEG, width: 48, maxBytes: 5000, naming: "web/{{ key }}.{{ ext }}" }';
  await withOptions(place, `original: false, images: [${print}, ${web}]`);
  expect(await planned(place)).toMatchObject({ renders: 1, files: { total: 2, min: true } });
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 1, projects: 1, renders: 1 });
  await expectFiles(result, place);
  expect(await filesIn(place.out)).toEqual([`print/${key}.tif`, `web/${key}.jpg`]);
  expect(await sharp(join(place.out, `print/${key}.tif`)).metadata()).toMatchObject({
    depth: 'ushort',
    hasProfile: true,
    ...pictureSize,
  });
  expect((await stat(join(place.out, `web/${key}.jpg`))).size).toBeLessThanOrEqual(5_000);
});

test('images without originals are created from a single download', async () => {
  const place = await createPipelineFolder('alone');
  const [key = ''] = names('alone', 1);
  await writeModels(place.folder, [key]);
  await withOptions(
    place,
    'original: false, images: [{ format: WEBP }, { format: AVIF, width: 20, naming: "{{ key }}/small.{{ ext }}" }]',
  );
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 1, projects: 1, renders: 1 });
  await expectFiles(result, place);
  expect(await filesIn(place.out)).toEqual([`${key}.webp`, `${key}/small.avif`].sort());
  const webpMs = await whenMs(place, `${key}.webp`);

  await change(place, (text) => text.replace('small.{{ ext }}', 'thumb.{{ ext }}'));
  const renamed = await bookedBy(() => runToEnd(place));
  expect(renamed.booked).toEqual(nothing);
  expect(requestsBesideTemplates(renamed.result)).toEqual({});
  expect(await filesIn(place.out)).toEqual([`${key}.webp`, `${key}/thumb.avif`].sort());
  expect(await whenMs(place, `${key}.webp`)).toBe(webpMs);

  const record = await recordOf(place);
  expect(record.files).toMatchObject([
    { path: `${key}.webp`, image: expect.any(String), sourceHash: expect.any(String) },
    {
      path: `${key}/thumb.avif`,
      image: expect.any(String),
      sourceHash: record.files[0]?.sourceHash,
    },
  ]);
});

test('an image that cannot be created fails its asset with a message about it, and correcting it needs no render', async () => {
  const { place, keys } = await delivered('larger');
  await withOptions(place, 'images: [{ format: JPEG, width: 65 }]');
  const failed = await bookedBy(() => runToEnd(place, 1));
  expect(failed.booked).toEqual(nothing);
  expect(failed.result.failures).toMatchObject(
    keys.map((key) => ({
      key,
      code: 'IMAGE_LARGER',
      message: expect.stringContaining(`image "${key}.jpg"`),
    })),
  );
  await change(place, (text) => text.replace('width: 65', 'width: 64'));
  const mended = await bookedBy(() => runToEnd(place));
  expect(mended.booked).toEqual(nothing);
  await expectFiles(mended.result, place);
});

test('run --verify finds a changed image and creates it again', async () => {
  const { place, keys } = await delivered('verified');
  const [one = ''] = keys;
  await withOptions(place, 'images: [{ format: JPEG }]');
  await runToEnd(place);
  await writeFile(join(place.out, `${one}.jpg`), 'spoilt');
  const { result, booked } = await bookedBy(() => runToEnd(place, 0, '--verify'));
  expect(booked).toEqual(nothing);
  expect(result.assets).toMatchObject({ complete: 1, unchanged: 1 });
  await expectFiles(result, place);
});

async function recordOf(place: PipelineFolder): Promise<AssetRecord> {
  const folder = join(place.out, '.renderline/pictures/records');
  const [name = ''] = await readdir(folder);
  return JSON.parse(await readFile(join(folder, name), 'utf8')) as AssetRecord;
}
