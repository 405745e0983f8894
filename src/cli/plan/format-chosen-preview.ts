// Formats the preview of a run of selected assets.
import type { ChosenPreview, CostTotals } from '../../app/plan/chosen-preview.ts';
import { formatWithdrawal } from '../../app/plan/format-deletions.ts';
import { formatSelection } from '../../app/plan/selection.ts';
import { formatCount, formatCountRange, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatRenders } from '../../plan/helpers/format-renders.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import type { Selection } from '../../plan/run/selection.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxKeysShown = 5;

export function formatChosenPreview(selection: Selection | null, preview: ChosenPreview): string {
  const { chosen, assets, keys } = preview;
  const parts = (['new', 'changed', 'again', 'unchanged', 'later', 'refused'] as const)
    .filter((name) => preview[name] > 0)
    .map((name) => `${formatNumber(preview[name])} ${countLabels[name]}`);
  const keyText = escapeForTerminal(formatFirst(keys, maxKeysShown));
  return withoutFalse([
    selection !== null && `selected  ${escapeForTerminal(formatSelection(selection))}`,
    `matches   ${formatCount(chosen, 'asset')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`,
    assets > 0 && `takes     ${formatCount(assets, 'asset')}: ${keyText}`,
    ...(preview.withdraws
      ? formatWithdrawal(preview.withdraws, 'asset').map((line) => `withdraws ${line}`)
      : []),
    `costs     ${formatCost(preview)}`,
  ]).join('\n');
}

export function formatCost(cost: CostTotals): string {
  const { requests, maxRequests, seconds } = cost;
  return `about ${formatCountRange(requests, maxRequests, 'request')}, ${formatRenders(cost, 'render job')}, ${formatSeconds(seconds)}`;
}

const countLabels = {
  new: 'new',
  changed: 'changed',
  again: 'unchanged, processed again',
  unchanged: 'unchanged',
  later: 'still being written',
  refused: 'refused',
};
