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
  const way = findGone ? ' Where all of them are to go, run once with --withdraw-all.' : '';
  const message = `the source has no file any more; delivered from it before: ${count(delivered, 'asset')}, whose files stay. Is it the folder that is meant?${way}`;
  return [{ key: node, message }];
}
