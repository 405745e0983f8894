import { describe, expect, it } from 'vitest';
import type { Entry } from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { splitStableFiles } from '../../src/store/discovery/stable-files.ts';
import {
  contentVersionOf,
  entryFieldsOfVersion,
  sourceOf,
} from '../../src/store/records/source-version.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { startMs } from './_store.ts';

/** Files by age in milliseconds at the start. `during` runs while the run waits. */
async function settle(
  agesMs: Record<string, number>,
  stableForMs: number,
  during: (bucket: MemoryBucket) => void = () => undefined,
  /** Files of a bucket, which appear whole, unless `system` says otherwise. */
  marks: Pick<Entry, 'etag' | 'changedMs'> = { etag: '1' },
) {
  const bucket = new MemoryBucket();
  for (const [path, ageMs] of Object.entries(agesMs)) {
    bucket.files.set(path, { bytes: Buffer.from('x'), mtimeMs: startMs - ageMs });
  }
  const connector = new MemoryConnector(bucket);
  const entries = [];
  for await (const entry of connector.list()) entries.push(entry);
  const waitsMs: number[] = [];
  const wait = async (delayMs: number) => {
    waitsMs.push(delayMs);
    during(bucket);
  };
  const marksOf = () => marks;
  const options = { connector, stableForMs, now: () => startMs, entryFieldsOf: marksOf, wait };
  const result = await splitStableFiles(entries, options);
  return { stable: result.stable.map(({ path }) => path).sort(), later: result.later, waitsMs };
}

const grow = (path: string) => (bucket: MemoryBucket) =>
  bucket.files.set(path, { bytes: Buffer.from('xy'), mtimeMs: startMs });

describe('files that have stopped changing', () => {
  it('old files are taken without a wait', async () => {
    expect(await settle({ a: 1_000, b: 90_000 }, 1_000)).toEqual({
      stable: ['a', 'b'],
      later: [],
      waitsMs: [],
    });
  });

  it('recent files are taken after the remaining wait', async () => {
    expect(await settle({ a: 300, b: 700, old: 5_000 }, 1_000)).toEqual({
      stable: ['a', 'b', 'old'],
      later: [],
      waitsMs: [700],
    });
  });

  it('files that are still changing are left for the next run', async () => {
    expect(await settle({ a: 300, b: 700 }, 1_000, grow('a'))).toEqual({
      stable: ['b'],
      later: ['a'],
      waitsMs: [700],
    });
  });

  it('files of which only the time changes are left for the next run', async () => {
    const touch = (bucket: MemoryBucket) =>
      bucket.files.set('a', { bytes: Buffer.from('x'), mtimeMs: startMs + 1 });
    expect(await settle({ a: 300 }, 1_000, touch)).toMatchObject({ stable: [], later: ['a'] });
  });

  it('files that disappear are dropped', async () => {
    const vanish = (bucket: MemoryBucket) => bucket.files.delete('a');
    expect(await settle({ a: 300 }, 1_000, vanish)).toMatchObject({ stable: [], later: [] });
  });

  it('a file that alone may not be read is taken, so that its run reports it', async () => {
    const bucket = new MemoryBucket();
    for (const path of ['a', 'b']) {
      bucket.files.set(path, { bytes: Buffer.from('x'), mtimeMs: startMs });
    }
    const settleWith = async (code: ConnectorError['code']) => {
      const connector = new MemoryConnector(bucket, async (operation, path) => {
        if (operation === 'stat' && path === 'a') throw new ConnectorError(code, path, 'no', 'fix');
      });
      const options = {
        now: () => startMs,
        entryFieldsOf: () => ({}),
        wait: async () => undefined,
      };
      const entries = await collect(connector.list());
      return splitStableFiles(entries, { connector, stableForMs: 1_000, ...options });
    };
    const { stable, later } = await settleWith('FILE_REFUSED');
    expect({ stable: stable.map(({ path }) => path), later }).toEqual({
      stable: ['a', 'b'],
      later: [],
    });
    await expect(settleWith('CONNECTOR_UNREACHABLE')).rejects.toMatchObject({
      code: 'CONNECTOR_UNREACHABLE',
    });
  });

  it('files are not waited for longer than five seconds', async () => {
    expect(await settle({ a: 1_000, b: 56_000 }, 60_000)).toEqual({
      stable: ['b'],
      later: ['a'],
      waitsMs: [4_000],
    });
  });

  it('files with a time far in the future are checked twice', async () => {
    const hourMs = -3_600_000;
    expect(await settle({ a: hourMs, b: hourMs }, 1_000, grow('b'))).toEqual({
      stable: ['a'],
      later: ['b'],
      waitsMs: [1_000],
    });
    expect(await settle({ a: hourMs }, 60_000)).toMatchObject({ stable: ['a'], waitsMs: [5_000] });
  });

  it('files dated a few milliseconds ahead count as just changed', async () => {
    expect(await settle({ a: -5 }, 60_000)).toMatchObject({
      stable: [],
      later: ['a'],
      waitsMs: [],
    });
    expect(await settle({ a: -5 }, 1_000)).toMatchObject({ stable: ['a'], waitsMs: [1_000] });
  });

  it('no wait is needed if `stableFor` is 0', async () => {
    expect(await settle({ a: 0 }, 0)).toMatchObject({ stable: ['a'], waitsMs: [] });
  });
});

describe('files that do not declare their length', () => {
  const second = 1_000;
  const minute = 60 * second;
  const hour = 60 * minute;
  /** A folder whose file system records each change, and a server with only the times that writers set. */
  const folder = (changedAgoMs: number) => ({ changedMs: startMs - changedAgoMs });
  const server = {};
  const bucket = { etag: '1' };

  it.each<[string, string, number, Pick<Entry, 'etag' | 'changedMs'>, number[]]>([
    ['an OBJ in a folder, some seconds old', 'a.obj', 3 * second, folder(3 * second), [5_000]],
    ['an FBX, a minute old', 'a.FBX', minute, folder(minute), [5_000]],
    ['an STL, almost old enough', 'a.stl', 299 * second, folder(299 * second), [5_000]],
    ['a PLY, old enough', 'a.ply', 300 * second, folder(300 * second), []],
    ['a USDZ that was copied with its old time', 'a.usdz', 9 * hour, folder(second), [5_000]],
    ['a picture for a texture', 'wood.png', 3 * second, folder(3 * second), [5_000]],
    ['a file without an extension', 'a', 3 * second, folder(3 * second), [5_000]],
    ['an OBJ on a server', 'a.obj', 3 * second, server, [10_000]],
    ['an OBJ on a server whose clock is an hour behind', 'a.obj', hour, server, [10_000]],
    ['an OBJ on a server, a day old', 'a.obj', 24 * hour, server, []],
    ['an OBJ on a server whose clock is ahead', 'a.obj', -hour, server, [10_000]],
    ['an OBJ in a store without times', 'a.obj', startMs, server, [10_000]],
    ['an OBJ in a bucket', 'a.obj', 3 * second, bucket, []],
    ['a GLB in a folder, which contains its length', 'a.glb', 3 * second, folder(3 * second), []],
    ['a glTF on a server, which is parsed to its end', 'a.GLTF', 3 * second, server, []],
  ])(
    '%s: a file is checked again after a wait if half of it could be valid',
    async (_what, path, age, marks, waits) => {
      const settled = await settle({ [path]: age }, second, undefined, marks);
      expect(settled).toEqual({ stable: [path], later: [], waitsMs: waits });
    },
  );

  it.each<[string, (bucket: MemoryBucket) => void]>([
    ['grows', grow('a.obj')],
    [
      'grows within the same second',
      ({ files }) => files.set('a.obj', { bytes: Buffer.from('xy'), mtimeMs: startMs - 3_000 }),
    ],
    [
      'is rewritten at the same size',
      ({ files }) => files.set('a.obj', { bytes: Buffer.from('y'), mtimeMs: startMs }),
    ],
  ])('a file that %s in between is left for the next run', async (_how, during) => {
    const settled = await settle({ 'a.obj': 3_000, 'b.obj': 3_000 }, 1_000, during, folder(3_000));
    expect(settled).toMatchObject({ stable: ['b.obj'], later: ['a.obj'] });
  });

  it('empty and recent files are left for the next run', async () => {
    const empty = ({ files }: MemoryBucket) =>
      files.set('a.obj', { bytes: Buffer.alloc(0), mtimeMs: startMs - 3_000 });
    const bucketOf = new MemoryBucket();
    empty(bucketOf);
    const connector = new MemoryConnector(bucketOf);
    const entries = [{ path: 'a.obj', bytes: 0, mtimeMs: startMs - 3_000 }];
    const options = { connector, stableForMs: 1_000, now: () => startMs, wait: async () => {} };
    const marksOf = () => folder(3_000);
    expect(await splitStableFiles(entries, { ...options, entryFieldsOf: marksOf })).toEqual({
      stable: [],
      later: ['a.obj'],
    });
    // An object of a bucket is complete, so it fails with its name.
    expect(
      await splitStableFiles(entries, { ...options, entryFieldsOf: () => ({ etag: '1' }) }),
    ).toEqual({
      stable: entries,
      later: [],
    });
    // An old file is no longer being written.
    expect(
      await splitStableFiles(entries, {
        ...options,
        entryFieldsOf: marksOf,
        now: () => startMs + hour,
      }),
    ).toEqual({
      stable: entries,
      later: [],
    });
  });

  it('all files together cause one wait, or no wait if `stableFor` is 0', async () => {
    const ages = { 'a.obj': 1_200, 'b.obj': 4_000, 'c.glb': 400 };
    expect(await settle(ages, 1_000, undefined, folder(0))).toMatchObject({ waitsMs: [5_000] });
    expect(await settle(ages, 0, undefined, folder(0))).toMatchObject({ waitsMs: [] });
  });

  it('the change time or etag of a file can be read from its version, but not from a content version', async () => {
    const entry = { path: 'a.obj', bytes: 5, mtimeMs: startMs };
    const marks = (more: Partial<Entry>) =>
      entryFieldsOfVersion(sourceOf({ ...entry, ...more }).version);
    expect(marks({})).toEqual({});
    expect(marks({ changedMs: startMs })).toEqual({ changedMs: startMs });
    expect(Object.keys(marks({ etag: '"1"' }))).toEqual(['etag']);
    const compared = contentVersionOf(
      sourceOf({ ...entry, changedMs: 5 }).version,
      'ab'.repeat(32),
    );
    expect(entryFieldsOfVersion(compared)).toEqual({});
  });
});
