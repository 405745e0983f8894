// Formats lists for the terminal.
import { formatFirst } from '../plan/helpers/format-first.ts';

/** Formats lines, with a label in front of the first one. */
export function labelLines(label: string, lines: readonly string[]): string[] {
  return lines.map((line, index) => `${index === 0 ? label : ' '.repeat(label.length)}${line}`);
}

/** Joins the first `max` names, and appends an ellipsis if there are more. */
export function joinFirst(names: readonly string[], max: number): string {
  return formatFirst(names, max, () => ', …');
}
