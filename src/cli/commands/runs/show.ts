// `renderline show`: shows the progress, the cost and the assets of one run.
import type { Command } from '@commander-js/extra-typings';
import { exitCodeOfRun } from '../../../app/runs/run-details.ts';
import { type RunNotice, type ShownRun, showRun } from '../../../app/runs/show-run.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import type { FinalizedAsset } from '../../../plan/contract/contract.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import { limitLines } from '../../../plan/helpers/limit-lines.ts';
import type { Paint } from '../../color.ts';
import { sharedArguments, sharedOptions } from '../../options.ts';
import { followOptions } from '../../runs/progress.ts';
import { summarizeRun } from '../../runs/run-summary.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';
import { maxLengthOf } from '../../text-width.ts';

const maxAssetsShown = 30;

export function declareShow(command: Command, session: Session): void {
  command
    .argument(...sharedArguments.run)
    .option(...sharedOptions.wait)
    .option('--all', 'list every asset')
    .action(
      session.action(async (run, { wait = false, all }) => {
        const { output } = session;
        const result = await showRun(session, run, wait ? { follow: followOptions(session) } : {});
        const maxAssets = all === true ? Infinity : maxAssetsShown;
        output.result(result.shape, () => formatShownRun(result, maxAssets, session));
        const { temporalUi } = result.shape;
        if (temporalUi !== null && !output.json) output.raw(temporalUi);
        return wait ? exitCodeOfRun(result) : exitCode.done;
      }),
    );
}

const maxNoticesShown = 12;

function formatShownRun(result: ShownRun, maxAssets: number, { now, output }: Session): string {
  const { paint } = output;
  const { shape, finalized, remark } = escapeForTerminal(result);
  return [
    summarizeRun(shape, now(), paint),
    ...(remark === null ? [] : ['', paint('yellow', remark)]),
    ...(finalized.length === 0 ? [] : ['', ...formatAssets(finalized, maxAssets, paint)]),
    ...formatNotices(shape.notices, paint),
  ].join('\n');
}

/** Formats one line per asset, failed ones first. */
export function formatAssets(
  finalized: readonly FinalizedAsset[],
  maxAssets: number,
  paint: Paint,
): string[] {
  const rank = { failed: 0, cancelled: 1, skipped: 2, complete: 3 };
  const sorted = [...finalized].sort(
    (a, b) => rank[a.outcome] - rank[b.outcome] || (a.key < b.key ? -1 : 1),
  );
  const rows = sorted.slice(0, maxAssets);
  const width = maxLengthOf(rows.map(({ key }) => key));
  const lines = rows.map(({ key, outcome, files, failure, platformIds }) => {
    const mark = outcome === 'failed' ? paint('red', outcome.padEnd(9)) : outcome.padEnd(9);
    const detail =
      failure === null ? formatCount(files.length, 'file') : `${failure.code} at ${failure.node}`;
    return `  ${key.padEnd(width)}  ${mark}  ${detail}  ${paint('dim', platformIds.modelId ?? '')}`.trimEnd();
  });
  const excess = sorted.length - rows.length;
  return [...lines, ...(excess > 0 ? [`  and ${excess} more: --all`] : [])];
}

/** Formats the notices, undelivered ones first. */
export function formatNotices(notices: readonly RunNotice[], paint: Paint): string[] {
  if (notices.length === 0) return [];
  const sorted = notices.toSorted((a, b) => Number(a.delivered) - Number(b.delivered));
  const lines = sorted.map(({ node, status, attempts, at, delivered, assets, id }) => {
    const response = status === null ? 'no response' : `status ${status}`;
    const end = delivered ? 'delivered' : paint('red', 'not delivered');
    return `  ${node}  ${end}, ${response} at attempt ${attempts}  ${at}  ${formatCount(assets, 'asset')}  ${paint('dim', id)}`;
  });
  const formatRest = (rest: number) => `  and ${rest} more: --json`;
  return ['', 'Notices:', ...limitLines(lines, maxNoticesShown, formatRest)];
}
