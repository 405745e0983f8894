// Formats the preview of reruns of many runs, and the started reruns.
import type { RecentRerunShape, RefusedRerun } from '../../app/rerun/rerun-recent.ts';
import { formatCount, formatCountRange } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatRenders, sumRenders } from '../../plan/helpers/format-renders.ts';
import { formatSeconds } from '../../plan/helpers/format-seconds.ts';
import { formatTimestamp } from '../../plan/helpers/format-timestamp.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxCausesShown = 3;

export function formatRecentRerun(shape: RecentRerunShape, paint: Paint): string {
  const { since, where, ready, refused, assets, requests, maxRequests, notRead } =
    escapeForTerminal(shape);
  const condition = where === null ? '' : `, where ${where}`;
  return [
    `Reruns failed assets of ${formatCount(ready.length, 'run')} since ${formatTimestamp(since)}${condition}`,
    ...ready.map((rerun) => formatReady(rerun, paint)),
    `takes     ${formatCount(assets, 'asset')}, ${formatRenders(sumRenders(ready.map(({ cost }) => cost)), 'render')}, about ${formatCountRange(requests, maxRequests, 'request')}`,
    ...refused.flatMap((rerun) => formatRefused(rerun, paint)),
    ...(notRead === 0 ? [] : [`not read  ${formatCount(notRead, 'older run')}`]),
  ].join('\n');
}

function formatReady(
  { of, pipeline, plan, work, cost }: RecentRerunShape['ready'][number],
  paint: Paint,
): string {
  const causes = work.groups.map(({ code, count }) => `${paint('red', code)} ${count}`);
  const planNote = plan === 'pinned' ? 'with its own plan' : 'with the current file';
  return `  ${of} (${pipeline}, ${planNote}): ${formatCount(work.assets, 'asset')}, ${formatCount(cost.renders, 'render')}, ${formatSeconds(cost.seconds)}: ${formatFirst(causes, maxCausesShown)}`;
}

function formatRefused({ of, code, message, fix }: RefusedRerun, paint: Paint): string[] {
  return [
    `refused   ${of}: ${paint('red', code)}: ${message}`,
    ...(fix === '' ? [] : fix.split('\n').map((line) => `            ${line}`)),
  ];
}

export function formatStartedReruns(shape: RecentRerunShape, paint: Paint): string {
  const { started, refused } = escapeForTerminal(shape);
  const runs = started ?? [];
  return [
    ...runs.map(({ of, run }) => `${run}  reruns ${of}`),
    ...refused.flatMap((rerun) => formatRefused(rerun, paint)),
    ...(runs.length === 0 ? ['Nothing was started.'] : ['Follow them: renderline runs']),
  ].join('\n');
}
