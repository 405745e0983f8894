// Gives each asset its key. Pure, but for what the records say about earlier runs, which is handed in.

import { assetFailures } from '../../failures/assets.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { failSource } from '../../failures/fail.ts';
import { groupBy } from '../../plan/group-by.ts';
import type { Failure } from '../../plan/types.ts';

export const maxKeyChars = 512;
/** Most others that a refusal names. */
const othersShown = 3;

/** A file, or an object of the platform, before it has a key. */
export interface Unnamed {
  /** Its path, or its platform id. */
  id: string;
  /** Its name for people, and in refusals. */
  label: string;
  /** Its key, and the longer one that tells it from others of that key. */
  short: string;
  long: string;
}

interface Keyed {
  id: string;
  key: string;
}

export interface AssignedKeys {
  keyed: Keyed[];
  refused: Failure[];
  /** Keys that nothing else may have: those given, and those that clash. */
  taken: TakenKey[];
}

export interface TakenKey {
  key: string;
  /** The longer key of what has it. */
  long: string;
}

/** Keys that earlier stretches of the listing have taken. */
export interface TakenKeys {
  /** The one that is the same when it is folded; null where there is none. */
  find(folded: string): TakenKey | null;
}

export interface KeyHistory {
  /** Does a record or a claim exist under this key? */
  isKnown(key: string): boolean;
  /** The source that the record of this key came from, if there is a record. Asked only where names clash. */
  idOf(key: string): Promise<string | null>;
}

/** A file's default key is its path without extension, with it where two would clash. */
export function unnamedFile(path: string): Unnamed {
  return { id: path, label: path, short: withoutExtension(path), long: path.normalize('NFC') };
}

/**
 * Default keys: the short one, the long one where two would clash.
 *
 * Keys are stable across runs as far as names allow: what was recorded under its short key keeps that when a
 * second one of its name comes, and what was recorded under its long key keeps that when the other goes.
 */
export async function assignDefaultKeys(
  items: readonly Unnamed[],
  history: KeyHistory,
  node: string,
  earlier: TakenKeys = noKeys,
): Promise<AssignedKeys> {
  const withLong = new Set<string>();
  const holders = new Map<string, string>();
  for (const { id, short, long } of items) {
    if (short === long) continue;
    const wasLong = history.isKnown(long) && !history.isKnown(short);
    const holder = earlier.find(fold(short));
    // Told apart by no more than capitals, its long key would be another's as well.
    const isDouble = holder !== null && fold(holder.long) === fold(long);
    if (isDouble) continue;
    if (wasLong || holder !== null || earlier.find(fold(long)) !== null) withLong.add(id);
  }
  for (;;) {
    const clashing = [...groupByKey(items, withLong).values()].filter((group) => group.length > 1);
    let moved = false;
    for (const group of clashing) {
      const holder = await holderOf(group, withLong, history, holders);
      for (const { id } of group) {
        if (id === holder || withLong.has(id)) continue;
        withLong.add(id);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return refuseClashes(
    items.map((item) => ({ item, key: keyOf(item, withLong) })),
    node,
    earlier,
  );
}

/** Keys by an expression of the pipeline; what gets no key by it is refused by name. */
export function assignKeysBy(
  items: readonly Unnamed[],
  makeKey: (id: string) => string,
  node: string,
  earlier: TakenKeys = noKeys,
): AssignedKeys {
  const keyed: NamedItem[] = [];
  const refused: Failure[] = [];
  for (const item of items) {
    try {
      const key = makeKey(item.id).normalize('NFC');
      const why = unusableKey(key);
      if (why === null) keyed.push({ item, key });
      else refused.push(refusal(assetFailures.KEY_INVALID, item.label, node, `its key ${why}`));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      refused.push(
        refusal(assetFailures.KEY_INVALID, item.label, node, `its key could not be made: ${why}`),
      );
    }
  }
  const rest = refuseClashes(keyed, node, earlier);
  return { ...rest, refused: [...refused, ...rest.refused] };
}

const noKeys: TakenKeys = { find: () => null };

interface NamedItem {
  item: Unnamed;
  key: string;
}

/** Refuses all of a key that are not told apart by more than capitals or accents' spelling. */
function refuseClashes(
  keyed: readonly NamedItem[],
  node: string,
  earlier: TakenKeys,
): AssignedKeys {
  const groups = groupBy(keyed, ({ key }) => fold(key));
  const result: AssignedKeys = { keyed: [], refused: [], taken: [] };
  for (const [folded, group] of groups) {
    const [only] = group;
    const holder = earlier.find(folded);
    if (holder !== null) {
      for (const { item, key } of group) {
        const message = `its key "${key}" is also that of what came before it as "${holder.key}"; rename it`;
        result.refused.push(refusal(assetFailures.KEY_CLASH, item.label, node, message));
      }
      continue;
    }
    if (only) result.taken.push({ key: only.key, long: only.item.long });
    if (only && group.length === 1) {
      result.keyed.push({ id: only.item.id, key: only.key });
      continue;
    }
    for (const { item, key } of group) {
      const message = `its key "${key}" is also that of ${othersOf(item, group)}; rename all but one`;
      result.refused.push(refusal(assetFailures.KEY_CLASH, item.label, node, message));
    }
  }
  return result;
}

/** The first few of a group that one clashes with, however large the group is. */
function othersOf({ id }: Unnamed, group: readonly NamedItem[]): string {
  const others = group.slice(0, othersShown + 1).filter(({ item }) => item.id !== id);
  const shown = others.slice(0, othersShown).map(({ item }) => JSON.stringify(item.label));
  const more = group.length - 1 - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** A path as keys are compared: file systems differ in what they tell apart. */
export function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function keyOf({ id, short, long }: Unnamed, withLong: ReadonlySet<string>): string {
  return withLong.has(id) ? long : short;
}

function groupByKey(items: readonly Unnamed[], withLong: ReadonlySet<string>) {
  return groupBy(items, (item) => fold(keyOf(item, withLong)));
}

/** The id of a clashing group that an earlier run has recorded under the short key. */
async function holderOf(
  group: readonly Unnamed[],
  withLong: ReadonlySet<string>,
  history: KeyHistory,
  holders: Map<string, string>,
): Promise<string | undefined> {
  const [short] = group.filter(({ id }) => !withLong.has(id)).map((item) => item.short);
  if (short === undefined || !history.isKnown(short)) return undefined;
  const known = holders.get(short) ?? (await history.idOf(short)) ?? '';
  holders.set(short, known);
  return group.find(({ id }) => id === known)?.id;
}

function withoutExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const short = dot > 0 ? path.slice(0, path.length - (name.length - dot)) : path;
  return short.normalize('NFC');
}

/** Why a text cannot be a key, in words; null when it can. */
export function unusableKey(key: string): string | null {
  if (key === '') return 'is empty';
  if (key.length > maxKeyChars) return `is longer than ${maxKeyChars} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(key) ? 'holds control characters' : null;
}

/** A refused source stands under its label, since it has no key. */
export function refusal(
  failure: KnownFailure,
  label: string,
  node: string,
  message: string,
): Failure {
  return failSource(failure, label, node, `${label}: ${message}`);
}
