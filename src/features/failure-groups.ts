// Groups failures by code and node, so that a thousand assets with the same failure form one group.

import type { Failure } from '../plan/types.ts';
import { explainFailure, type FailureExplanation } from './failures.ts';

export interface FailureGroup extends FailureExplanation {
  code: string;
  node: string;
  count: number;
  /** Message of the first failure. Says so if the messages differ. */
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
    group.message = joinMessages(group.message, message);
    this.#groups.set(id, group);
  }

  /** Returns the groups, the largest first. */
  sorted(): FailureGroup[] {
    return [...this.#groups.values()].sort((a, b) => b.count - a.count);
  }
}

const differingNote = ' (the first of several messages)';

/** Returns the message of a group to which failures with a second message are added. */
export function joinMessages(message: string, other: string): string {
  const isSame = message === other || message.endsWith(differingNote);
  return isSame ? message : `${message}${differingNote}`;
}

/** Groups failures by code and node. The largest group comes first. */
export function groupFailures(failures: readonly Failure[]): FailureGroup[] {
  const groups = new FailureGroups();
  for (const failure of failures) groups.add(failure);
  return groups.sorted();
}
