// Which key each file has. Pure, but for what the records say about earlier runs, which is handed in.
import type { Failure } from '../plan/types.ts';

const maxKeyChars = 512;

interface KeyedPath {
  path: string;
  key: string;
}

export interface AssignedKeys {
  keyed: KeyedPath[];
  refused: Failure[];
}

export interface KeyHistory {
  /** Does a record or a claim exist under this key? */
  isKnown(key: string): boolean;
  /** The file that the record of this key came from, if there is one. Asked only where names clash. */
  pathOf(key: string): Promise<string | null>;
}

/**
 * Default keys: the path without extension, with it where two would clash.
 *
 * Keys are stable across runs as far as names allow: a file that was recorded without extension keeps that
 * key when a second one of its name comes, and one that was recorded with its extension keeps that when the
 * other goes.
 */
export async function assignDefaultKeys(
  paths: readonly string[],
  history: KeyHistory,
  node: string,
): Promise<AssignedKeys> {
  const withExtension = new Set<string>();
  const holders = new Map<string, string>();
  for (const path of paths) {
    const short = withoutExtension(path);
    const long = path.normalize('NFC');
    if (short !== long && history.isKnown(long) && !history.isKnown(short)) withExtension.add(path);
  }
  for (;;) {
    const clashing = [...groupByKey(paths, withExtension).values()].filter(
      (group) => group.length > 1,
    );
    let moved = false;
    for (const group of clashing) {
      const holder = await holderOf(group, withExtension, history, holders);
      for (const path of group) {
        if (path === holder || withExtension.has(path)) continue;
        withExtension.add(path);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return refuseClashes(
    paths.map((path) => ({ path, key: keyOf(path, withExtension) })),
    node,
  );
}

/** Keys by an expression of the pipeline; a file whose key cannot be made is refused by name. */
export function assignKeysBy(
  paths: readonly string[],
  keyOfPath: (path: string) => string,
  node: string,
): AssignedKeys {
  const keyed: KeyedPath[] = [];
  const refused: Failure[] = [];
  for (const path of paths) {
    try {
      const key = keyOfPath(path).normalize('NFC');
      const why = refusalOf(key);
      if (why === null) keyed.push({ path, key });
      else refused.push(refusal(path, node, 'KEY_INVALID', `its key ${why}`));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      refused.push(refusal(path, node, 'KEY_INVALID', `its key could not be made: ${why}`));
    }
  }
  const rest = refuseClashes(keyed, node);
  return { keyed: rest.keyed, refused: [...refused, ...rest.refused] };
}

/** Refuses all files of a key that are not told apart by more than capitals or accents' spelling. */
function refuseClashes(keyed: readonly KeyedPath[], node: string): AssignedKeys {
  const groups = new Map<string, KeyedPath[]>();
  for (const item of keyed) {
    const folded = fold(item.key);
    const group = groups.get(folded);
    if (group) group.push(item);
    else groups.set(folded, [item]);
  }
  const result: AssignedKeys = { keyed: [], refused: [] };
  for (const group of groups.values()) {
    if (group.length === 1) {
      result.keyed.push(...group);
      continue;
    }
    for (const { path, key } of group) {
      const others = group.filter((item) => item.path !== path).map((item) => item.path);
      const shown = others.slice(0, 3).map((other) => JSON.stringify(other));
      const message = `its key "${key}" is also that of ${shown.join(', ')}; rename all but one`;
      result.refused.push(refusal(path, node, 'KEY_CLASH', message));
    }
  }
  return result;
}

/** A path as keys are compared: file systems differ in what they tell apart. */
function fold(text: string): string {
  return text.normalize('NFC').toLowerCase();
}

function keyOf(path: string, withExtension: ReadonlySet<string>): string {
  return withExtension.has(path) ? path.normalize('NFC') : withoutExtension(path);
}

function groupByKey(paths: readonly string[], withExtension: ReadonlySet<string>) {
  const groups = new Map<string, string[]>();
  for (const path of paths) {
    const key = fold(keyOf(path, withExtension));
    const group = groups.get(key);
    if (group) group.push(path);
    else groups.set(key, [path]);
  }
  return groups;
}

/** The file of a clashing group that an earlier run has recorded under the short key. */
async function holderOf(
  group: readonly string[],
  withExtension: ReadonlySet<string>,
  history: KeyHistory,
  holders: Map<string, string>,
): Promise<string | undefined> {
  const [short] = group.filter((path) => !withExtension.has(path)).map(withoutExtension);
  if (short === undefined || !history.isKnown(short)) return undefined;
  const known = holders.get(short) ?? (await history.pathOf(short)) ?? '';
  holders.set(short, known);
  return group.find((path) => path === known);
}

function withoutExtension(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const dot = name.lastIndexOf('.');
  const short = dot > 0 ? path.slice(0, path.length - (name.length - dot)) : path;
  return short.normalize('NFC');
}

function refusalOf(key: string): string | null {
  if (key === '') return 'is empty';
  if (key.length > maxKeyChars) return `is longer than ${maxKeyChars} characters`;
  return /[\p{Cc}\p{Cs}]/u.test(key) ? 'holds control characters' : null;
}

/** A refused file stands under its path, since it has no key. */
export function refusal(path: string, node: string, code: string, message: string): Failure {
  return { key: path, node, code, message: `${path}: ${message}`, attempts: 0 };
}
