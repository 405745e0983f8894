// Formats the failures of many runs by cause.
import type { RecentFailures } from '../../app/failures/list-recent-failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import { withoutFalse } from '../../plan/helpers/without-false.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { formatGroup } from './format.ts';

const maxRunsShown = 3;

export function formatRecentFailures(recent: RecentFailures, paint: Paint): string {
  const { since, runs, total, groups, rerunCommand } = escapeForTerminal(recent);
  return [
    `${paint('bold', `Since ${formatTimestamp(since)}`)}  ${formatFailureCounts(runs, total)}`,
    ...groups.flatMap((group) => {
      const end = ` in ${group.pipeline}: ${formatCount(group.count, 'asset')}`;
      return formatGroup(group, end, [`in ${formatFirst(group.runs, maxRunsShown)}`], paint);
    }),
    ...formatUnread(recent, paint),
    ...(groups.length > 1 && rerunCommand !== null ? ['', `Rerun all: ${rerunCommand}`] : []),
  ].join('\n');
}

function formatFailureCounts(runs: RecentFailures['runs'], total: number): string {
  const repaired = runs.reduce((sum, run) => sum + run.repaired, 0);
  const failedIn = (assets: number) =>
    `${formatCount(assets, 'asset')} failed in ${formatCount(runs.length, 'run')}`;
  if (repaired === 0) return total === 0 ? 'no failures found' : failedIn(total);
  return total === 0
    ? `${failedIn(repaired)}; delivered since`
    : `${failedIn(total)}; ${formatCount(repaired, 'other')} delivered since`;
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
