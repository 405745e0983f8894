// Warns if a source has no files left. Pure.
import type { RunWarning } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';

/**
 * Warns if assets were delivered from a source that now has no files: it may be the wrong folder, or was emptied by
 * mistake.
 * @param delivered number of assets with records
 */
export function emptiedWarnings(
  delivered: number,
  { node, findGone }: { node: string; findGone?: unknown },
): RunWarning[] {
  if (delivered === 0) return [];
  const way = findGone ? ' To withdraw all of them, run once with --withdraw-all.' : '';
  const message = `the source has no files any more, but files of ${count(delivered, 'asset')} were delivered from it and stay. Check that it is the right folder.${way}`;
  return [{ key: node, message }];
}
