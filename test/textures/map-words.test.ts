// The words of a texture name: how it is split, what each word means, and how reliable it is.
import { describe, expect, it, test } from 'vitest';
import { parseImagePath } from '../../src/textures/file-name.ts';
import {
  findWord,
  mapName,
  resolveLetter,
  resolvePackedLetter,
} from '../../src/textures/map-words.ts';
import { findJoinedMap, findPackedMap, splitPacked } from '../../src/textures/packed-maps.ts';
import { type Noise, tokensOf } from '../../src/textures/tokens.ts';
import { correctTypo } from '../../src/textures/typos.ts';
import type { Word } from '../../src/textures/vocabulary.ts';

/** `map wordClass` of a word. Null if the word does not mean a map. */
const told = (word: Word | undefined) => (word ? `${mapName(word.kind)} ${word.wordClass}` : null);
const wordsOf = (names: string) => names.split(' ').flatMap((name) => findWord(name) ?? []);

describe('a path', () => {
  test.each([
    ['oak.PNG', [], 'oak', 'png'],
    ['a/b/oak.2k.jpg', ['a', 'b'], 'oak.2k', 'jpg'],
    ['C:\\Textures\\oak.tif', ['C:', 'Textures'], 'oak', 'tif'],
    ['./a//oak.exr', ['a'], 'oak', 'exr'],
    ['../oak.exr', ['..'], 'oak', 'exr'],
  ])('the path %s is split into folders, a name and a type', (path, folders, stem, extension) => {
    expect(parseImagePath(path)).toEqual({ path, folders, stem, extension });
  });

  // These are not images, have no name, or are system files.
  test.each([
    'oak',
    'oak.txt',
    '.png',
    'oak.',
    '.cache/oak.png',
    '__MACOSX/oak.png',
    '._oak.png',
    '',
  ])('the path "%s" is not an image', (path) => expect(parseImagePath(path)).toBeUndefined());
});

describe('splitting a name', () => {
  test.each([
    // Split where the case changes, and between letters and digits.
    ['T_OakPlanks01_BaseColor', 't oak planks 01 base color'],
    ['oakPBRTexture', 'oak pbr texture'],
    ['007Color', '007 color'],
    ['034C', '034c'],
    ['3d', '3d'],
    ['wood2', 'wood 2'],
    // Split at everything that is not a letter or digit.
    ['oak (1)-final.v2', 'oak 1 final v 2'],
    ['', ''],
    // Accents are removed, in any encoding.
    ['Höhe', 'hohe'],
    ['Ho\u0308he', 'hohe'],
    // These words are not split.
    ['4K', '4k'],
    ['2048x2048', '2048x2048'],
    ['16bit', '16bit'],
    ['LOD2', 'lod2'],
    ['u1_v2', 'u1_v2'],
    ['oak_u1_v12_n', 'oak u1_v12 n'],
    ['sRGB', 'srgb'],
  ])('the name %s is split into %s', (stem, texts) => {
    expect(
      tokensOf(stem)
        .map(({ text }) => text)
        .join(' '),
    ).toBe(texts);
  });

  it('a name is split into parts with their positions and neighbours', () => {
    expect(tokensOf('OakD_2')).toEqual([
      {
        text: 'oak',
        start: 0,
        end: 3,
        isAfterSeparator: true,
        isBeforeSeparator: false,
        previousChar: '',
      },
      {
        text: 'd',
        start: 3,
        end: 4,
        isAfterSeparator: false,
        isBeforeSeparator: true,
        previousChar: 'k',
      },
      {
        text: '2',
        start: 5,
        end: 6,
        isAfterSeparator: true,
        isBeforeSeparator: true,
        previousChar: '_',
      },
    ]);
  });
});

describe('a word without a meaning', () => {
  const pixels = (count: number): Noise => ({ is: 'resolution', pixels: count });
  test.each<[string, Noise | undefined]>([
    ['4K', pixels(4_096)],
    ['16k', pixels(16_384)],
    ['1024', pixels(1_024)],
    ['512px', pixels(512)],
    ['500px', pixels(500)],
    ['2048x1024', pixels(2_048)],
    // These numbers are not texture sizes.
    ['1000', undefined],
    ['2025', undefined],
    ['100k', undefined],
    ['LOD0', { is: 'lod' }],
    ['8bit', { is: 'wording' }],
    ['16bpc', { is: 'wording' }],
    ['jpg', { is: 'wording' }],
    ['seamless', { is: 'wording' }],
    ['PBR', { is: 'wording' }],
    ['oak', undefined],
  ])('the word %s is %j', (text, noise) => expect(tokensOf(text)[0]?.noise).toEqual(noise));

  test.each([
    // A size must be a separate word: `oak512` is a name, and so is `TexturesCom`.
    ['oak_512', 'resolution'],
    ['oak512', undefined],
    ['TexturesCom', undefined],
    ['oak_textures', 'wording'],
  ])('the size in %s is %s', (stem, is) => {
    expect(tokensOf(stem).find(({ noise }) => noise)?.noise?.is).toBe(is);
  });
});

describe('a map', () => {
  test.each([
    ['basecolor', 'diffuse clear'],
    ['alb', 'diffuse short'],
    ['base', 'diffuse noun'],
    ['d', 'diffuse letter'],
    ['rugosite', 'roughness clear'],
    ['metal', 'metallic noun'],
    ['displacement', 'depth clear'],
    ['alpha', 'opacity noun'],
    // Known maps without a slot.
    ['ao', 'ao clear'],
    ['smoothness', 'gloss clear'],
    ['worldnormal', 'bent-normal clear'],
    // Maps of a layer belong to the layer, except Arnold's word for roughness.
    ['sheenroughness', 'sheen noun'],
    ['clearcoatnormal', 'clearcoat clear'],
    ['coatnormal', 'clearcoat noun'],
    ['specularcolor', 'specular clear'],
    ['specularroughness', 'roughness clear'],
    // Normal conventions, before and after the word.
    ['normalgl', 'normal clear'],
    ['dxnormal', 'normal clear'],
    ['ndx', 'normal short'],
    // Several maps in one image.
    ['orm', 'packed orm clear'],
    ['arm', 'packed arm noun'],
    ['roma', null],
    ['ram', 'packed ram noun'],
    ['more', 'packed more noun'],
    // Words that do not change the meaning. A metal map is unambiguous, unlike metal.
    ['normalmap', 'normal clear'],
    ['roughnesstexture', 'roughness clear'],
    ['metalmap', 'metallic short'],
    ['dmap', null],
    ['mapanormal', 'normal clear'],
    // Longer words that start like a map's word, and very long texts.
    ['oak', null],
    ['normalish', null],
    [`normal${'x'.repeat(1_000)}map`, null],
    ['', null],
  ])('the word %s is read as the map %s', (spelling, meaning) =>
    expect(told(findWord(spelling))).toBe(meaning),
  );

  it('the name of a normal map shows its convention', () => {
    const conventions = ['normalogl', 'normaldirectx', 'normal'].map(
      (name) => findWord(name)?.kind,
    );
    expect(conventions).toEqual([
      { class: 'channel', channel: 'normal', convention: 'gl' },
      { class: 'channel', channel: 'normal', convention: 'dx' },
      { class: 'channel', channel: 'normal' },
    ]);
  });
});

describe('a letter', () => {
  // Letter, other maps of its material, meaning.
  test.each([
    ['a', '', 'diffuse'],
    ['a', 'diffuse', 'opacity'],
    ['b', '', 'diffuse'],
    ['b', 'diffuse', 'bump'],
    ['c', 'normal', 'diffuse'],
    ['c', 'diffuse', 'cavity'],
    ['o', '', 'ao'],
    ['o', 'ao', 'opacity'],
    ['m', 'roughness', 'metallic'],
    ['m', 'gloss', 'metallic'],
    // In these cases, no other map contains the smoothness.
    ['m', 'diffuse', 'packed metallic gloss'],
    // Unity uses this name for its normal map.
    ['bumpmap', 'unity', 'normal'],
    ['bumpmap', 'diffuse', 'bump'],
    ['bumpmap', 'unity normal', 'bump'],
    ['bumpmap', 'normal', 'bump'],
  ])('the letter %s next to "%s" is read as %s', (letter, others, map) => {
    expect(mapName(resolveLetter(letter, new Set(others.split(' '))))).toBe(map);
  });

  it('a single letter is read as a channel in a packed map', () => {
    const inPacking = ['m', 'o', 'a', 'r'].map((letter) => {
      const word = findWord(letter);
      const kind = word && resolvePackedLetter(word);
      return kind ? mapName(kind) : null;
    });
    expect(inPacking).toEqual(['metallic', 'ao', null, 'roughness']);
  });
});

describe('several maps in one image', () => {
  test.each([
    ['ao roughness metallic', true],
    ['metallic gloss', true],
    ['diffuse opacity', true],
    ['normal depth', true],
    // No exporter packs these maps, and no map is packed with itself.
    ['diffuse metallic', false],
    ['diffuse normal', false],
    ['normal roughness depth', false],
    ['roughness rough', false],
    ['roughness', false],
  ])('the maps %s are packed in one image: %s', (names, known) => {
    expect(findPackedMap(wordsOf(names)) !== undefined).toBe(known);
  });

  test.each([
    ['metallicsmoothness', 'packed metallic gloss'],
    ['aoroughnessmetallic', null],
    ['occlusionroughnessmetallic', 'packed ao roughness metallic'],
    ['roughness', null],
    ['roughnessoak', null],
    ['', null],
  ])('the word %s is read as %s', (token, map) => {
    const kind = splitPacked(token);
    expect(kind ? mapName(kind) : null).toBe(map);
  });
});

describe('a map at the end of a word', () => {
  test.each([
    ['oakroughness', 2, 'oak', 'roughness'],
    // The longest word is found: `basecolor`, not `color`.
    ['oakbasecolor', 2, 'oak', 'diffuse'],
    ['oakao', 2, 'oak', 'ao'],
    ['kdiffuse', 1, 'k', 'diffuse'],
  ])('the word %s ends with a map', (token, min, rest, map) => {
    const glued = findJoinedMap(token, min);
    expect([token.slice(0, glued?.at), glued && mapName(glued.word.kind)]).toEqual([rest, map]);
  });

  // Too little text is in front of it, or the word is too short to be sure.
  test.each(['kdiffuse', 'roughness', 'oakn', 'oakbc', 'oak', ''])(
    'the word "%s" does not end with a map',
    (token) => {
      expect(findJoinedMap(token)).toBeUndefined();
    },
  );
});

describe('a typing error', () => {
  test.each([
    ['roughnes', 'roughness'],
    ['rougness', 'roughness'],
    ['noraml', 'normal'],
    ['metalic', 'metallic'],
    ['difffuse', 'diffuse'],
    ['displacment', 'depth'],
    // A long word may contain two errors.
    ['displacmnt', 'depth'],
    ['translucensi', 'translucency'],
  ])('the typing error %s means %s', (token, map) => {
    const word = correctTypo(token);
    expect(word && mapName(word.kind)).toBe(map);
  });

  test.each([
    // Real words are not typing errors, however similar they are.
    'material',
    'metallica',
    'hight',
    'woodnormal',
    // The first letter differs, or a short word has two errors, or the word is too short.
    'ormal',
    'mormal',
    'nrmaal',
    'clor',
  ])('the word %s is not read as a typing error', (token) =>
    expect(correctTypo(token)).toBeUndefined(),
  );
});
