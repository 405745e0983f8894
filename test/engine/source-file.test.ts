// Reading a source file in pieces: few requests, one version, and the errors.
import { beforeEach, describe, expect, it } from 'vitest';
import { openSourceBytes } from '../../src/engine/uploads/source-file.ts';
import { inspectSource } from '../../src/glb/inspect-model.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { makeGlb } from '../glb/_make-glb.ts';
import { zipOf } from '../glb/_zip.ts';

let bucket: MemoryBucket;
let connector: MemoryConnector;
let reads: number;
beforeEach(() => {
  bucket = new MemoryBucket();
  reads = 0;
  connector = new MemoryConnector(bucket, async (operation) => {
    if (operation === 'read') reads += 1;
  });
});

async function stored(bytes: Uint8Array): Promise<AssetSource> {
  await connector.write('one.glb', bytes);
  const entry = await connector.stat('one.glb');
  if (!entry) throw new Error('it was not written');
  return sourceOf(entry);
}

const numbers = (length: number) => Buffer.from(Array.from({ length }, (_, index) => index % 251));

describe('reading the bytes of a source', () => {
  it.each([
    [0, 4],
    [12, 8],
    [0, 70_000],
    [65_530, 20],
    [199_990, 50],
    [200_000, 8],
  ])('the bytes from offset %i, %i bytes long, match the file', async (offset, length) => {
    const content = numbers(200_000);
    const source = openSourceBytes(await stored(content), connector, undefined);
    const seen = await source.read(offset, length);
    expect(Buffer.from(seen)).toEqual(content.subarray(offset, offset + length));
  });

  it('the bytes of a typical model are read once for its inspection', async () => {
    const glb = makeGlb({ asset: { version: '2.0' } });
    const look = await inspectSource(
      openSourceBytes(await stored(glb), connector, undefined),
      'glb',
    );
    expect(look.verdict).not.toBe('reject');
    expect(reads).toBe(1);
  });

  const texture = 'x'.repeat(70_000);
  const textures = Array.from({ length: 30 }, (_, at) => [`textures/${at}.png`, texture]);
  it.each([
    ['USDZ with many textures', zipOf({ 'a.usda': '', ...Object.fromEntries(textures) }), 'usdz'],
    ['large OBJ', Buffer.from(`${'v 0 0 0\n'.repeat(10_000)}f 1 1 1\n`), 'obj'],
  ])('a %s is inspected with one read of its start and one of its end', async (_, file, type) => {
    const bytes = openSourceBytes(await stored(file), connector, undefined);
    expect((await inspectSource(bytes, type)).verdict).toBe('accept');
    expect(reads).toBe(2);
  });

  it('bytes that are near each other are read at once, and those far apart separately', async () => {
    const source = openSourceBytes(await stored(numbers(200_000)), connector, undefined);
    for (const offset of [0, 40_000, 65_500, 20]) await source.read(offset, 36);
    expect(reads).toBe(1);
    for (const offset of [65_501, 100_000, 0]) await source.read(offset, 36);
    expect(reads).toBe(3);
  });

  it('the bytes of an empty file are not read', async () => {
    const source = await stored(Buffer.alloc(0));
    const look = await inspectSource(openSourceBytes(source, connector, undefined), 'glb');
    expect(look.code).toBe('EMPTY_FILE');
    expect(reads).toBe(0);
  });

  it('the read is refused if the file has changed to another version', async () => {
    const source = openSourceBytes(await stored(numbers(100_000)), connector, undefined);
    await source.read(0, 8);
    bucket.files.set('one.glb', { bytes: numbers(100_000), mtimeMs: 7 });
    await source.read(8, 8);
    await expect(source.read(90_000, 8)).rejects.toMatchObject({ name: 'SourceChangedError' });
  });

  it('a file that only has a new time, and so keeps its earlier version, can be read', async () => {
    const { version } = await stored(numbers(100));
    bucket.files.set('one.glb', { bytes: numbers(100), mtimeMs: 7 });
    const entry = await connector.stat('one.glb');
    if (!entry) throw new Error('it was just written');
    const source = { ...sourceOf(entry), version };
    const bytes = openSourceBytes(source, connector, undefined);
    expect(Buffer.from(await bytes.read(0, 8))).toEqual(numbers(8));
  });

  it('the read is refused if the file is missing', async () => {
    const source = openSourceBytes(await stored(numbers(100)), connector, undefined);
    await connector.remove('one.glb');
    await expect(source.read(0, 8)).rejects.toMatchObject({ code: 'FILE_GONE' });
  });
});
