// Formats how the files of a library are grouped, to check before anything is uploaded.

import { firstLines } from '../../plan/helpers/first-lines.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFiles, withoutTiles } from '../../store/discovery/grouping-warnings.ts';
import type { Grouping } from '../../store/discovery/lister.ts';

const materialsShown = 20;

/** Formats the first entries of each group. */
export function formatGrouping({ props, decals, textures, tiles }: Grouping): string[] {
  const { materials, packed, ignored, skipped } = textures;
  const { unmatched, duplicates } = withoutTiles(textures, tiles);
  const { taken, ignored: others } = tiles ?? { taken: [], ignored: [] };
  const width = Math.max(0, ...materials.slice(0, materialsShown).map(({ name }) => name.length));
  const lists = [
    ['packed', packed, 'several maps in one picture; export them as separate channels'],
    ['unmatched', unmatched, 'no channel in the name; `unmatchedAsDiffuse` includes them'],
    ['duplicate', duplicates, 'the material already has this channel'],
    ['ignored', ignored, 'materials do not use these maps'],
    ['skipped', skipped, 'not pictures'],
  ] as const;
  return [
    `library   ${formatCount(materials.length, 'material')}, ${formatCount(decals, 'decal')}, ${formatCount(props, 'prop')}`,
    ...firstLines(
      materials.map(({ name, textures: files }) => `  ${name.padEnd(width)}  ${channelsOf(files)}`),
      materialsShown,
      (rest) => `  and ${rest} more; --json has all`,
    ),
    ...(taken.length + others.length > 0
      ? [
          `tiles     ${others.length} left out (UDIM tiles are not supported): ${formatFiles(others)}`,
          `          taken: ${formatFiles(taken)}`,
        ]
      : []),
    ...lists.flatMap(([what, files, why]) =>
      files.length === 0
        ? []
        : [`${what.padEnd(9)} ${files.length} (${why}): ${formatFiles(files)}`],
    ),
  ];
}

function channelsOf(files: Grouping['textures']['materials'][number]['textures']): string {
  const channels = Object.entries(files).map(([channel, path]) => `${channel} ${path}`);
  return channels.sort().join(', ');
}
