// A source of files in which nothing is left. Pure.
import type { RunWarning } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';

/**
 * Warns of a source without files from which assets were delivered: it may be another folder than was meant, or one that
 * was emptied by mistake.
 * @param delivered assets that have records
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
