// Delivered cells that their grid no longer contains, for example because a row was removed from the table. Pure.

import type { RunWarning } from '../../../plan/contract/contract.ts';
import { formatFirst } from '../../../plan/helpers/format-first.ts';
import { memoize } from '../../../plan/helpers/memoize.ts';
import { decodeKey } from '../../objects/object-name.ts';
import type { RecordEntry, RecordIndex } from '../../records/records.ts';
import { findWithdrawal } from '../../records/withdrawal-state.ts';
import type { Grid } from './grid.ts';

const maxKeysShown = 5;

/**
 * Finds the keys of removed cells, read from record names. These lack very long keys, which `renderline clean` finds.
 */
export function findRemovedCells(index: RecordIndex, grid: Pick<Grid, 'keysOf'>): string[] {
  const removedKeys: string[] = [];
  for (const { key, entry } of listRemovedEntries(index, grid))
    if (findWithdrawal(entry) === null) removedKeys.push(key);
  return removedKeys.sort();
}

export interface RemovedEntry {
  key: string;
  entry: RecordEntry;
  /** The models that the cell may belong to. */
  models: string[];
}

/** Lists the records of removed cells, even of withdrawn ones. */
export function* listRemovedEntries(
  index: RecordIndex,
  grid: Pick<Grid, 'keysOf'>,
): Generator<RemovedEntry> {
  const keysOf = memoize((model) => new Set(grid.keysOf(model)));
  for (const entry of index.entries()) {
    const key = decodeKey(entry.key);
    if (key === null) continue;
    const models = modelsOf(key);
    if (models.length > 0 && !models.some((model) => keysOf(model).has(key)))
      yield { key, entry, models };
  }
}

/** Returns every model that the key may belong to. There may be several, since file names may contain an @ too. */
export function modelsOf(key: string): string[] {
  return [...key.matchAll(/@/g)].map(({ index }) => key.slice(0, index)).filter(Boolean);
}

export function formatRemovedCells(removedKeys: readonly string[]): string {
  const names = formatFirst(removedKeys, maxKeysShown);
  return `${names} ${removedKeys.length === 1 ? 'is' : 'are'} no longer in the grid; delivered files stay; to delete their resources on the platform, run \`renderline clean --removed-colorways\``;
}

export function removedCellWarningsOf(removedKeys: readonly string[], node: string): RunWarning[] {
  return removedKeys.length === 0 ? [] : [{ key: node, message: formatRemovedCells(removedKeys) }];
}
