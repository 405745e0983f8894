// Zips of delivered files: their content, the conditions for another write, and warnings about missing files.
import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { describe, expect, test } from 'vitest';
import { writeManifests } from '../../../src/features/delivery/manifest/write-manifests.ts';
import type { DeliveryManifest, DeliveryZip } from '../../../src/plan/delivery-manifests.ts';
import type { DeliveredFile } from '../../../src/plan/types.ts';
import { MemoryBucket, MemoryConnector } from '../../connectors/_memory-connector.ts';
import { recipe, sourceOf, storesOver } from '../../store/_store.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const all: DeliveryZip = { path: 'all.zip', image: null, changed: false };

/** Files by path. `path@image` is an image. */
type Files = Record<string, string>;

/** A pipeline whose runs share records and destination. */
function pipeline() {
  const destination = new MemoryBucket();
  const operations: string[] = [];
  const storeOf = storesOver(new MemoryBucket());
  const connector = new MemoryConnector(destination, async (operation, path) => {
    operations.push(`${operation} ${path}`);
  });
  const put = async (path: string, text: string) => {
    await connector.write(path, Buffer.from(text));
  };
  return {
    put,
    destination,
    remove: (path: string) => connector.remove(path),
    /** Delivers the files of an asset. */
    deliver: async (key: string, files: Files) => {
      const delivered = Object.entries(files).map(([name, text]): DeliveredFile => {
        const [path = '', image] = name.split('@');
        return {
          key,
          path,
          sha256: sha256(text),
          bytes: text.length,
          width: 20,
          height: 30,
          output: `out-${name}`,
          delivery: 'web00000',
          ...(image === undefined ? {} : { image }),
        };
      });
      for (const [name, text] of Object.entries(files)) await put(name.split('@')[0] ?? '', text);
      await storeOf('run-1').records.write({
        key,
        source: sourceOf(key),
        recipe,
        platformIds: {},
        files: delivered,
        run: 'run-1',
        lineage: 'run-1',
        finishedAt: '2026-03-01T10:00:00.000Z',
      });
    },
    /** Ends a run. Returns its warnings and the files that it wrote to the destination, in order. */
    end: async (run: string, ...zips: DeliveryZip[]) => {
      const manifest: DeliveryManifest = {
        node: 'deliver',
        delivery: 'web00000',
        connector: 'shop',
        path: 'manifest.csv',
        columns: [['File', '{{ file }}']],
        delimiter: ',',
        bom: false,
        images: { amazon00: 'amazon-main', web00000: 'web' },
        zips,
      };
      const store = storeOf(run);
      operations.length = 0;
      const warnings = await writeManifests([manifest], {
        store,
        rows: null,
        getConnector: () => connector,
        signal: new AbortController().signal,
        assertLease: async () => undefined,
      });
      const written = operations.flatMap((one) => one.match(/^write (.+)/)?.[1] ?? []);
      return { written, warnings, zips: await store.publishedZips.readByRun(run) };
    },
    contentOf: (path: string) => {
      const bytes = destination.files.get(path)?.bytes;
      if (bytes === undefined) return null;
      const entries = Object.entries(unzipSync(bytes));
      return Object.fromEntries(
        entries.map(([name, text]) => [name, Buffer.from(text).toString()]),
      );
    },
  };
}

describe('the content of a zip', () => {
  const shoe = {
    'shoe.png': 'one',
    'shoe.MAIN.jpg@amazon00': 'two',
    'web/shoe.webp@web00000': '3',
  };
  test.each<[what: string, zip: Partial<DeliveryZip>, files: Files]>([
    [
      'all files of the export',
      {},
      { 'shoe.png': 'one', 'shoe.MAIN.jpg': 'two', 'web/shoe.webp': '3', 'Stühle/1.png': '4' },
    ],
    ['the files of a single channel', { image: 'amazon-main' }, { 'shoe.MAIN.jpg': 'two' }],
    [
      'the original files, without channel images',
      { image: 'original' },
      { 'shoe.png': 'one', 'Stühle/1.png': '4' },
    ],
  ])('a zip contains %s', async (_what, zip, files) => {
    const { deliver, end, contentOf } = pipeline();
    await deliver('shoe', shoe);
    await deliver('stool', { 'Stühle/1.png': '4' });
    const { written, warnings } = await end('run-1', { ...all, ...zip });
    expect(contentOf('all.zip')).toEqual(files);
    expect(written, 'the zip is last').toEqual(['manifest.csv', 'all.zip']);
    expect(warnings).toEqual([]);
  });

  test('a zip of changes contains only files that were added or replaced since the last run', async () => {
    const { deliver, end, contentOf } = pipeline();
    const changed = { ...all, path: 'changes.zip', changed: true };
    await deliver('a', { 'a.png': 'a1' });
    await deliver('b', { 'b.png': 'b1' });
    await end('run-1', changed);
    expect(contentOf('changes.zip')).toEqual({ 'a.png': 'a1', 'b.png': 'b1' });
    await deliver('a', { 'a.png': 'a2' });
    await deliver('c', { 'c.png': 'c1' });
    await end('run-2', changed, all);
    expect(contentOf('changes.zip')).toEqual({ 'a.png': 'a2', 'c.png': 'c1' });
    expect(Object.keys(contentOf('all.zip') ?? {})).toEqual(['a.png', 'b.png', 'c.png']);
  });

  test("a second attempt of the run does not write the zip again, and the zip's files stay the same", async () => {
    const { deliver, end, contentOf } = pipeline();
    const changed = { ...all, changed: true };
    await deliver('a', { 'a.png': 'a1' });
    await end('run-1', changed);
    await deliver('b', { 'b.png': 'b1' });
    await end('run-2', changed);
    const again = await end('run-2', changed);
    expect(again.written).toEqual(['manifest.csv']);
    expect(again.zips).toMatchObject([{ files: 1, isNew: true }]);
    expect(contentOf('all.zip')).toEqual({ 'b.png': 'b1' });
  });
});

describe('writing a zip', () => {
  test.each<
    [what: string, isWritten: boolean, happens: (now: ReturnType<typeof pipeline>) => unknown]
  >([
    ['a zip is not written again if nothing has changed', false, () => undefined],
    [
      'a zip is written again if a file is new',
      true,
      ({ deliver }) => deliver('b', { 'b.png': 'b' }),
    ],
    [
      'a zip is written again if the content of a file has changed',
      true,
      ({ deliver }) => deliver('a', { 'a.png': '2' }),
    ],
    [
      'a zip is written again if a file was renamed',
      true,
      ({ deliver }) => deliver('a', { 'A.png': 'a' }),
    ],
    ['a zip is written again if it was deleted', true, ({ remove }) => remove('all.zip')],
    ['a zip is written again if it was replaced', true, ({ put }) => put('all.zip', 'x')],
  ])('%s', async (_what, isWritten, happens) => {
    const now = pipeline();
    await now.deliver('a', { 'a.png': 'a' });
    const first = await now.end('run-1', all);
    expect(first.zips).toMatchObject([{ path: 'all.zip', files: 1, isNew: true }]);
    await happens(now);
    const { written, zips } = await now.end('run-2', all);
    expect(written.includes('all.zip')).toBe(isWritten);
    expect(zips).toMatchObject([{ path: 'all.zip', isNew: isWritten }]);
  });

  test('a zip is written once per run if its path contains the run, but a zip of changes is not written without files', async () => {
    const { deliver, end, destination } = pipeline();
    await deliver('a', { 'a.png': 'a' });
    const named = { ...all, path: '{{ run }}.zip' };
    const ofChanges = { ...all, path: 'changes-{{ run }}.zip', changed: true };
    await end('run-1', named, ofChanges);
    await end('run-2', named, ofChanges);
    const zips = [...destination.files.keys()].filter((path) => path.endsWith('.zip'));
    expect(zips.sort()).toEqual(['changes-run-1.zip', 'run-1.zip', 'run-2.zip']);
  });

  test('a zip is written when the first file exists, and emptied when the last file is gone', async () => {
    const { deliver, end, contentOf } = pipeline();
    await end('run-1', all);
    expect(contentOf('all.zip')).toBeNull();
    await deliver('a', { 'a.png': 'a' });
    await end('run-2', all);
    await deliver('a', {});
    await end('run-3', all);
    expect(contentOf('all.zip')).toEqual({});
  });
});

describe('a delivered file in a zip', () => {
  test('a missing file is omitted with a warning until it is back', async () => {
    const { deliver, end, put, remove, contentOf } = pipeline();
    await deliver('a', { 'a.png': 'a', 'b.png': 'b', 'c.png': 'c' });
    await remove('a.png');
    await remove('b.png');
    const { warnings, zips } = await end('run-1', all);
    expect(warnings).toEqual([
      {
        key: 'deliver',
        message: expect.stringMatching(
          /^all\.zip does not include files .+: a\.png and 1 more; `renderline run --verify`/,
        ),
      },
    ]);
    expect(zips).toMatchObject([{ files: 1, absent: 2, altered: 0 }]);
    expect(contentOf('all.zip')).toEqual({ 'c.png': 'c' });
    await put('a.png', 'a');
    await put('b.png', 'b');
    expect((await end('run-2', all)).warnings).toEqual([]);
    expect(Object.keys(contentOf('all.zip') ?? {})).toHaveLength(3);
  });

  test('a changed file is included in its current state, with a warning', async () => {
    const { deliver, end, put, contentOf } = pipeline();
    await deliver('a', { 'a.png': 'a' });
    await put('a.png', 'smaller');
    const { warnings } = await end('run-1', all);
    expect(warnings[0]?.message).toContain('all.zip contains files that somebody has changed');
    expect(contentOf('all.zip')).toEqual({ 'a.png': 'smaller' });
  });
});
