import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toUnkeyedObject } from '../../src/engine/discovery/platform-objects.ts';
import {
  assignDefaultKeys,
  assignKeysBy,
  type KeyHistory,
  toUnkeyedFile,
} from '../../src/store/discovery/asset-keys.ts';

/** History by key: the path of the source of its record. Null for a key that has only a claim. */
function historyOf(records: Record<string, string | null> = {}): KeyHistory {
  return {
    isKnown: (key) => Object.hasOwn(records, key),
    idOf: async (key) => records[key] ?? null,
    idsOfNamesakes: async () => new Set(),
  };
}

async function keysOf(paths: string[], records?: Record<string, string | null>) {
  const { keyed, refused } = await assignDefaultKeys(
    paths.map(toUnkeyedFile),
    historyOf(records),
    'take',
  );
  const keys = Object.fromEntries(keyed.map(({ id, key }) => [id, key]));
  return { keys, refused: refused.map(({ key, code }) => `${code} ${key}`).sort() };
}

describe('default keys', () => {
  it.each([
    ['a file', ['couch.glb'], { 'couch.glb': 'couch' }],
    [
      'folders',
      ['a/couch.glb', 'b/couch.glb'],
      { 'a/couch.glb': 'a/couch', 'b/couch.glb': 'b/couch' },
    ],
    ['several dots', ['couch.v2.glb'], { 'couch.v2.glb': 'couch.v2' }],
    ['no extension', ['couch'], { couch: 'couch' }],
    ['a dot in the folder', ['v1.2/couch'], { 'v1.2/couch': 'v1.2/couch' }],
    [
      'two files with the same name, both with their extension',
      ['couch.glb', 'couch.fbx', 'chair.glb'],
      { 'couch.glb': 'couch.glb', 'couch.fbx': 'couch.fbx', 'chair.glb': 'chair' },
    ],
    [
      'two files that differ in capitals and extension',
      ['Couch.glb', 'couch.fbx'],
      { 'Couch.glb': 'Couch.glb', 'couch.fbx': 'couch.fbx' },
    ],
    [
      'an extended key that clashes with a plain one',
      ['a.glb', 'a.fbx', 'a.glb.obj'],
      { 'a.glb': 'a.glb', 'a.fbx': 'a.fbx', 'a.glb.obj': 'a.glb.obj' },
    ],
    [
      'a decomposed Unicode name, which is composed',
      ['cafe\u0301.glb'],
      { 'cafe\u0301.glb': 'caf\u00e9' },
    ],
  ])('default keys are created for %s', async (_, paths, expected) => {
    expect(await keysOf(paths)).toEqual({ keys: expected, refused: [] });
  });

  it.each([
    ['capitals', ['Couch.glb', 'couch.glb']],
    ['spelling of accents', ['caf\u00e9.glb', 'cafe\u0301.glb']],
    ['both', ['CAF\u00c9.glb', 'cafe\u0301.glb']],
  ])('default keys that differ only by %s are all refused', async (_, paths) => {
    const { keys, refused } = await keysOf([...paths, 'other.glb']);
    expect(keys).toEqual({ 'other.glb': 'other' });
    expect(refused).toEqual(paths.map((path) => `KEY_CLASH ${path}`).sort());
  });

  it('clashing default keys are reported, with the other file and a fix', async () => {
    const { refused } = await assignDefaultKeys(
      ['Couch.glb', 'couch.glb'].map(toUnkeyedFile),
      historyOf(),
      'take',
    );
    expect(refused[0]).toEqual({
      key: 'Couch.glb',
      node: 'take',
      code: 'KEY_CLASH',
      message:
        'Couch.glb: its key "Couch.glb" clashes with that of "couch.glb"; rename all but one',
      attempts: 0,
    });
  });

  it('default keys do not change if a second file with the same name is added', async () => {
    const { keys } = await keysOf(['couch.fbx', 'couch.glb'], { couch: 'couch.glb' });
    expect(keys).toEqual({ 'couch.glb': 'couch', 'couch.fbx': 'couch.fbx' });
  });

  it('default keys do not change if the other file is deleted', async () => {
    const { keys } = await keysOf(['couch.glb'], {
      'couch.glb': 'couch.glb',
      'couch.fbx': 'couch.fbx',
    });
    expect(keys).toEqual({ 'couch.glb': 'couch.glb' });
  });

  it('default keys do not change if the file with the short key is deleted', async () => {
    const { keys } = await keysOf(['couch.fbx'], { couch: 'couch.glb', 'couch.fbx': 'couch.fbx' });
    expect(keys).toEqual({ 'couch.fbx': 'couch.fbx' });
  });

  it('default keys are extended for all files if no record shows which file had the short key', async () => {
    expect((await keysOf(['couch.fbx', 'couch.glb'], { couch: null })).keys).toEqual({
      'couch.glb': 'couch.glb',
      'couch.fbx': 'couch.fbx',
    });
    expect((await keysOf(['couch.fbx', 'couch.glb'], { couch: 'couch.obj' })).keys).toEqual({
      'couch.glb': 'couch.glb',
      'couch.fbx': 'couch.fbx',
    });
  });

  it('default keys are refused if another file already has the key', async () => {
    const { keys, refused } = await keysOf(['couch', 'couch.glb'], { couch: 'couch.glb' });
    expect(keys).toEqual({});
    expect(refused).toEqual(['KEY_CLASH couch', 'KEY_CLASH couch.glb']);
  });

  it('default keys are unique, and each file gets either a key or a refusal', async () => {
    const path = fc
      .tuple(fc.constantFrom('a', 'A', 'b', 'a.glb'), fc.constantFrom('', '.glb', '.fbx', '.GLB'))
      .map((parts) => parts.join(''));
    const paths = fc.uniqueArray(path, { maxLength: 8 });
    const records = fc.dictionary(fc.constantFrom('a', 'b', 'a.glb', 'A'), path);
    await fc.assert(
      fc.asyncProperty(paths, records, async (files, known) => {
        const { keys, refused } = await keysOf(files, known);
        const folded = Object.values(keys).map((key) => key.toLowerCase());
        expect(new Set(folded).size).toBe(folded.length);
        expect(folded.length + refused.length).toBe(files.length);
      }),
    );
  });

  it('default keys do not depend on the order of the listing', async () => {
    const paths = ['a.glb', 'a.fbx', 'a.glb.obj', 'b.glb', 'B.fbx'];
    const forward = await keysOf(paths);
    expect(await keysOf([...paths].reverse())).toEqual(forward);
  });
});

describe('default keys of platform objects', () => {
  const keysOfObjects = async (
    objects: [id: string, name: string][],
    records?: Record<string, string | null>,
  ) => {
    const items = objects.map(([id, name]) => toUnkeyedObject(id, name));
    const { keyed, refused } = await assignDefaultKeys(items, historyOf(records), 'take');
    expect(refused).toEqual([]);
    return Object.fromEntries(keyed.map(({ id, key }) => [id, key]));
  };

  it.each<[string, [string, string][], Record<string, string>]>([
    ['the name', [['m1', 'Couch']], { m1: 'Couch' }],
    ['the name with its folder', [['m1', 'living/couch.v2']], { m1: 'living/couch.v2' }],
    [
      'the name with the id if two names would clash',
      [
        ['m1', 'Couch'],
        ['m2', 'couch'],
        ['m3', 'Chair'],
      ],
      { m1: 'Couch-m1', m2: 'couch-m2', m3: 'Chair' },
    ],
    ['the id if the name is empty', [['m1', ' ']], { m1: 'm1' }],
    ['the id if the name is not a valid key', [['m1', 'a\nb']], { m1: 'm1' }],
  ])('the default key of an object is %s', async (_, objects, expected) => {
    expect(await keysOfObjects(objects)).toEqual(expected);
  });

  it('the keys do not change if a second object with the same name is added', async () => {
    const both: [string, string][] = [
      ['m2', 'Couch'],
      ['m1', 'Couch'],
    ];
    expect(await keysOfObjects(both, { Couch: 'm1' })).toEqual({ m1: 'Couch', m2: 'Couch-m2' });
  });

  it('the keys do not change if an object is added whose name differs only in case', async () => {
    const both: [string, string][] = [
      ['m2', 'Couch'],
      ['m1', 'couch'],
    ];
    expect(await keysOfObjects(both, { couch: 'm1' })).toEqual({ m1: 'couch', m2: 'Couch-m2' });
  });
});

describe('keys from an expression', () => {
  const assign = (keyOf: (path: string) => string, ...paths: string[]) => {
    const { keyed, refused } = assignKeysBy(paths.map(toUnkeyedFile), keyOf, 'take');
    return { keys: keyed.map(({ key }) => key), refused: refused.map(({ message }) => message) };
  };

  it('computed keys are used unchanged except for Unicode composition', () => {
    expect(assign((path) => `cafe\u0301-${path}`, 'a.glb').keys).toEqual(['caf\u00e9-a.glb']);
  });

  it.each([
    ['an empty one', '', /a\.glb: its key is empty/],
    ['a very long one', 'x'.repeat(513), /longer than 512 characters/],
    ['control characters', 'a\nb', /control characters/],
    ['broken text', 'a\ud800', /control characters/],
  ])('computed keys are refused: %s', (_, key, message) => {
    const { keys, refused } = assign(() => key, 'a.glb');
    expect(keys).toEqual([]);
    expect(refused).toEqual([expect.stringMatching(message)]);
  });

  it('if the expression fails for a file, the key of only that file is refused', () => {
    const keyOf = (path: string) => {
      if (path === 'b.glb') throw new Error('no such field: sku');
      return path;
    };
    expect(assign(keyOf, 'a.glb', 'b.glb')).toEqual({
      keys: ['a.glb'],
      refused: ['b.glb: its key could not be computed: no such field: sku'],
    });
  });

  it('a key is refused for all files that share it', () => {
    expect(assign(() => 'same', 'a.glb', 'b.glb')).toMatchObject({
      keys: [],
      refused: [
        expect.stringMatching(/that of "b\.glb"/),
        expect.stringMatching(/that of "a\.glb"/),
      ],
    });
  });
});
