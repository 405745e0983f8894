// What a comparison of a model with a rule finds.
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { Level } from './rules.ts';

export interface RuleFinding {
  /** `unchecked`: the rule cannot be decided. */
  level: Level | 'unchecked';
  /** Measured value, limit and fix, without the name of the node. */
  message: string;
}

const namesShown = 5;
const nameLength = 80;

export function unchecked(message: string): RuleFinding {
  return { level: 'unchecked', message: `not checked: ${message}` };
}

/** The first few names of a file, which may contain anything, in quotes. */
export function quoteFirst(names: readonly string[]): string {
  return formatFirst(
    names.map((name) => JSON.stringify(name.slice(0, nameLength))),
    namesShown,
  );
}
