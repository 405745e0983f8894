// A file name of a run belongs to one asset, whichever workers deliver it, in any order.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import { MemoryBucket } from '../connectors/_memory-connector.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { storeOn, storesOver } from './_store.ts';

const place = 'local folder /out';
const wish = (key: string, path: string) => ({ destination: place, path, key });
const namesOf = (bucket: MemoryBucket) =>
  [...bucket.files.keys()]
    .filter((path) => path.includes('/paths/'))
    .map((path) => path.slice(-10));

describe('the owner of a path', () => {
  it('a path belongs to the asset that claimed it first', async () => {
    const { pathOwners: paths } = storesOver()('run');
    expect(await paths.claim([wish('a', 'shoe.png'), wish('b', 'boot.png')])).toEqual(['a', 'b']);
    expect(await paths.claim([wish('c', 'shoe.png'), wish('c', 'c.png')])).toEqual(['a', 'c']);
  });

  it('a path belongs to the first asset in a call', async () => {
    const { pathOwners: paths } = storesOver()('run');
    expect(await paths.claim([wish('b', 'shoe.png'), wish('a', 'shoe.png')])).toEqual(['b', 'b']);
  });

  it('a path is the same with other capitals and with another spelling of its accents', async () => {
    const { pathOwners: paths } = storesOver()('run');
    expect(await paths.claim([wish('a', 'caf\u00e9.png')])).toEqual(['a']);
    expect(await paths.claim([wish('b', 'Cafe\u0301.PNG')])).toEqual(['a']);
  });

  it.each([
    ['straße.png', 'STRASSE.png'],
    ['ασ.png', 'ας.png'],
    ['10K.png', '10\u212A.png'],
  ])(
    'paths are the same if any usual file system treats the names as equal: %s and %s',
    async (one, other) => {
      const bucket = new MemoryBucket();
      const { pathOwners: paths } = storesOver(bucket)('run');
      expect(await paths.claim([wish('a', one), wish('b', other)])).toEqual(['a', 'a']);
      const later = storesOver(bucket)('later').pathOwners;
      expect(await later.claim([wish('b', other), wish('a', one)])).toEqual(['a', 'a']);
    },
  );

  it('a path has the same owner in a later run, and for a worker that has read no earlier pages', async () => {
    const stores = storesOver();
    const { pathOwners: paths } = stores('run');
    for (let page = 0; page < 70; page += 1) await paths.claim([wish(`k${page}`, `${page}.png`)]);
    const wishes = [wish('new', '0.png'), wish('new', '69.png'), wish('new', '70.png')];
    expect(await stores('run-2').pathOwners.claim(wishes)).toEqual(['k0', 'k69', 'new']);
  });

  it('all paths of an asset are free once they are released, and no others', async () => {
    const stores = storesOver();
    const { pathOwners: paths } = stores('run');
    const elsewhere = { destination: 'elsewhere', path: 'a.png', key: 'a' };
    await paths.claim([wish('a', 'Shoe.png'), elsewhere, wish('b', 'boot.png')]);
    await stores('clean').pathOwners.release(new Set(['a']));
    const wishes = [wish('c', 'shoe.png'), { ...elsewhere, key: 'c' }, wish('c', 'boot.png')];
    expect(await stores('later').pathOwners.claim(wishes)).toEqual(['c', 'c', 'b']);
  });

  it('the paths of thousands of released assets are written in pages that can be read', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    const { pathOwners } = stores('run');
    const folder = 'shoes/'.repeat(100);
    const keys = Array.from({ length: 30_000 }, (_, index) => `k${index}`);
    for (const part of chunks(keys, 5_000))
      await pathOwners.claim(part.map((key) => wish(key, `${folder}${key}.png`)));
    await stores('clean').pathOwners.release(new Set(keys));
    const sizes = [...bucket.files.values()].map(({ bytes }) => bytes.length);
    expect(Math.max(...sizes)).toBeLessThan(16 * 1024 ** 2);
    const wishes = [wish('new', `${folder}k0.png`), wish('new', `${folder}k29999.png`)];
    expect(await stores('later').pathOwners.claim(wishes)).toEqual(['new', 'new']);
  });

  it('a path can have another owner in another destination', async () => {
    const stores = storesOver();
    await stores('run').pathOwners.claim([wish('a', 'shoe.png')]);
    const elsewhere = { ...wish('b', 'shoe.png'), destination: 'S3 bucket media' };
    expect(await stores('run').pathOwners.claim([elsewhere])).toEqual(['b']);
  });
});

describe('stored claims of paths', () => {
  it('claims are stored as one page per call, but not again if all paths are known', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    const wishes = [wish('a', 'a.png'), wish('b', 'b.png')];
    await stores('run').pathOwners.claim(wishes);
    await stores('run').pathOwners.claim(wishes);
    await stores('run').pathOwners.claim([]);
    expect(namesOf(bucket)).toEqual(['00000.json']);
    await stores('run').pathOwners.claim([wish('c', 'c.png')]);
    expect(namesOf(bucket)).toEqual(['00000.json', '00001.json']);
  });
});

describe('a released path', () => {
  it('a released path is free immediately, even for other assets in the same call', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    const { pathOwners: paths } = stores('run');
    const before = [wish('a', 'one.png'), wish('b', 'two.png')];
    await paths.claim(before);
    const swapped = [wish('b', 'one.png'), wish('a', 'two.png')];
    expect(await paths.claim(swapped, before)).toEqual(['b', 'a']);
    expect(await stores('later').pathOwners.claim(before)).toEqual(['b', 'a']);
    expect(namesOf(bucket)).toEqual(['00000.json', '00001.json']);
  });

  it('a released path has no owner until an asset claims it', async () => {
    const { pathOwners: paths } = storesOver()('run');
    await paths.claim([wish('a', 'one.png')]);
    await paths.claim([], [wish('a', 'one.png')]);
    expect(await paths.ownerOf(wish('', 'one.png'))).toBeUndefined();
    expect(await paths.claim([wish('c', 'one.png')])).toEqual(['c']);
  });

  it('a path stays with its owner if another asset releases it, and nothing is written', async () => {
    const bucket = new MemoryBucket();
    const { pathOwners: paths } = storesOver(bucket)('run');
    await paths.claim([wish('a', 'one.png')]);
    await paths.claim([], [wish('b', 'one.png'), wish('b', 'never.png')]);
    expect(await paths.ownerOf(wish('', 'one.png'))).toBe('a');
    expect(namesOf(bucket)).toEqual(['00000.json']);
  });
});

describe('claims of paths on a disk', () => {
  const path = 'shoe.png';
  const requestOf = (key: string, previousKey: string) => ({ ...wish(key, path), previousKey });

  async function ownersOnDisk() {
    const folder = await tempFolder();
    const { pathOwners } = storeOn(new LocalConnector({ type: 'local', path: folder }), 'run');
    const pages = async () => (await readdir(join(folder, '.renderline/shoes/paths'))).length;
    return { pathOwners, pages };
  }

  it('a claim terminates for an asset that takes a path over from its own key', async () => {
    const { pathOwners, pages } = await ownersOnDisk();
    await pathOwners.claim([wish('a', path)]);
    expect(await pathOwners.claim([requestOf('a', 'a')])).toEqual(['a']);
    expect(await pages()).toBe(1);
  });

  it('a claim terminates for two assets that take one path over from each other', async () => {
    const { pathOwners, pages } = await ownersOnDisk();
    await pathOwners.claim([wish('b', path)]);
    const requests = [requestOf('a', 'b'), requestOf('b', 'a')];
    expect(await pathOwners.claim(requests)).toEqual(['a', 'a']);
    expect(await pages()).toBe(2);
  });

  it('a claim terminates for an asset that releases a path and claims it again', async () => {
    const { pathOwners, pages } = await ownersOnDisk();
    await pathOwners.claim([wish('a', path)]);
    expect(await pathOwners.claim([wish('a', path)], [wish('a', path)])).toEqual(['a']);
    expect(await pages()).toBe(2);
  });
});

it('concurrent workers agree on the owner of every path', async () => {
  const bucket = new MemoryBucket();
  const stores = storesOver(bucket);
  const workers = Array.from({ length: 6 }, (_, index) => {
    const { pathOwners: paths } = stores('run');
    return { name: `w${index}`, paths };
  });
  const files = Array.from({ length: 20 }, (_, index) => `${index}.png`);
  const answers = await Promise.all(
    workers.flatMap(({ name, paths }) =>
      [files.slice(0, 12), files.slice(8)].map(async (some) =>
        (await paths.claim(some.map((path) => wish(name, path)))).map((key, at) => [some[at], key]),
      ),
    ),
  );
  const holders = new Map<string, Set<string>>();
  for (const [path = '', key = ''] of answers.flat()) {
    holders.set(path, (holders.get(path) ?? new Set()).add(key));
  }
  expect([...holders.values()].map(({ size }) => size)).toEqual(files.map(() => 1));
});
