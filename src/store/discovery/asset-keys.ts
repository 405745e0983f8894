// Assigns a key to each asset. Pure, apart from the record history that the caller passes in.

import { assetFailures } from '../../failures/assets.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { failSource } from '../../failures/fail.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { Failure } from '../../plan/types.ts';

export const maxKeyChars = 512;
const maxOthersShown = 3;

export interface UnkeyedSource {
  /** Path, row key or platform id of the source. */
  id: string;
  /** Name of the source in messages. */
  label: string;
  /** The default key, and the longer key that is used if the default key clashes. */
  shortKey: string;
  longKey: string;
}

interface KeyedId {
  id: string;
  key: string;
}

export interface AssignedKeys {
  keyed: KeyedId[];
  refused: Failure[];
  /** Keys that no other source may have: the assigned keys and the clashing ones. */
  takenKeys: TakenKey[];
}

export interface TakenKey {
  key: string;
  /** The longer key of the source that has this key. */
  longKey: string;
}

/** Keys of earlier discovery pages that no other source may have. */
export interface TakenKeys {
  /** Returns the taken key whose folded form (`foldKey`) this is, or null if there is none. */
  find(folded: string): TakenKey | null;
}

export interface KeyHistory {
  /** True if a record or a claim exists under this key. */
  isKnown(key: string): boolean;
  /** Returns the id of the source that the record of this key came from. Null if there is no record. */
  idOf(key: string): Promise<string | null>;
  /** Finds ids of objects whose short key an earlier run assigned to another object, which may not be listed now. */
  idsOfNamesakes(items: readonly UnkeyedSource[]): Promise<ReadonlySet<string>>;
}

/** A file's default key is its path without extension, or with it if two keys would clash. */
export function toUnkeyedFile(path: string): UnkeyedSource {
  return {
    id: path,
    label: path,
    shortKey: removeExtension(path),
    longKey: path.normalize('NFC'),
  };
}

/**
 * Assigns default keys: the short key, or the long key if two sources would clash.
 *
 * Keys are stable across runs as far as possible. A source recorded under its short key keeps that key when a second
 * source with the same name appears. For platform objects this also holds if only the second object is listed. A source
 * recorded under its long key keeps that key when the other source disappears.
 */
export async function assignDefaultKeys(
  items: readonly UnkeyedSource[],
  history: KeyHistory,
  node: string,
  earlierKeys: TakenKeys = noKeys,
): Promise<AssignedKeys> {
  const idsWithLongKey = new Set<string>();
  const holders = new Map<string, string>();
  const withTwoKeys = items.filter(({ shortKey, longKey }) => shortKey !== longKey);
  const namesakes = await history.idsOfNamesakes(withTwoKeys);
  // The map is built on first use, because few sources are known under both keys.
  let byShortKey: Map<string, UnkeyedSource[]> | undefined;
  const isListedAlone = (shortKey: string) => {
    byShortKey ??= groupBy(withTwoKeys, (source) => source.shortKey);
    return byShortKey.get(shortKey)?.length === 1;
  };
  for (const { id, shortKey, longKey } of withTwoKeys) {
    const hadLongKey =
      history.isKnown(longKey) &&
      (!history.isKnown(shortKey) ||
        // If a source with the same short key is listed too, the clash assigns it the long key anyway.
        (isListedAlone(shortKey) &&
          (await history.idOf(longKey)) === id &&
          (await history.idOf(shortKey)) !== id));
    const holder = earlierKeys.find(foldKey(shortKey));
    // If the keys differ only in case, the long key would clash as well.
    const isAlsoLongClash = holder !== null && foldKey(holder.longKey) === foldKey(longKey);
    if (isAlsoLongClash) continue;
    const isTaken = holder !== null || earlierKeys.find(foldKey(longKey)) !== null;
    if (hadLongKey || isTaken || namesakes.has(id)) idsWithLongKey.add(id);
  }
  for (;;) {
    const groups = groupBy(items, (item) => foldKey(keyOf(item, idsWithLongKey)));
    const clashing = [...groups.values()].filter((group) => group.length > 1);
    let hasMoved = false;
    for (const group of clashing) {
      const holder = await findHolder(group, idsWithLongKey, history, holders);
      for (const { id } of group) {
        if (id === holder || idsWithLongKey.has(id)) continue;
        idsWithLongKey.add(id);
        hasMoved = true;
      }
    }
    if (!hasMoved) break;
  }
  return assignUniqueKeys(
    items.map((item) => ({ item, key: keyOf(item, idsWithLongKey) })),
    node,
    earlierKeys,
  );
}

/** Assigns keys from an expression in the pipeline file. Sources without a valid key are refused. */
export function assignKeysBy(
  items: readonly UnkeyedSource[],
  makeKey: (id: string) => string,
  node: string,
  earlierKeys: TakenKeys = noKeys,
): AssignedKeys {
  const keyed: KeyedItem[] = [];
  const refusals: Failure[] = [];
  const refuse = ({ label }: UnkeyedSource, problem: string) =>
    refusals.push(sourceFailure(assetFailures.KEY_INVALID, label, node, `its key ${problem}`));
  for (const item of items) {
    try {
      const key = makeKey(item.id).normalize('NFC');
      const problem = findKeyProblem(key);
      if (problem === null) keyed.push({ item, key });
      else refuse(item, problem);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      refuse(item, `could not be computed: ${reason}`);
    }
  }
  const assignedKeys = assignUniqueKeys(keyed, node, earlierKeys);
  return { ...assignedKeys, refused: [...refusals, ...assignedKeys.refused] };
}

const noKeys: TakenKeys = { find: () => null };

interface KeyedItem {
  item: UnkeyedSource;
  key: string;
}

/** Refuses all sources whose keys are equal, or differ only in case or in the encoding of accents. */
function assignUniqueKeys(
  keyed: readonly KeyedItem[],
  node: string,
  earlierKeys: TakenKeys,
): AssignedKeys {
  const groups = groupBy(keyed, ({ key }) => foldKey(key));
  const result: AssignedKeys = { keyed: [], refused: [], takenKeys: [] };
  for (const [folded, group] of groups) {
    const [first] = group;
    const holder = earlierKeys.find(folded);
    if (first && holder === null) {
      result.takenKeys.push({ key: first.key, longKey: first.item.longKey });
      if (group.length === 1) {
        result.keyed.push({ id: first.item.id, key: first.key });
        continue;
      }
    }
    for (const { item, key } of group) {
      const clash = holder
        ? `"${holder.key}", which was listed before; rename one of them`
        : `that of ${formatOthers(item, group)}; rename all but one`;
      const message = `its key "${key}" clashes with ${clash}`;
      result.refused.push(sourceFailure(assetFailures.KEY_CLASH, item.label, node, message));
    }
  }
  return result;
}

function formatOthers({ id }: UnkeyedSource, group: readonly KeyedItem[]): string {
  const others = group.slice(0, maxOthersShown + 1).filter(({ item }) => item.id !== id);
  const labels = others.slice(0, maxOthersShown).map(({ item }) => JSON.stringify(item.label));
  const restCount = group.length - 1 - labels.length;
  return `${labels.join(', ')}${restCount > 0 ? ` and ${restCount} more` : ''}`;
}

/** Returns the form that is used to compare keys, because file systems may ignore case and the encoding of accents. */
export function foldKey(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function keyOf(
  { id, shortKey, longKey }: UnkeyedSource,
  idsWithLongKey: ReadonlySet<string>,
): string {
  return idsWithLongKey.has(id) ? longKey : shortKey;
}

/** Finds the id of the source in a clashing group that an earlier run recorded under the short key, if any. */
async function findHolder(
  group: readonly UnkeyedSource[],
  idsWithLongKey: ReadonlySet<string>,
  history: KeyHistory,
  holders: Map<string, string>,
): Promise<string | undefined> {
  const withShortKey = group.filter(({ id }) => !idsWithLongKey.has(id));
  // Short keys that clash may differ in case.
  const shortKeys = new Set(withShortKey.map(({ shortKey }) => shortKey));
  for (const short of [...shortKeys].filter((key) => history.isKnown(key)).sort()) {
    const holderId = holders.get(short) ?? (await history.idOf(short)) ?? '';
    holders.set(short, holderId);
    const holder = group.find(({ id }) => id === holderId);
    if (holder) return holder.id;
  }
  return undefined;
}

function removeExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const short = dot > 0 ? path.slice(0, path.length - (name.length - dot)) : path;
  return short.normalize('NFC');
}

/** Returns why a text cannot be a key, or null if it can. */
export function findKeyProblem(key: string): string | null {
  if (key === '') return 'is empty';
  if (key.length > maxKeyChars) return `is longer than ${maxKeyChars} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(key) ? 'contains control characters' : null;
}

/** Creates the failure of a source. Its label takes the place of the key. */
export function sourceFailure(
  failure: KnownFailure,
  label: string,
  node: string,
  message: string,
): Failure {
  return failSource(failure, label, node, `${label}: ${message}`);
}
