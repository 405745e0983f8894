import type { RunWarning } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';

/**
 * Warns if a source with delivered assets has no files, because it may be the wrong folder.
 * @param deliveredCount number of delivered assets
 */
export function checkEmptySource(
  deliveredCount: number,
  { node, findMissingSources }: { node: string; findMissingSources?: unknown },
): RunWarning[] {
  if (deliveredCount === 0) return [];
  const fix = findMissingSources ? ' To withdraw all of them, run once with --withdraw-all.' : '';
  const message = `the source no longer has any files, but files of ${formatCount(deliveredCount, 'asset')} were delivered from it and remain. Check that the source is the right folder.${fix}`;
  return [{ key: node, message }];
}
