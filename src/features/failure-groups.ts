// Groups failures by code and node, so that a thousand assets with the same failure form one group.

import type { Failure } from '../plan/types.ts';
import { explainFailure, type FailureExplanation } from './failures.ts';

export interface FailureGroup extends FailureExplanation {
  code: string;
  node: string;
  count: number;
  message: string;
  /** Highest number of attempts of any asset in the group. */
  attempts: number;
  /** Keys of the assets, in the order of their failures. */
  keys: string[];
}

export class FailureGroups {
  readonly #groups = new Map<string, FailureGroup>();

  add({ code, node, message, attempts, key }: Failure): void {
    const id = JSON.stringify([code, node]);
    const group =
      this.#groups.get(id) ??
      explainFailure({ code, node, count: 0, message, attempts: 0, keys: [] });
    group.count += 1;
    group.attempts = Math.max(group.attempts, attempts);
    group.keys.push(key);
    this.#groups.set(id, group);
  }

  /** Returns the groups, the largest first. */
  sorted(): FailureGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }
}

/** Groups failures by code and node. The largest group comes first. */
export function groupFailures(failures: readonly Failure[]): FailureGroup[] {
  const groups = new FailureGroups();
  for (const failure of failures) groups.add(failure);
  return groups.sorted();
}
