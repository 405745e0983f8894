// Formats the preview of a rerun.
import { count } from '../../plan/count.ts';
import type { Rerun } from '../../plan/rerun.ts';
import type { Paint } from '../color.ts';
import { spelledOut } from '../screen-text.ts';
import type { RerunPreview, UndoneGroup } from './preview.ts';
import { againWords } from './words.ts';

const keysShown = 5;
const refusedShown = 5;

export function previewText(again: Rerun, preview: RerunPreview, paint: Paint): string {
  const { groups, assets, changed, delivered, later, refused } = spelledOut(preview);
  const sums = [
    count(assets, 'asset'),
    ...(changed > 0 ? [`${changed} of them changed since and start over`] : []),
    ...(delivered > 0 ? [`${delivered} delivered since`] : []),
    ...(later > 0 ? [`${later} still being written`] : []),
    ...(refused.length > 0 ? [`${refused.length} refused`] : []),
  ];
  const rest = refused.length - refusedShown;
  return [
    `Reruns ${againWords(spelledOut(again))}`,
    ...groups.map((group) => `  ${groupLine(group, paint)}`),
    `takes     ${sums.join(', ')}`,
    ...reuseLines(preview),
    ...refused
      .slice(0, refusedShown)
      .map(({ code, message }) => `refused   ${paint('red', code)}: ${message}`),
    ...(rest > 0 ? [`          and ${rest} more`] : []),
  ].join('\n');
}

function groupLine(
  { outcome, code, node, count: number, keys }: UndoneGroup,
  paint: Paint,
): string {
  const shown = keys.slice(0, keysShown).join(', ');
  const more = keys.length > keysShown ? ', …' : '';
  const where = node === '' ? '' : ` at ${node}`;
  const what = code === '' ? unfailed[outcome] : `${paint('red', code)}${where}`;
  return `${what}: ${count(number, 'asset')} (${shown}${more})`;
}

/** Texts for assets without a failure code. */
const unfailed: Readonly<Record<UndoneGroup['outcome'], string>> = {
  failed: 'failed',
  refused: 'refused',
  cancelled: 'cancelled',
  unfinished: 'not started',
};

function reuseLines({ reuse }: RerunPreview): string[] {
  const { models, projects, renders, items } = reuse;
  const parts = [
    ...(models > 0 ? [count(models, 'model')] : []),
    ...(items > 0 ? [count(items, 'library item')] : []),
    ...(projects > 0 ? [count(projects, 'project')] : []),
    ...(renders > 0 ? [`${count(renders, 'render')} (checked first)`] : []),
  ];
  return parts.length === 0 ? [] : [`reuses    ${parts.join(', ')}`];
}
