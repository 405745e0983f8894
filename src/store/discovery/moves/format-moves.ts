import type { RunWarning } from '../../../plan/contract/contract.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { formatFirst } from '../../../plan/helpers/format-first.ts';
import type { MovedReport } from './apply-moves.ts';

const maxShown = 3;

/** Formats `kitchen/mug → mugs/mug, kitchen/cup → mugs/cup and 2 more`. */
export function formatMoves(movedAssets: MovedReport['moved']): string {
  return formatFirst(
    movedAssets.map(({ key, from }) => `${from} → ${key}`),
    maxShown,
  );
}

/** Returns a hint for pipelines that treat a moved file as a new one, or null if there is nothing to say. */
export function formatMoveHint({ moved, isCut, isTaken }: MovedReport): string | null {
  if (isTaken || moved.length === 0) return null;
  const isOne = moved.length === 1;
  const [have, are, pronoun] = isOne ? ['has', 'is', 'it'] : ['have', 'are', 'they'];
  const min = isCut ? 'at least ' : '';
  return `${min}${formatCount(moved.length, 'new asset')} ${have} the same content as ${isOne ? 'an asset' : 'assets'} delivered under another name (${formatMoves(moved)}) and ${are} paid for again; with \`identity: content\` ${pronoun} ${isOne ? 'continues' : 'continue'} that work, and nothing is paid for again`;
}

/** Returns a message about copies, or null if there are none, or if the assets are treated as new. */
export function formatCopies({ copies, isTaken, isCut }: MovedReport): string | null {
  if (!isTaken || copies.length === 0) return null;
  const names = formatFirst(
    copies.map(({ key, original }) => `${key} is a copy of ${original}`),
    maxShown,
  );
  const suffix = isCut
    ? '; there may be more copies, because not all files of the same size were compared'
    : '';
  return `${names}: each is a separate asset with its own model and renders${suffix}`;
}

/** Formats the warnings of a run about sources that have moved or that are copies. */
export function formatMoveWarnings(report: MovedReport | null, node: string): RunWarning[] {
  if (report === null) return [];
  const messages = [formatMoveHint(report), formatCopies(report)];
  return messages.flatMap((message) => (message === null ? [] : [{ key: node, message }]));
}
