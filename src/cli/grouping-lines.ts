// The files of a library by group, to check before anything is sent.

import { count } from '../plan/count.ts';
import { firstOf, othersThanTiles } from '../store/discovery/grouping-warnings.ts';
import type { Grouping } from '../store/discovery/lister.ts';

const materialsShown = 20;

/** For people: the first few of each list; --json has all. */
export function groupingLines({ props, decals, textures, tiles }: Grouping): string[] {
  const { materials, packed, ignored, skipped } = textures;
  const { unmatched, duplicates } = othersThanTiles(textures, tiles);
  const { taken, left } = tiles ?? { taken: [], left: [] };
  const width = Math.max(0, ...materials.slice(0, materialsShown).map(({ name }) => name.length));
  const lists = [
    ['packed', packed, 'several maps in one picture; export them as separate channels'],
    ['unmatched', unmatched, 'no channel in the name; `unmatchedAsDiffuse` takes them'],
    ['duplicate', duplicates, 'a channel that its material has already'],
    ['ignored', ignored, 'maps that a material has no place for'],
    ['skipped', skipped, 'no pictures'],
  ] as const;
  return [
    `library   ${count(materials.length, 'material')}, ${count(decals, 'decal')}, ${count(props, 'prop')}`,
    ...materials
      .slice(0, materialsShown)
      .map(({ name, textures: files }) => `  ${name.padEnd(width)}  ${channelsOf(files)}`),
    ...(materials.length > materialsShown
      ? [`  and ${materials.length - materialsShown} more; --json has all`]
      : []),
    ...(taken.length + left.length > 0
      ? [
          `tiles     ${left.length} left out (UDIM tiles are not supported): ${firstOf(left)}`,
          `          taken: ${firstOf(taken)}`,
        ]
      : []),
    ...lists.flatMap(([what, files, why]) =>
      files.length === 0 ? [] : [`${what.padEnd(9)} ${files.length} (${why}): ${firstOf(files)}`],
    ),
  ];
}

function channelsOf(files: Grouping['textures']['materials'][number]['textures']): string {
  const channels = Object.entries(files).map(([channel, path]) => `${channel} ${path}`);
  return channels.sort().join(', ');
}
