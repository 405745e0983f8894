// Warnings about pictures that became part of nothing. Pure.
import type { RunWarning } from '../../plan/contract.ts';
import type { Grouping } from './lister.ts';

const filesShown = 5;

/** At most one of each kind, with the first few files: they travel with the run. `node` is whose they are. */
export function groupingWarnings({ textures }: Grouping, node: string): RunWarning[] {
  const { packed, unmatched, duplicates } = textures;
  const twice = duplicates.map(({ file }) => file);
  return [
    ...about(packed, 'several maps in one picture', 'export the maps as separate pictures'),
    ...about(unmatched, 'no channel in the name', 'rename, or set `unmatchedAsDiffuse: true`'),
    ...about(twice, 'a channel that the material has already', 'keep one, `exclude` the others'),
  ].map((message) => ({ key: node, message }));
}

function about(files: readonly string[], why: string, fix: string): string[] {
  if (files.length === 0) return [];
  const more = files.length > filesShown ? ` and ${files.length - filesShown} more` : '';
  const few = files.slice(0, filesShown).join(', ');
  return [`left out, ${why}: ${few}${more}; ${fix}`];
}
