// What all runs of a while did, in a few lines for a terminal.

import { count } from '../../plan/count.ts';
import { paidWords } from '../../plan/paid.ts';
import type { Night } from '../../report/night.ts';
import type { Paint } from '../color.ts';

const causesShown = 5;

export function nightText(
  { runs, left, outcomes, totals, causes, paid }: Night,
  paint: Paint,
): string {
  const ends = Object.entries(outcomes).map(
    ([name, number]) => `${number} ${name.replaceAll('_', ' ')}`,
  );
  const failed = totals.failed === 0 ? '' : `, ${totals.failed} failed`;
  const shown = causes
    .slice(0, causesShown)
    .map(
      ({ code, node, pipeline, count: number }) =>
        `  ${paint('red', code)}${node === '' ? '' : ` at ${node}`}, ${pipeline}: ${count(number, 'asset')}`,
    );
  return [
    `${count(runs.length + left, 'run')}${ends.length === 0 ? '' : `: ${ends.join(', ')}`}`,
    `${count(totals.complete, 'asset')} complete${failed}, ${count(totals.files, 'file')}`,
    `paid: ${paidWords(paid)}`,
    ...shown,
    ...(causes.length > causesShown ? [`  and ${causes.length - causesShown} more causes`] : []),
  ].join('\n');
}
