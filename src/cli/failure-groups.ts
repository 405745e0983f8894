// Failures grouped by cause: a thousand assets that failed alike are one line.
import type { Failure } from '../plan/types.ts';

export interface FailureGroup {
  code: string;
  node: string;
  count: number;
  /** Words of the first failure. */
  message: string;
  /** The first few, in the order they came. */
  keys: string[];
}

const keysShown = 3;

/** Largest group first. */
export function groupFailures(failures: readonly Failure[]): FailureGroup[] {
  const groups = new Map<string, FailureGroup>();
  for (const { code, node, message, key } of failures) {
    const id = JSON.stringify([code, node]);
    const group = groups.get(id) ?? { code, node, count: 0, message, keys: [] };
    group.count += 1;
    if (group.keys.length < keysShown) group.keys.push(key);
    groups.set(id, group);
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
