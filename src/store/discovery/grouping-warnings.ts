import type { RunWarning } from '../../plan/contract/contract.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import type { UdimTiles } from '../../textures/udim-tiles.ts';
import type { Grouping } from './listed-source.ts';

const maxFilesShown = 5;

/** Returns at most one warning of each kind, with the first few files, since warnings are sent with the run. */
export function groupingWarningsOf({ textures, tiles }: Grouping, node: string): RunWarning[] {
  const { packed } = textures;
  const { unmatched, duplicates } = removeTiles(textures, tiles);
  return [
    ...formatWarning(packed, 'several maps in one picture', 'export the maps as separate pictures'),
    ...formatWarning(
      unmatched,
      'no channel in the name',
      'add the channel to the name, or set `unmatchedAsDiffuse: true`',
    ),
    ...tileWarnings(tiles),
    ...formatWarning(
      duplicates,
      'a second picture for a channel of the material',
      'keep one picture for each channel, and `exclude` the others',
    ),
  ].map((message) => ({ key: node, message }));
}

/** Returns the unused pictures, except UDIM tiles. */
export function removeTiles(
  { unmatched, duplicates }: Grouping['textures'],
  tiles: UdimTiles | undefined,
): { unmatched: string[]; duplicates: string[] } {
  const ignoredFiles = new Set(tiles?.ignored);
  const isOther = (file: string) => !ignoredFiles.has(file);
  return {
    unmatched: unmatched.filter(isOther),
    duplicates: duplicates.map(({ file }) => file).filter(isOther),
  };
}

/** Warns about UDIM tiles, because a material accepts one picture for each channel, not several tiles. */
function tileWarnings({ taken, ignored }: UdimTiles = { taken: [], ignored: [] }): string[] {
  if (taken.length + ignored.length === 0) return [];
  const parts = `used: ${formatFiles(taken)}; left out: ${formatFiles(ignored)}`;
  return [`UDIM tiles are not supported, ${parts}; bake the tiles into one picture`];
}

function formatWarning(files: readonly string[], reason: string, fix: string): string[] {
  return files.length === 0 ? [] : [`left out, ${reason}: ${formatFiles(files)}; ${fix}`];
}

/** Formats the first few names and the number of omitted ones, or `none` if there are no files. */
export function formatFiles(files: readonly string[]): string {
  return formatFirst(files, maxFilesShown) || 'none';
}
