// The assets that the files of a library become: sets of textures, decals, props.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import { createLibraryLister, type LibraryFiles } from '../../src/features/library/list-library.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import type { Lister } from '../../src/store/discovery/listed-source.ts';
import { putFile, tempFolder } from '../connectors/_temp-folder.ts';

const nowMs = 1_700_000_000_000;
const longAgoMs = nowMs - 3_600_000;

const all: LibraryFiles & { stableForMs: number } = {
  props: { include: ['props/**'], exclude: [] },
  decals: { include: ['logos/**'], exclude: [] },
  materials: { include: ['textures/**'], exclude: [], unmatchedAsDiffuse: false },
  stableForMs: 1_000,
};

async function library(paths: readonly string[], config = all) {
  const folder = await tempFolder();
  for (const path of paths) await putFile(folder, path, path, longAgoMs);
  const connector = new LocalConnector({ type: 'local', path: folder });
  const wait = async () => undefined;
  const lister = () =>
    createLibraryLister({ connector, config, node: 'library', now: () => nowMs, wait });
  return { folder, lister };
}

async function sourcesOf(lister: Lister): Promise<Record<string, AssetSource>> {
  const { sources } = await lister.list(undefined);
  return Object.fromEntries(sources.map(({ unkeyed, source }) => [unkeyed.shortKey, source]));
}

const oak = ['textures/oak/oak_diffuse.png', 'textures/oak/oak_normal.png'];

describe('the assets of a library', () => {
  it('the assets are sets of textures, decals and props', async () => {
    const { lister } = await library([
      ...oak,
      'logos/acme.svg',
      'props/vase.glb',
      'props/vase.png',
      'readme.txt',
    ]);
    const { sources, failures, grouping } = await lister().list(undefined);
    expect(failures).toEqual([]);
    expect(sources.map(({ unkeyed }) => unkeyed.shortKey).sort()).toEqual([
      'logos/acme',
      'props/vase',
      'textures/oak/oak',
    ]);
    expect(grouping).toMatchObject({ props: 1, decals: 1 });
    const { 'textures/oak/oak': set } = await sourcesOf(lister());
    expect(set).toMatchObject({
      path: 'textures/oak/oak',
      bytes: oak.join('').length,
      set: { name: 'oak', files: { diffuse: 'oak_diffuse.png', normal: 'oak_normal.png' } },
    });
  });

  it('pictures of decals are excluded from textures', async () => {
    const config = { ...all, decals: { include: ['**/*_diffuse.png'], exclude: [] } };
    const { lister } = await library(oak, config);
    const { grouping } = await lister().list(undefined);
    expect(grouping?.decals).toBe(1);
    expect(grouping?.textures.materials).toEqual([
      { name: 'oak', textures: { normal: 'textures/oak/oak_normal.png' } },
    ]);
  });

  it('a texture of an unsupported type is refused', async () => {
    const { lister } = await library(['textures/oak_diffuse.png', 'textures/oak_normal.tga']);
    const { sources, failures } = await lister().list(undefined);
    expect(sources).toEqual([]);
    expect(failures).toMatchObject([{ key: 'textures/oak', code: 'TEXTURE_TYPE' }]);
    expect(failures[0]?.message).toContain(
      'normal is textures/oak_normal.tga; the platform accepts only png',
    );
  });

  it('a set with an empty texture is refused', async () => {
    const { folder, lister } = await library(oak);
    await putFile(folder, 'textures/oak/oak_normal.png', '', longAgoMs);
    const { sources, failures } = await lister().list(undefined);
    expect(sources).toEqual([]);
    expect(failures).toMatchObject([{ key: 'textures/oak/oak', code: 'EMPTY_FILE' }]);
    expect(failures[0]?.message).toContain('normal is textures/oak/oak_normal.png');
  });

  it('files that belong to no material are listed', async () => {
    const { lister } = await library([...oak, 'textures/IMG_0042.png', 'textures/notes.txt']);
    const { grouping } = await lister().list(undefined);
    expect(grouping?.textures).toMatchObject({
      unmatched: ['textures/IMG_0042.png'],
      skipped: ['textures/notes.txt'],
    });
  });
});

describe('a library of many thousands of files', () => {
  it('the library is grouped without blocking the event loop, and grouping can be cancelled', async () => {
    const paths = Array.from({ length: 1_200 }, (_, n) => `textures/${n}/oak${n}_diffuse.png`);
    const connector = new LocalConnector({ type: 'local', path: '/nowhere' });
    connector.list = async function* () {
      for (const path of paths) yield { path, bytes: 1, mtimeMs: longAgoMs };
    };
    const lister = () =>
      createLibraryLister({ connector, config: all, node: 'library', now: () => nowMs });
    let turns = 0;
    const beat = setInterval(() => (turns += 1), 0);
    const { sources } = await lister().list(undefined);
    clearInterval(beat);
    expect(sources).toHaveLength(1_200);
    expect(turns).toBeGreaterThan(1);
    const stop = new AbortController();
    const listing = lister().list(stop.signal);
    setImmediate(() => stop.abort(new Error('cancelled')));
    await expect(listing).rejects.toThrow('cancelled');
  });
});

describe('a texture set', () => {
  it('a set keeps its key and version when another set with the same name is added', async () => {
    const { folder, lister } = await library(oak);
    const before = await sourcesOf(lister());
    await putFile(folder, 'textures/dark/oak_diffuse.png', 'x', longAgoMs);
    const after = await sourcesOf(lister());
    expect(Object.keys(after).sort()).toEqual(['textures/dark/oak', 'textures/oak/oak']);
    const { version, set } = after['textures/oak/oak'] ?? {};
    expect(version).toBe(before['textures/oak/oak']?.version);
    // In the library the two sets need different names.
    expect(set?.name).toBe('textures/oak/oak');
  });

  it.each<[string, string, string]>([
    ['one of its files changes', 'textures/oak/oak_normal.png', 'other'],
    ['a file is added to it', 'textures/oak/oak_roughness.png', 'x'],
  ])('the version of a set changes if %s', async (_what, path, content) => {
    const { folder, lister } = await library(oak);
    const before = await sourcesOf(lister());
    await putFile(folder, path, content, longAgoMs);
    const after = await sourcesOf(lister());
    expect(after['textures/oak/oak']?.version).not.toBe(before['textures/oak/oak']?.version);
  });

  it('a set is held back as a whole while one of its files is still changing', async () => {
    const { folder, lister } = await library([...oak, 'logos/acme.svg']);
    const normal = join(folder, 'textures/oak/oak_normal.png');
    await putFile(folder, 'textures/oak/oak_normal.png', 'half', nowMs - 500);
    const connector = new LocalConnector({ type: 'local', path: folder });
    const wait = () => writeFile(normal, 'the other half');
    const moving = createLibraryLister({
      connector,
      config: all,
      node: 'library',
      now: () => nowMs,
      wait,
    });
    const { sources } = await moving.list(undefined);
    const settled = await moving.splitStable?.(
      sources.map(({ source }) => source),
      undefined,
    );
    expect(settled?.later).toEqual(['textures/oak/oak']);
    expect(settled?.stable.map(({ path }) => path)).toEqual(['logos/acme.svg']);
    expect(Object.keys(await sourcesOf(lister()))).toContain('textures/oak/oak');
  });

  it('the hash of a set depends on the content of its files, not on their modification times', async () => {
    const { folder, lister } = await library(oak);
    const hash = async () => {
      const current = lister();
      const { 'textures/oak/oak': set } = await sourcesOf(current);
      return set && current.hash?.(set, undefined);
    };
    const before = await hash();
    const [normal = ''] = oak.slice(1);
    await putFile(folder, normal, normal, longAgoMs + 1_000);
    expect(await hash()).toBe(before);
    await putFile(folder, normal, normal.toUpperCase(), longAgoMs);
    expect(await hash()).not.toBe(before);
  });
});
