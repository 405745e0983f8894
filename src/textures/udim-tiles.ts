// Finds UDIM tiles among the files of an import. A material uses one picture per channel, and so one tile of each set.
import { parseImagePath } from './file-name.ts';
import type { ImportPlan } from './plan-import.ts';

export interface UdimTiles {
  /** Paths of the tiles that materials use, one of each set. */
  taken: string[];
  /** Paths of the tiles that are not used. */
  ignored: string[];
}

/** `.1001`, `_1001`, `_u1_v1` and the placeholder `<UDIM>`. `ART-1001` is an article number instead. */
const tilePattern = /(^|[._])(1\d{3}|u\d+_?v\d+|<(?:udim|uvtile)>)(?=[._]|$)/i;
const firstTile = /^(1001|u1_?v1|<.*>)$/i;

interface Tile {
  path: string;
  folder: string;
  /** Folder and name without the tile, in lower case. */
  set: string;
  isFirst: boolean;
  isPlaceholder: boolean;
}

/**
 * Finds the tiles. A number is a tile if its folder has a first tile, or if another file differs only in the number. If
 * every numbered picture belongs to a material, none of them is a tile.
 */
export function udimTilesOf({ materials, duplicates, unmatched }: ImportPlan): UdimTiles {
  const takenTiles = materials.flatMap(({ textures }) => Object.values(textures)).flatMap(tileOf);
  const otherTiles = [...duplicates.map(({ file }) => file), ...unmatched].flatMap(tileOf);
  const tiled = new Set(
    [...takenTiles, ...otherTiles].filter(({ isFirst }) => isFirst).map(({ folder }) => folder),
  );
  const sizes = new Map<string, number>();
  for (const { set } of [...takenTiles, ...otherTiles]) sizes.set(set, (sizes.get(set) ?? 0) + 1);
  const ignoredTiles = otherTiles.filter(
    ({ folder, set }) => tiled.has(folder) || (sizes.get(set) ?? 0) > 1,
  );
  const folders = new Set(ignoredTiles.map(({ folder }) => folder));
  const isOfThem = ({ folder, isPlaceholder }: Tile) => folders.has(folder) || isPlaceholder;
  const pathsOf = (tiles: readonly Tile[]) => tiles.map(({ path }) => path).sort();
  return { taken: pathsOf(takenTiles.filter(isOfThem)), ignored: pathsOf(ignoredTiles) };
}

function tileOf(path: string): Tile[] {
  const name = parseImagePath(path);
  const stem = (path.split(/[/\\]/).at(-1) ?? '').replace(/\.\w+$/, '');
  const [, , tile = ''] = tilePattern.exec(stem) ?? [];
  if (name === undefined || tile === '') return [];
  const folder = name.folders.join('/');
  const set = `${folder}/${stem.replace(tilePattern, '$1')}`.toLowerCase();
  return [
    { path, folder, set, isFirst: firstTile.test(tile), isPlaceholder: tile.startsWith('<') },
  ];
}
