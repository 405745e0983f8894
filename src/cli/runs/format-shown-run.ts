// Formats one run with its assets and notices, for `renderline show`.
import type { RunNotice, ShownRun } from '../../app/runs/show-run.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';
import { summarizeRun } from './run-summary.ts';

const noticesShown = 12;

/** @param max maximum number of assets to list */
export function formatShownRun(shown: ShownRun, max: number, paint: Paint): string {
  const { shape, settled, remark } = escapeForTerminal(shown);
  return [
    summarizeRun(shape, paint),
    ...(remark === null ? [] : ['', paint('yellow', remark)]),
    ...(settled.length === 0 ? [] : ['', ...formatAssets(settled, max, paint)]),
    ...formatNotices(shape.notices, paint),
  ].join('\n');
}

/** Formats assets, failed ones first. */
function formatAssets(finalized: readonly FinalizedAsset[], max: number, paint: Paint): string[] {
  const rank = { failed: 0, cancelled: 1, skipped: 2, complete: 3 };
  const sorted = [...finalized].sort(
    (a, b) => rank[a.outcome] - rank[b.outcome] || (a.key < b.key ? -1 : 1),
  );
  const shown = sorted.slice(0, max);
  const width = Math.max(...shown.map(({ key }) => key.length));
  const lines = shown.map(({ key, outcome, files, failure, platformIds }) => {
    const mark = outcome === 'failed' ? paint('red', outcome.padEnd(9)) : outcome.padEnd(9);
    const why =
      failure === null ? formatCount(files.length, 'file') : `${failure.code} at ${failure.node}`;
    return `  ${key.padEnd(width)}  ${mark}  ${why}  ${paint('dim', platformIds.modelId ?? '')}`.trimEnd();
  });
  const rest = sorted.length - shown.length;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more: --all`] : [])];
}

/** Formats the notices, undelivered ones first. */
export function formatNotices(notices: readonly RunNotice[], paint: Paint): string[] {
  if (notices.length === 0) return [];
  const sorted = notices.toSorted((a, b) => Number(a.delivered) - Number(b.delivered));
  const shown = sorted.slice(0, noticesShown);
  const lines = shown.map(({ node, status, attempts, at, delivered, assets, id }) => {
    const answer = status === null ? 'no response' : `status ${status}`;
    const end = delivered ? 'delivered' : paint('red', 'not delivered');
    return `  ${node}  ${end}, ${answer} at attempt ${attempts}  ${at}  ${formatCount(assets, 'asset')}  ${paint('dim', id)}`;
  });
  const rest = sorted.length - shown.length;
  return ['', 'Notices:', ...lines, ...(rest > 0 ? [`  and ${rest} more: --json`] : [])];
}
