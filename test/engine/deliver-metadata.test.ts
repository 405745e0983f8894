// Metadata in delivered pictures and their images: the fields written, rewrites by another run, and failures.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { MetadataOptions } from '../../src/features/delivery/metadata/metadata-fields.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { AssetResult, DeliveredFile, Stages, StepAsset } from '../../src/plan/types.ts';
import { readWithExifTool } from '../pictures/_exiftool.ts';
import { runContext } from './_context.ts';
import { codes, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const usualNaming = '{{ key }}.{{ ext }}';
const images = (['JPEG', 'WEBP', 'AVIF', 'TIFF'] as const).map((format) => ({ format }));
const metadata: MetadataOptions = {
  title: '{{ row.name }} from the side',
  keywords: ['chair', '{{ row.season }}'],
  copyright: '© Acme',
};
const mark = 'of-export';
const context = runContext({ connectors: { out: { type: 'local' } } });
const stages: Stages = {
  source: 's',
  composition: 'c',
  render: 'r',
  sheet: 'x',
  deliveries: { step: { fingerprint: mark, connector: 'out' } },
};

function chair(name: string | null, delivered: readonly DeliveredFile[] = []): StepAsset {
  const asset = delivery.rendered('chair', delivery.output('a', 'Front'));
  const row = { values: { name, season: 'autumn' } };
  return {
    ...asset,
    source: { ...asset.source, row },
    platformIds: { ...asset.platformIds, reusableStages: ['render'] as never, delivered },
  } as StepAsset;
}

async function deliver(
  asset: StepAsset,
  { naming = usualNaming, ...more }: Record<string, unknown> & { naming?: string } = {},
) {
  const store = openRunStore(delivery.records, context);
  await store.recipes.write(context.recipe, stages);
  const step = { id: 'step', node: 'step', batch: 50, redo: null, delivery: mark } as never;
  return delivery.run(naming, [asset], { metadata, images, store, run: context, step, ...more });
}

const filesOf = ([result]: readonly AssetResult[]) =>
  result?.outcome === 'done' ? (result.files ?? []) : [];
const at = (path: string) => join(delivery.folder, path);
const fetches = () => delivery.platform.count('GET /cdn/a.png');
const hashOf = async (path: string) =>
  createHash('sha256')
    .update(await readFile(at(path)))
    .digest('hex');
const pixelsOf = async (path: string) =>
  sharp(await readFile(at(path)))
    .raw()
    .toBuffer();
const titlesOf = (files: readonly DeliveredFile[]) =>
  readWithExifTool(...files.map(({ path }) => at(path))).map((tags) => tags['XMP-dc:Title']);

describe('metadata of a picture and its images', () => {
  it('the files contain the metadata of their row, and records contain the size and hash of the final files', async () => {
    const files = filesOf(await deliver(chair('Lounge')));
    expect(files.map(({ path }) => path)).toEqual([
      'chair.png',
      'chair.jpg',
      'chair.webp',
      'chair.avif',
      'chair.tif',
    ]);
    expect(fetches()).toBe(1);
    const source = createHash('sha256').update(delivery.picture).digest('hex');
    for (const { path, bytes, sha256, sourceHash, metadata: hash } of files) {
      expect([sha256, bytes]).toEqual([await hashOf(path), (await readFile(at(path))).length]);
      expect({ sourceHash, hash }).toEqual({ sourceHash: source, hash: files[0]?.metadata });
    }
    for (const tags of readWithExifTool(...files.map(({ path }) => at(path)))) {
      expect(tags).toMatchObject({
        'XMP-dc:Title': 'Lounge from the side',
        'XMP-dc:Subject': ['chair', 'autumn'],
        'XMP-dc:Rights': '© Acme',
        problems: [],
      });
    }
    expect(await pixelsOf('chair.png')).toEqual(await sharp(delivery.picture).raw().toBuffer());
  });

  it('images with metadata stay within maxBytes', async () => {
    const levels = Uint8Array.from(
      { length: 96 * 96 * 3 },
      (_, index) => (index * index * 7) % 251,
    );
    const noise = sharp(levels, { raw: { width: 96, height: 96, channels: 3 } }).png();
    const asset = chair('Lounge');
    delivery.platform.pictures.set('a.png', await noise.toBuffer());
    const limited = { images: [{ format: 'JPEG', maxBytes: 9_000 } as const], original: false };
    const [file] = filesOf(await deliver(asset, limited));
    expect(file?.bytes).toBeLessThanOrEqual(9_000);
    expect(titlesOf(file ? [file] : [])).toEqual(['Lounge from the side']);
  });
});

describe('metadata in another run', () => {
  it('if the row changes, its files are rewritten in place without a download', async () => {
    const before = filesOf(await deliver(chair('Lounge')));
    const pixels = await Promise.all(before.map(({ path }) => pixelsOf(path)));
    const after = filesOf(await deliver(chair('Armchair', before)));
    expect(fetches()).toBe(1);
    expect(titlesOf(after)).toEqual(after.map(() => 'Armchair from the side'));
    expect(await Promise.all(after.map(({ path }) => pixelsOf(path)))).toEqual(pixels);
    for (const [index, { path, sha256, sourceHash }] of after.entries()) {
      expect(sha256).toBe(await hashOf(path));
      expect(sha256).not.toBe(before[index]?.sha256);
      expect(sourceHash).toBe(before[index]?.sourceHash);
    }
    expect(await delivery.files()).toHaveLength(5);
  });

  it('if the row is the same, nothing changes', async () => {
    const before = filesOf(await deliver(chair('Lounge')));
    expect(filesOf(await deliver(chair('Lounge', before)))).toEqual(before);
    expect(fetches()).toBe(1);
  });

  it('files with new metadata are delivered to the new path, and the previous path is recorded', async () => {
    const before = filesOf(await deliver(chair('Lounge')));
    const old = before.map((file) => ({ ...file, delivery: 'of-before' }));
    const store = openRunStore(delivery.records, context);
    const was = { ...stages, deliveries: { step: { fingerprint: 'of-before', connector: 'out' } } };
    await store.recipes.write('before', was);
    const naming = 'new/{{ key }}.{{ ext }}';
    const after = filesOf(await deliver(chair('Armchair', old), { naming }));
    expect(fetches()).toBe(1);
    expect(after.map(({ path, previousPath }) => [path, previousPath])).toEqual(
      before.map(({ path }) => [`new/${path}`, path]),
    );
    expect(titlesOf(after)).toEqual(after.map(() => 'Armchair from the side'));
  });

  it('metadata is added without a download to pictures that have none', async () => {
    const before = filesOf(await deliver(chair('Lounge'), { metadata: undefined }));
    expect(before[0]).not.toHaveProperty('metadata');
    const after = filesOf(await deliver(chair('Lounge', before)));
    expect(fetches()).toBe(1);
    expect(titlesOf(after)).toEqual(after.map(() => 'Lounge from the side'));
    expect(after[0]?.sourceHash).toBe(before[0]?.sha256);
  });

  it('a node without metadata delivers the original pictures', async () => {
    const before = filesOf(await deliver(chair('Lounge')));
    const after = filesOf(await deliver(chair('Lounge', before), { metadata: undefined }));
    expect(await readFile(at('chair.png'))).toEqual(delivery.picture);
    expect(titlesOf(after)).toEqual(after.map(() => undefined));
  });

  it('a picture is downloaded again if its delivered file was changed', async () => {
    const before = filesOf(await deliver(chair('Lounge')));
    await writeFile(at('chair.png'), await sharp(delivery.picture).negate().png().toBuffer());
    const [after] = filesOf(await deliver(chair('Armchair', before)));
    expect(fetches()).toBe(2);
    expect(after?.sourceHash).toBe(before[0]?.sourceHash);
    expect(await pixelsOf('chair.png')).toEqual(await sharp(delivery.picture).raw().toBuffer());
  });
});

describe('metadata of an asset', () => {
  it('an empty row value adds no metadata field', async () => {
    const files = filesOf(await deliver(chair(null), { metadata: { title: '{{ row.name }}' } }));
    expect(await readFile(at('chair.png'))).toEqual(delivery.picture);
    expect(files[0]).not.toHaveProperty('metadata');
  });

  it.each([
    [
      'an expression fails',
      { title: '{{ row.name.substring(90) }}' },
      'EXPRESSION_FAILED',
      /^metadata\.title: /,
    ],
    [
      'the metadata is larger than a JPEG can hold',
      { keywords: Array.from({ length: 40 }, (_, index) => `${index}${'x'.repeat(1_900)}`) },
      'METADATA_TOO_LARGE',
      /^the metadata has \d+ bytes, more than 64512; keywords is the longest field$/,
    ],
  ])('the asset fails if %s', async (_what, fields, code, message) => {
    const results = await deliver(chair('Lounge'), { metadata: fields });
    expect(codes(results)).toEqual([code]);
    expect(results[0]).toMatchObject({ message: expect.stringMatching(message) });
    expect(fetches()).toBe(0);
  });

  it('a picture whose format cannot hold metadata fails with METADATA_FAILED', async () => {
    const asset = chair('Lounge');
    const big = await sharp(delivery.picture).tiff({ bigtiff: true }).toBuffer();
    asset.platformIds.outputs = [delivery.output('a', 'Front', { fileType: 'TIFF' })];
    delivery.platform.pictures.set('a.png', big);
    const results = await deliver(asset, { images: undefined });
    expect(codes(results)).toEqual(['METADATA_FAILED']);
    expect(results[0]).toMatchObject({
      message:
        'metadata cannot be written into "chair.tif": it has a format that cannot hold metadata',
    });
    expect(await delivery.files()).toEqual([]);
  });
});
