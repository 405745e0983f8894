// Formats the preview of a rerun.
import {
  formatRerunAssets,
  formatReuse,
  formatUnfinished,
} from '../../app/rerun/format-rerun-work.ts';
import type { RerunPreview } from '../../app/rerun/rerun.ts';
import type { RerunWork, UnfinishedGroup } from '../../app/rerun/rerun-work.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { formatRerunSelection } from '../../plan/run/rerun.ts';
import type { Paint } from '../color.ts';
import { formatCost } from '../plan/format-chosen-preview.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxKeysShown = 5;
const maxRefusedShown = 5;

export function formatPreview(
  { rerun, cost }: Pick<RerunPreview['shape'], 'rerun' | 'cost'>,
  preview: RerunWork,
  paint: Paint,
): string {
  const work = escapeForTerminal(preview);
  const reuse = formatReuse(work.reuse);
  return [
    `Reruns ${formatRerunSelection(escapeForTerminal(rerun))}`,
    ...work.groups.map((group) => `  ${formatGroup(group, paint)}`),
    `takes     ${formatRerunAssets(work)}`,
    ...(reuse === '' ? [] : [`reuses    ${reuse}`]),
    ...(cost === null ? [] : [`costs     ${formatCost(cost)}`]),
    ...limitLines(
      work.refused.map(({ code, message }) => `refused   ${paint('red', code)}: ${message}`),
      maxRefusedShown,
      (count) => `          and ${count} more`,
    ),
  ].join('\n');
}

function formatGroup(group: UnfinishedGroup, paint: Paint): string {
  const { count, keys } = group;
  const cause = formatUnfinished(group, (code) => paint('red', code));
  return `${cause}: ${formatCount(count, 'asset')} (${formatFirst(keys, maxKeysShown)})`;
}
