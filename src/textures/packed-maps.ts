// Recognizes packed maps: `occlusion_roughness_metallic` is one image with three maps.

import { findWord, mapName } from './map-words.ts';
import { type MapKind, vocabulary, type Word } from './vocabulary.ts';

const surfaceMaps = [
  'ao',
  'roughness',
  'metallic',
  'gloss',
  'specular',
  'emissive',
  'depth',
  'cavity',
  'opacity',
  'curvature',
  'thickness',
];
/** Maps that exporters pack together. `metal_color`, for example, is the colour map of a metal. */
const together: readonly (readonly string[])[] = [
  surfaceMaps,
  ['diffuse', 'opacity', 'transmission'],
  ['diffuse', 'gloss'],
  ['diffuse', 'roughness'],
  ['diffuse', 'specular'],
  ['diffuse', 'ao'],
  ['diffuse', 'depth'],
  ['normal', 'roughness'],
  ['normal', 'depth'],
  ['normal', 'gloss'],
  ['transmission', 'clearcoat', 'sheen', 'thickness', 'iridescence', 'anisotropy', 'translucency'],
];

/** Returns the packed map of these words, or undefined if no exporter packs them together. */
export function findPackedMap(parts: readonly Word[]): MapKind | undefined {
  const names = parts.map(({ kind }) => mapName(kind));
  if (parts.length < 2 || new Set(names).size < names.length) return undefined;
  const isKnown = together.some((set) => names.every((name) => set.includes(name)));
  return isKnown ? { class: 'packed', maps: names.join(' ') } : undefined;
}

const minPartLength = 3;

/** Returns the packed map of words without a separator: `metallicsmoothness`. */
export function splitPacked(token: string): MapKind | undefined {
  return splitFrom(token, []);
}

function splitFrom(rest: string, parts: readonly Word[]): MapKind | undefined {
  if (rest === '') return findPackedMap(parts);
  for (let length = rest.length; length >= minPartLength; length -= 1) {
    const word = findWord(rest.slice(0, length));
    if (!word || word.kind.class === 'packed') continue;
    const kind = splitFrom(rest.slice(length), [...parts, word]);
    if (kind) return kind;
  }
  return undefined;
}

/** Minimum letters of the map's word, unless its wordClass is `clear`, and of the rest of the token. */
const minJoinedChars = 3;
const minRest = 2;

/**
 * Finds a map's word at the end of a token without a separator (`oakroughness`) and returns its index. The longest word
 * has priority.
 * @param minLength minimum number of letters in the rest
 */
export function findJoinedMap(
  token: string,
  minLength = minRest,
): { at: number; word: Word } | undefined {
  for (let index = minLength; index < token.length; index += 1) {
    const spelling = token.slice(index);
    const word = vocabulary.get(spelling);
    if (!word || (spelling.length < minJoinedChars && word.wordClass !== 'clear')) continue;
    return { at: index, word };
  }
  return undefined;
}
