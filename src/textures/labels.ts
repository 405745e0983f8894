// Chooses the display names of a plan's materials.
import type { TextureChannel } from '../api/operations/materials.ts';
import { type ClassifiedFile, sortByRank } from './rank-files.ts';
import { materialKeyOf, type Reading } from './readings.ts';
import { tokensOf } from './tokens.ts';

export interface MaterialGroup {
  readonly key: string;
  readonly channels: Map<TextureChannel, ClassifiedFile[]>;
  /** True if an image that packs the colour with another map belongs to the material. */
  readonly hasPackedColor: boolean;
}

/** Returns the files' most common name without map and noise words, or 'Material' if nothing is left. */
function materialLabelOf({ channels }: MaterialGroup): string {
  const files = sortByRank([...channels.values()].flat());
  const counts = new Map<string, number>();
  for (const file of files) {
    const label = labelOf(file);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  let best = '';
  for (const [label, count] of counts)
    if (label !== '' && count > (counts.get(best) ?? 0)) best = label;
  return best || 'Material';
}

function labelOf({ stem, folders, reading }: ClassifiedFile): string {
  if (reading.place !== 'whole') return removeParts(stem, reading.cut);
  // A file whose name is only a map, such as `albedo.png`, is labelled by the folder that identifies its material.
  const home = folders.findLast((folder) => materialKeyOf(tokensOf(folder)) === reading.material);
  return home === undefined ? '' : removeNoise(home);
}

function removeNoise(folder: string): string {
  const noise = tokensOf(folder).filter((token) => token.noise);
  return removeParts(
    folder,
    noise.map(({ start, end }) => [start, end]),
  );
}

/** Returns a name without the given ranges, and without the separators that would meet there. */
function removeParts(name: string, parts: Reading['cut']): string {
  let label = '';
  let index = 0;
  for (const [start, end] of [...parts].sort(([a], [b]) => a - b)) {
    label = joinParts(label, name.slice(index, Math.max(index, start)));
    index = Math.max(index, end);
  }
  return joinParts(label, name.slice(index))
    .normalize('NFC')
    .replace(/[()[\]{}]/g, '')
    .replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
}

/** Joins two parts, keeping only the separators before the seam. */
function joinParts(head: string, tail: string): string {
  return /[\s._-]$/.test(head) ? head + tail.replace(/^[\s._-]+/, '') : head + tail;
}

/** Creates a unique name for each group: repeated names are extended by the folder, then a number. */
export function createUniqueLabels(groups: readonly MaterialGroup[]): Map<MaterialGroup, string> {
  const labels = new Map<MaterialGroup, string>();
  for (const group of groups) {
    if (group.channels.size > 0) labels.set(group, materialLabelOf(group));
  }
  const counts = new Map<string, number>();
  for (const label of labels.values()) counts.set(label, (counts.get(label) ?? 0) + 1);
  const takenLabels = new Set<string>();
  for (const [group, label] of labels) {
    const folder = folderOf(group);
    const full = (counts.get(label) ?? 0) > 1 && folder !== '' ? `${folder}/${label}` : label;
    let unique = full;
    for (let number = 2; takenLabels.has(unique); number += 1) unique = `${full} ${number}`;
    takenLabels.add(unique);
    labels.set(group, unique);
  }
  return labels;
}

function folderOf({ channels }: MaterialGroup): string {
  const [file] = [...channels.values()].flat();
  return file?.folders.join('/') ?? '';
}
