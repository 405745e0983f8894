// Formats the preview of a rerun.

import type { RerunPreview, UnfinishedGroup } from '../../app/rerun/preview.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Rerun } from '../../plan/run/rerun.ts';
import { formatRerunSelection } from '../../plan/run/rerun.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const keysShown = 5;
const refusedShown = 5;

export function formatPreview(again: Rerun, preview: RerunPreview, paint: Paint): string {
  const { groups, assets, changed, delivered, later, refused } = escapeForTerminal(preview);
  const sums = [
    formatCount(assets, 'asset'),
    ...(changed > 0 ? [`${changed} of them changed since and start over`] : []),
    ...(delivered > 0 ? [`${delivered} delivered since`] : []),
    ...(later > 0 ? [`${later} still being written`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  const rest = refused.length - refusedShown;
  return [
    `Reruns ${formatRerunSelection(escapeForTerminal(again))}`,
    ...groups.map((group) => `  ${formatGroup(group, paint)}`),
    `takes     ${sums.join(', ')}`,
    ...formatReuse(preview),
    ...refused
      .slice(0, refusedShown)
      .map(({ code, message }) => `refused   ${paint('red', code)}: ${message}`),
    ...(rest > 0 ? [`          and ${rest} more`] : []),
  ].join('\n');
}

function formatGroup(
  { outcome, code, node, count: number, keys }: UnfinishedGroup,
  paint: Paint,
): string {
  const shown = keys.slice(0, keysShown).join(', ');
  const more = keys.length > keysShown ? ', …' : '';
  const where = node === '' ? '' : ` at ${node}`;
  const what = code === '' ? outcomeTexts[outcome] : `${paint('red', code)}${where}`;
  return `${what}: ${formatCount(number, 'asset')} (${shown}${more})`;
}

/** Texts for assets without a failure code. */
const outcomeTexts: Readonly<Record<UnfinishedGroup['outcome'], string>> = {
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
  unfinished: 'not started',
};

function formatReuse({ reuse }: RerunPreview): string[] {
  const { models, projects, renders, items } = reuse;
  const parts = [
    ...(models > 0 ? [formatCount(models, 'model')] : []),
    ...(items > 0 ? [formatCount(items, 'library item')] : []),
    ...(projects > 0 ? [formatCount(projects, 'project')] : []),
    ...(renders > 0 ? [`${formatCount(renders, 'render')} (checked first)`] : []),
  ];
  return parts.length === 0 ? [] : [`reuses    ${parts.join(', ')}`];
}
