// The words of texture file names: which map they stand for, and how far a word alone can be trusted.
import { type MapKind, vocabulary, type Word, type WordKind } from './vocabulary.ts';

/** What an ambiguous letter stands for beside these maps of its material. */
export function kindOfLetter(letter: string, others: ReadonlySet<string>): MapKind {
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
      // Unity calls its normal map so, and packs the smoothness into its metallic one.
      return others.has('unity') && !others.has('normal')
        ? { class: 'channel', channel: 'normal' }
        : { class: 'ignored', map: 'bump' };
    case 'o':
      return others.has('ao')
        ? { class: 'channel', channel: 'opacity' }
        : { class: 'ignored', map: 'ao' };
    default:
      // M without a roughness beside it carries the smoothness in its alpha.
      return others.has('roughness') || others.has('gloss')
        ? { class: 'channel', channel: 'metallic' }
        : { class: 'packed', maps: 'metallic gloss' };
  }
}

const lettersInPacking = new Map<string, MapKind>([
  ['m', { class: 'channel', channel: 'metallic' }],
  ['o', { class: 'ignored', map: 'ao' }],
]);

/** What a letter stands for beside other maps of one image: the M of `AO_R_M` is the metal. */
export function letterInPacking({ kind }: Word): MapKind | undefined {
  return kind.class === 'letter' ? lettersInPacking.get(kind.letter) : kind;
}

/** What follows a map's word and changes nothing: `NormalMap`, `roughness_texture`. */
const suffixes = ['map', 'maps', 'texture', 'tex', 'image', 'pass', 'channel', 'karte'];
/** What precedes it in other languages: `mapa normal`. */
const prefixes = ['cartede', 'carte', 'mapade', 'mapa', 'mappa'];

/** The longest run of tokens that is one spelling of a map. */
export const mostTokensOfWord = 5;

const longestSpelling =
  Math.max(...[...vocabulary.keys()].map(({ length }) => length)) +
  Math.max(...suffixes.map(({ length }) => length));

/** What this spelling stands for; case and separators are gone already. */
export function wordOf(spelling: string): Word | undefined {
  if (spelling.length > longestSpelling) return undefined;
  const known = vocabulary.get(spelling);
  if (known) return known;
  for (const suffix of suffixes) {
    if (!spelling.endsWith(suffix)) continue;
    const word = vocabulary.get(spelling.slice(0, -suffix.length));
    if (!word || word.trust === 'letter') continue;
    // "Metal map" is no ordinary word any more.
    return { kind: word.kind, trust: word.trust === 'noun' ? 'short' : word.trust };
  }
  const prefix = prefixes.find((one) => spelling.startsWith(one));
  return prefix === undefined ? undefined : vocabulary.get(spelling.slice(prefix.length));
}

/** What a map is called in a comparison: two words of the same map are equal. */
export function mapName(kind: WordKind): string {
  if (kind.class === 'letter') return `letter ${kind.letter}`;
  if (kind.class === 'channel') return kind.channel;
  return kind.class === 'ignored' ? kind.map : `packed ${kind.maps}`;
}
