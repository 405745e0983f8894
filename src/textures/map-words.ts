// Looks up the words of texture file names: which map a word means, and how reliable the word alone is.
import { type MapKind, vocabulary, type Word, type WordMeaning } from './vocabulary.ts';

/**
 * Returns the map that a letter or `bumpmap` means, given its material's maps. `unity`: a file has a Unity name.
 */
export function resolveLetter(letter: string, others: ReadonlySet<string>): MapKind {
  const colored = others.has('diffuse');
  const diffuse: MapKind = { class: 'channel', channel: 'diffuse' };
  switch (letter) {
    case 'a':
      return colored ? { class: 'channel', channel: 'opacity' } : diffuse;
    case 'b':
      return colored ? { class: 'ignored', map: 'bump' } : diffuse;
    case 'c':
      return colored ? { class: 'ignored', map: 'cavity' } : diffuse;
    case 'bumpmap':
      // Unity uses this name for its normal map, and packs smoothness into its metallic map.
      return others.has('unity') && !others.has('normal')
        ? { class: 'channel', channel: 'normal' }
        : { class: 'ignored', map: 'bump' };
    case 'o':
      return others.has('ao')
        ? { class: 'channel', channel: 'opacity' }
        : { class: 'ignored', map: 'ao' };
    default:
      // Without a roughness map, M has the smoothness in its alpha channel.
      return others.has('roughness') || others.has('gloss')
        ? { class: 'channel', channel: 'metallic' }
        : { class: 'packed', maps: 'metallic gloss' };
  }
}

const lettersInPacking = new Map<string, MapKind>([
  ['m', { class: 'channel', channel: 'metallic' }],
  ['o', { class: 'ignored', map: 'ao' }],
]);

/** Returns the map of a word in a packed map: the M of `AO_R_M` is metallic. Undefined for letters without a map. */
export function resolvePackedLetter({ kind }: Word): MapKind | undefined {
  return kind.class === 'letter' ? lettersInPacking.get(kind.letter) : kind;
}

/** Words after a map's word that do not change its meaning: `NormalMap`, `roughness_texture`. */
const suffixes = ['map', 'maps', 'texture', 'tex', 'image', 'pass', 'channel', 'karte'];
/** Words before a map's word that do not change its meaning, in other languages: `mapa normal`. */
const prefixes = ['cartede', 'carte', 'mapade', 'mapa', 'mappa'];

/** The maximum number of tokens in one spelling of a map. */
export const maxTokensOfWord = 5;

const maxSpellingLength =
  Math.max(...[...vocabulary.keys()].map(({ length }) => length)) +
  Math.max(...suffixes.map(({ length }) => length));

/** Returns the word for a spelling in lower case without separators, or undefined if it means no map. */
export function findWord(spelling: string): Word | undefined {
  if (spelling.length > maxSpellingLength) return undefined;
  const exactWord = vocabulary.get(spelling);
  if (exactWord) return exactWord;
  for (const suffix of suffixes) {
    if (!spelling.endsWith(suffix)) continue;
    const word = vocabulary.get(spelling.slice(0, -suffix.length));
    if (!word || word.wordClass === 'letter') continue;
    // "Metal map" is unambiguous, unlike "metal".
    return { kind: word.kind, wordClass: word.wordClass === 'noun' ? 'short' : word.wordClass };
  }
  const prefix = prefixes.find((candidate) => spelling.startsWith(candidate));
  return prefix === undefined ? undefined : vocabulary.get(spelling.slice(prefix.length));
}

/** Returns the name of a map for comparisons. It is the same for all words of the map. */
export function mapName(kind: WordMeaning): string {
  if (kind.class === 'letter') return `letter ${kind.letter}`;
  if (kind.class === 'channel') return kind.channel;
  return kind.class === 'ignored' ? kind.map : `packed ${kind.maps}`;
}
