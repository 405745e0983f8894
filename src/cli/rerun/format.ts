// Formats the preview of a rerun.

import type { RerunPreview } from '../../app/rerun/rerun.ts';
import type { RerunWork, UnfinishedGroup } from '../../app/rerun/rerun-work.ts';
import { firstLines } from '../../plan/helpers/first-lines.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatRerunSelection, type Rerun } from '../../plan/run/rerun.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const keysShown = 5;
const refusedShown = 5;

export function formatPreview(again: Rerun, preview: RerunWork, paint: Paint): string {
  const { groups, assets, changed, delivered, later, refused } = escapeForTerminal(preview);
  const sums = [
    formatCount(assets, 'asset'),
    ...(changed > 0 ? [`${changed} of them changed since and start over`] : []),
    ...(delivered > 0 ? [`${delivered} delivered since`] : []),
    ...(later > 0 ? [`${later} still being written`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  return [
    `Reruns ${formatRerunSelection(escapeForTerminal(again))}`,
    ...groups.map((group) => `  ${formatGroup(group, paint)}`),
    `takes     ${sums.join(', ')}`,
    ...formatReuse(preview),
    ...firstLines(
      refused.map(({ code, message }) => `refused   ${paint('red', code)}: ${message}`),
      refusedShown,
      (rest) => `          and ${rest} more`,
    ),
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

function formatReuse({ reuse }: RerunWork): string[] {
  const { models, projects, renders, items } = reuse;
  const parts = [
    ...(models > 0 ? [formatCount(models, 'model')] : []),
    ...(items > 0 ? [formatCount(items, 'library item')] : []),
    ...(projects > 0 ? [formatCount(projects, 'project')] : []),
    ...(renders > 0 ? [`${formatCount(renders, 'render')} (checked first)`] : []),
  ];
  return parts.length === 0 ? [] : [`reuses    ${parts.join(', ')}`];
}

export function formatNothingToRerun({ again, preview }: RerunPreview['shape']): string {
  const { of, failed } = again;
  const why = preview
    ? `the remaining assets of ${of} were delivered since, or their sources are still being written`
    : `${of} has ${failed ? 'no failures' : 'delivered all its assets'}`;
  return `Nothing to rerun: ${why}.`;
}
