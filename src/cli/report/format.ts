// Formats the daily report for the terminal.

import { firstLines } from '../../plan/helpers/first-lines.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatPaid } from '../../plan/run/paid.ts';
import { type DailyReport, formatRepaired } from '../../report/daily-report.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const causesShown = 5;

export function formatDailyReport(report: DailyReport, paint: Paint): string {
  const { runs, notRead, outcomes, totals, causes, paid } = escapeForTerminal(report);
  const outcomeCounts = Object.entries(outcomes).map(
    ([name, number]) => `${number} ${name.replaceAll('_', ' ')}`,
  );
  const failed =
    totals.failed === 0
      ? ''
      : `, ${totals.failed} failed${formatRepaired({ count: totals.failed, repaired: totals.repaired })}`;
  const causeLines = causes.map(
    (cause) =>
      `  ${paint(cause.repaired === cause.count ? 'green' : 'red', cause.code)}${cause.node === '' ? '' : ` at ${cause.node}`}, ${cause.pipeline}: ${formatCount(cause.count, 'asset')}${formatRepaired(cause)}`,
  );
  return [
    `${formatCount(runs.length + notRead, 'run')}${outcomeCounts.length === 0 ? '' : `: ${outcomeCounts.join(', ')}`}`,
    `${formatCount(totals.complete, 'asset')} complete${failed}, ${formatCount(totals.files, 'file')}`,
    `paid: ${formatPaid(paid)}`,
    ...firstLines(causeLines, causesShown, (rest) => `  and ${rest} more causes`),
  ].join('\n');
}
