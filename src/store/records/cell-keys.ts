import { replaceUnsafe } from '../../language/naming/naming.ts';
import type { CellSource } from '../../plan/grid.ts';
import type { AssetSource } from '../../plan/types.ts';

interface KeyedSource {
  key: string;
  source: CellSource;
}

/**
 * Returns the key that all cells with the same positions along the first `dimensions` share, or the asset's own key if
 * it has no further dimension.
 * @param dimensions number of dimensions, outermost first. With 0, the key of the group is returned
 */
export function sharedKeyOf({ key, source: { cell } }: KeyedSource, dimensions: number): string {
  if (cell === undefined || cell.positions.length <= dimensions) return key;
  return cell.positions
    .slice(0, dimensions)
    .reduce((parent, { name }) => createCellKey(parent, name), cell.group);
}

/** Returns the key of an asset's model, which all cells of the model share. */
export function modelKeyOf({ key, source }: KeyedSource): string {
  return source.cell?.group ?? key;
}

/** Returns the keys under which an asset's calls may be recorded: its own, then those shared with other assets. */
export function callKeysOf(asset: KeyedSource): string[] {
  const dimensions = asset.source.cell?.positions ?? [];
  const sharedKeys = dimensions.map((_, index) => sharedKeyOf(asset, index));
  return [asset.key, ...sharedKeys.toReversed()];
}

/**
 * Extends the key of a group, or a key that some of its cells share, by one position. Separators in the name are
 * replaced. The rest of the name must stay unchanged, since records are found by the key.
 */
export function createCellKey(key: string, name: string): string {
  return `${key}@${replaceUnsafe(/[/\\@]/g, name)}`;
}

/** True for one of several assets that share a model. */
export function isCell({ source }: Pick<KeyedSource, 'source'>): boolean {
  return source.cell !== undefined;
}

/** True if only a discovery, which reads tables and grids, can find out that the source is missing. */
export function isRowOrCell({ source }: { source: Pick<AssetSource, 'cell' | 'rowKey'> }): boolean {
  return source.cell !== undefined || source.rowKey !== undefined;
}
