// Thumbnails of delivered files: a small JPEG, or the file itself if its format cannot be decoded.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { local } from '../../src/connectors/local.ts';
import { DeliveredFiles } from '../../src/ui/delivered-files.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-delivered-'));
  const grey = { create: { width: 40, height: 30, channels: 3 as const, background: '#888' } };
  for (const format of ['png', 'webp', 'avif'] as const) {
    await sharp(grey)
      .toFormat(format)
      .toFile(join(folder, `a.${format}`));
  }
  await writeFile(join(folder, 'a.pdf'), '%PDF-1.7');
  await mkdir(join(folder, 'other'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it.each([
  ['a.png', 'image/jpeg'],
  ['a.webp', 'image/webp'],
  ['a.avif', 'image/avif'],
  ['a.pdf', undefined],
  ['b.png', undefined],
])('the thumbnail of %s has the type %s', async (path, type) => {
  const files = new DeliveredFiles({});
  const paths = new Set([path]);
  // The file is in the second of two destinations.
  const places = [join(folder, 'other'), folder];
  const destinations = places.map((place) => ({ type: 'local', path: place }));
  files.setRunFiles('run', { destinations, paths });
  const copy = await files.thumbnail('run', path);
  expect(copy?.type).toBe(type);
  if (type) expect((await sharp(copy?.bytes).metadata()).width).toBe(40);
});

it('the files of at most 100 runs are kept', () => {
  const files = new DeliveredFiles({});
  const paths = new Set(['a.png']);
  const runs = Array.from({ length: 1_000 }, (_, index) => `run-${index}`);
  for (const run of runs) {
    files.setRunFiles(run, { destinations: [], paths });
    expect(files.has(run, 'a.png')).toBe(true);
  }
  expect(runs.filter((run) => files.has(run, 'a.png')).length).toBeLessThanOrEqual(100);
});

it('the files of a few huge runs are kept, and those of the newest run always are', () => {
  const files = new DeliveredFiles({});
  const paths = new Set(Array.from({ length: 400_000 }, (_, index) => `${index}.png`));
  const runs = ['first', 'second', 'third', 'fourth'];
  const countKept = () => runs.filter((run) => files.has(run, '0.png')).length;
  const counts = runs.map((run) => {
    files.setRunFiles(run, { destinations: [], paths });
    expect(files.has(run, '0.png')).toBe(true);
    return countKept();
  });
  expect(counts).toEqual([1, 2, 1, 2]);
});

it('a huge run whose page is loaded again does not displace the other runs', () => {
  const files = new DeliveredFiles({});
  const paths = new Set(Array.from({ length: 400_000 }, (_, index) => `${index}.png`));
  for (const run of ['first', 'second', 'second'])
    files.setRunFiles(run, { destinations: [], paths });
  expect(files.has('first', '0.png')).toBe(true);
});

it('a destination is opened once for all files of all pages and runs', async () => {
  const open = vi.spyOn(local, 'open');
  onTestFinished(() => open.mockRestore());
  const files = new DeliveredFiles({});
  const page = ['a.png', 'a.webp', 'a.pdf'];
  for (const run of ['first', 'second', 'second']) {
    const destinations = [{ type: 'local', path: folder }];
    files.setRunFiles(run, { destinations, paths: new Set(page) });
    for (const path of page) expect(await files.read(run, path)).not.toBeNull();
  }

  expect(open).toHaveBeenCalledTimes(1);
});
