// Formats the failures of many runs by cause.
import type { RecentFailures } from '../../app/failures/list-recent-failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxKeysShown = 5;
const maxRunsShown = 3;

export function formatRecentFailures(recent: RecentFailures, paint: Paint): string {
  const { since, runs, total, groups, rerunCommand } = escapeForTerminal(recent);
  return [
    `${paint('bold', `Since ${formatTimestamp(since)}`)}  ${formatTotals(runs, total)}`,
    ...groups.flatMap((group) => ['', ...formatGroup(group, paint)]),
    ...formatUnread(recent, paint),
    ...(groups.length > 1 && rerunCommand !== null ? ['', `Rerun all: ${rerunCommand}`] : []),
  ].join('\n');
}

function formatTotals(runs: RecentFailures['runs'], total: number): string {
  const repaired = runs.reduce((sum, run) => sum + run.repaired, 0);
  const failedIn = (assets: number) =>
    `${formatCount(assets, 'asset')} failed in ${formatCount(runs.length, 'run')}`;
  if (repaired === 0) return total === 0 ? 'no failures found' : failedIn(total);
  return total === 0
    ? `${failedIn(repaired)}; delivered since`
    : `${failedIn(total)}; ${formatCount(repaired, 'other')} delivered since`;
}

function formatGroup(group: RecentFailures['groups'][number], paint: Paint): string[] {
  const { pipeline, code, node, count, message, fix, keys, runs, rerunCommand } = group;
  const location = node === '' ? '' : ` at ${node}`;
  return [
    `${paint('red', code)}${location} in ${pipeline}: ${formatCount(count, 'asset')}`,
    `  ${message}`,
    ...formatFix(fix, '  '),
    `  ${formatFirst(keys, maxKeysShown)}`,
    `  ${paint('dim', `in ${formatFirst(runs, maxRunsShown)}`)}`,
    `  ${paint('dim', rerunCommand)}`,
  ];
}

function formatUnread(
  { unreadable, notRead }: Pick<RecentFailures, 'unreadable' | 'notRead'>,
  paint: Paint,
): string[] {
  const label = paint('yellow', 'not read');
  const lines = withoutFalse([
    ...escapeForTerminal(unreadable).map(
      ({ run, unreadable: { code, message } }) => `${label}  ${run}: ${code}: ${message}`,
    ),
    notRead > 0 &&
      `${label}  ${formatCount(notRead, 'older run')}: use a later --since, or --pipeline`,
  ]);
  return lines.length === 0 ? [] : ['', ...lines];
}
