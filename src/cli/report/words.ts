// Formats the daily report for the terminal.
import { count } from '../../plan/count.ts';
import { paidWords } from '../../plan/paid.ts';
import { mendedWords, type Night } from '../../report/night.ts';
import type { Paint } from '../color.ts';
import { spelledOut } from '../screen-text.ts';

const causesShown = 5;

export function nightText(night: Night, paint: Paint): string {
  const { runs, left, outcomes, totals, causes, paid } = spelledOut(night);
  const ends = Object.entries(outcomes).map(
    ([name, number]) => `${number} ${name.replaceAll('_', ' ')}`,
  );
  const failed =
    totals.failed === 0
      ? ''
      : `, ${totals.failed} failed${mendedWords({ count: totals.failed, mended: totals.mended })}`;
  const first = causes
    .slice(0, causesShown)
    .map(
      (cause) =>
        `  ${paint(cause.mended === cause.count ? 'green' : 'red', cause.code)}${cause.node === '' ? '' : ` at ${cause.node}`}, ${cause.pipeline}: ${count(cause.count, 'asset')}${mendedWords(cause)}`,
    );
  return [
    `${count(runs.length + left, 'run')}${ends.length === 0 ? '' : `: ${ends.join(', ')}`}`,
    `${count(totals.complete, 'asset')} complete${failed}, ${count(totals.files, 'file')}`,
    `paid: ${paidWords(paid)}`,
    ...first,
    ...(causes.length > causesShown ? [`  and ${causes.length - causesShown} more causes`] : []),
  ].join('\n');
}
