// Cells that were delivered and that their grid does not have any more: a row was taken out of the table. Pure.
import type { RunWarning } from '../plan/contract.ts';
import { cellOfKey } from './asset-names.ts';
import type { Grid } from './discover.ts';
import { decodeKey } from './object-name.ts';
import type { RecordIndex } from './records.ts';

const keysShown = 5;

/** By the names of records alone; of very long keys only `renderline clean` tells. */
export function removedCells(index: RecordIndex, grid: Pick<Grid, 'namesOf'>): string[] {
  const names = new Map<string, ReadonlySet<string>>();
  const removed: string[] = [];
  for (const entry of index.entries()) {
    const key = decodeKey(entry.key);
    const cell = key === null ? null : cellOfKey(key);
    if (key === null || cell === null) continue;
    const there = names.get(cell.model) ?? new Set(grid.namesOf(cell.model));
    names.set(cell.model, there);
    if (!there.has(cell.colorway)) removed.push(key);
  }
  return removed.sort();
}

/** For people: how many, and the first few. */
export function removedWords(removed: readonly string[]): string {
  const more = removed.length > keysShown ? ` and ${removed.length - keysShown} more` : '';
  const few = removed.slice(0, keysShown).join(', ');
  return `${few}${more} ${removed.length === 1 ? 'is' : 'are'} not among the colorways any more; what was made and delivered of ${removed.length === 1 ? 'it' : 'them'} stays, and \`renderline clean --removed-colorways\` deletes what the platform has of it`;
}

export function removedWarnings(removed: readonly string[], node: string): RunWarning[] {
  return removed.length === 0 ? [] : [{ key: node, message: removedWords(removed) }];
}
