// Chooses one reading per file name: the reading whose material has the most maps among its sibling files.

import { findWord, mapName } from './map-words.ts';
import { compareRanks } from './rank-files.ts';
import { firstTile, isPrefixToken, joinWords, nameKey, type Reading } from './readings.ts';
import type { Token } from './tokens.ts';

/** A file with all readings of its name. */
export interface FileReadings {
  readonly tokens: readonly Token[];
  readonly readings: readonly Reading[];
}

interface Context {
  /** Materials whose files end in a letter that does not mean a map. */
  readonly series: ReadonlySet<string>;
  /** Names without a map's word, or with one that is only joined to another word. */
  readonly bare: ReadonlySet<string>;
  /** Materials with a first UDIM tile. */
  readonly tiled: ReadonlySet<string>;
}

/** Material → map → files with this map, each with the reading that leads to it. */
type Support = Map<string, Map<string, Map<FileReadings, Reading>>>;

/** Readings are stable after one or two rounds. The limit is for pairs that would alternate forever. */
const maxRounds = 4;

/** Chooses the reading of each file of one folder. A file whose map is unclear has no entry. */
export function chooseReadings<F extends FileReadings>(files: readonly F[]): Map<F, Reading> {
  const context = {
    series: findLetterSeries(files),
    bare: findBareNames(files),
    tiled: findTiledNames(files),
  };
  let support = supportOf(
    files.flatMap((file) => file.readings.map((reading) => [file, reading] as const)),
  );
  let readingsByFile = new Map<F, Reading>();
  for (let round = 0; round < maxRounds; round += 1) {
    const next = new Map<F, Reading>();
    for (const file of files) {
      const fitting = file.readings.filter((reading) =>
        isSoundReading(file, reading, support, context),
      );
      const [first, ...others] = fitting;
      if (!first) continue;
      const better = (best: Reading, candidate: Reading) =>
        isBetterReading(file, candidate, best, support) ? candidate : best;
      next.set(file, others.reduce(better, first));
    }
    const isSettled =
      next.size === readingsByFile.size &&
      [...next].every(([file, reading]) => readingsByFile.get(file) === reading);
    readingsByFile = next;
    if (isSettled) break;
    support = supportOf([...readingsByFile]);
  }
  return readingsByFile;
}

function supportOf(entries: readonly (readonly [FileReadings, Reading])[]): Support {
  const support: Support = new Map();
  for (const [file, reading] of entries) {
    const maps = support.get(reading.material) ?? new Map<string, Map<FileReadings, Reading>>();
    support.set(reading.material, maps);
    const name = mapName(reading.kind);
    const files = maps.get(name) ?? new Map<FileReadings, Reading>();
    maps.set(name, files);
    if (!files.has(file)) files.set(file, reading);
  }
  return support;
}

/** Returns the maps of this material in other files, one reading per map. */
function findSiblings(file: FileReadings, reading: Reading, support: Support): Reading[] {
  const ownMap = mapName(reading.kind);
  const siblingReadings: Reading[] = [];
  for (const [name, files] of support.get(reading.material) ?? []) {
    let best: Reading | undefined;
    for (const [other, otherReading] of name === ownMap ? [] : files) {
      // Two readings with a copy number (`_001`, `_002`) do not support each other, because the number may be the
      // material. Neither do two uncertain readings: `smooth_diffuse` and `smooth_normal`.
      if (other === file || (reading.hasCopyNumber && otherReading.hasCopyNumber)) continue;
      if (reading.isUncertain && otherReading.isUncertain) continue;
      best ??= otherReading;
      if (!isPlainReading(otherReading)) continue;
      best = otherReading;
      break;
    }
    if (best) siblingReadings.push(best);
  }
  return siblingReadings;
}

function isPlainReading({ wordClass, spelling }: Reading): boolean {
  return spelling === 'exact' && (wordClass === 'clear' || wordClass === 'short');
}

/** True if a reading needs no support, or if the other files support it enough. */
function isSoundReading(
  file: FileReadings,
  reading: Reading,
  support: Support,
  context: Context,
): boolean {
  const { wordClass, spelling, place } = reading;
  const siblingMaps = findSiblings(file, reading, support);
  const hasPlainSibling = siblingMaps.some(isPlainReading);
  if (reading.tile !== undefined && !context.tiled.has(reading.material)) return false;
  if (place === 'first') {
    const first = siblingMaps.filter(
      (sibling) => isPlainReading(sibling) && sibling.place === 'first',
    ).length;
    return first > (isPlainReading(reading) ? 0 : 1);
  }
  if (spelling === 'joined') return siblingMaps.length >= (wordClass === 'clear' ? 1 : 2);
  if (wordClass === 'letter') return isSoundLetter(file, reading, siblingMaps, context);
  const hasResolution = file.tokens.some(({ noise }) => noise?.is === 'resolution');
  if (spelling === 'typo') return hasPlainSibling || (hasResolution && place === 'last');
  if (place === 'inside' && reading.copy === undefined && !hasEndNumber(file))
    return hasPlainSibling;
  if (wordClass === 'clear') return true;
  if (wordClass !== 'short') return hasPlainSibling;
  // `crate.png` next to `crate_ddn.png`, or `crate_n.png` next to `crate_bc.png`, supports an abbreviation.
  const { bare, series } = context;
  const hasLetterSibling =
    siblingMaps.some((sibling) => sibling.wordClass === 'letter') && !series.has(reading.material);
  return (
    hasPlainSibling ||
    hasResolution ||
    hasLetterSibling ||
    bare.has(reading.material) ||
    hasRelatedMap(reading, support)
  );
}

/** True if a material named by the first words has an exact map: `linen_nrm` supports `linen_black_col`. */
function hasRelatedMap({ words }: Reading, support: Support): boolean {
  return words.some((_, length) => {
    const maps = length > 0 ? support.get(joinWords(words.slice(0, length))) : undefined;
    return [...(maps?.values() ?? [])].some((files) => [...files.values()].some(isPlainReading));
  });
}

function hasEndNumber({ tokens }: FileReadings): boolean {
  return /^\d+$/.test(tokens.findLast(({ noise }) => !noise)?.text ?? '');
}

/** True if a letter means a map, for example next to a map that is spelled out, after `T_`, or as `_n`. */
function isSoundLetter(
  file: FileReadings,
  { kind, material, place }: Reading,
  siblingMaps: readonly Reading[],
  { series, bare }: Context,
): boolean {
  if (series.has(material) || (place === 'inside' && !hasEndNumber(file))) return false;
  const [head] = file.tokens;
  // `T_` names come from game engines, which use letters.
  if (siblingMaps.some(isPlainReading) || (head && isPrefixToken(head, 0))) return true;
  const letters = new Set([kind, ...siblingMaps.map((sibling) => sibling.kind)].map(mapName));
  const color = ['diffuse', 'letter a', 'letter b', 'letter c'].some((name) => letters.has(name));
  if ((color || bare.has(material)) && letters.has('normal')) return true;
  if (color && letters.size > 2) return true;
  const last = file.tokens.findLast(({ noise }) => !noise);
  return place === 'last' && mapName(kind) === 'normal' && last?.isAfterSeparator === true;
}

/** Finds the keys of names without a map's word: `crate.png` next to `crate_n.png` is most likely the colour map. */
function findBareNames(files: readonly FileReadings[]): ReadonlySet<string> {
  const bare = files.filter(({ readings }) =>
    readings.every(({ spelling }) => spelling === 'joined'),
  );
  return new Set(bare.map(({ tokens }) => nameKey(tokens)));
}

function findTiledNames(files: readonly FileReadings[]): ReadonlySet<string> {
  const readings = files.flatMap((file) => file.readings);
  return new Set(readings.filter(({ tile }) => tile === firstTile).map(({ material }) => material));
}

/** Finds materials with files for letters that do not mean maps: `letter_q`, `sky_w`. */
function findLetterSeries(files: readonly FileReadings[]): ReadonlySet<string> {
  const series = new Set<string>();
  for (const { tokens } of files) {
    const plain = tokens.filter(({ noise }) => !noise);
    const last = plain.at(-1);
    if (!last || last.text.length !== 1 || !/\p{L}/u.test(last.text) || findWord(last.text))
      continue;
    series.add(nameKey(plain.slice(0, -1)));
  }
  return series;
}

const placeRank = { last: 0, inside: 1, whole: 2, first: 3 };
const spellingRank = { exact: 0, typo: 1, joined: 2, none: 3 };

function isBetterReading(
  file: FileReadings,
  candidate: Reading,
  other: Reading,
  support: Support,
): boolean {
  const order = (reading: Reading) => [
    spellingRank[reading.spelling] === 2 ? 1 : 0,
    // Siblings are counted up to two, because more are often coincidental names.
    -Math.min(2, findSiblings(file, reading, support).length),
    reading.isUncertain ? 1 : 0,
    reading.place === 'first' ? 1 : 0,
    reading.copy === undefined ? 0 : 1,
    reading.tile === undefined ? 1 : 0,
    spellingRank[reading.spelling],
    reading.kind.class === 'packed' ? 0 : 1,
    -reading.position,
    placeRank[reading.place],
  ];
  return compareRanks(order(candidate), order(other)) < 0;
}
