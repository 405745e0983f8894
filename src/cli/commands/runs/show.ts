// `renderline show`: shows the progress, the cost and the assets of one run.
import type { Command } from '@commander-js/extra-typings';
import { exitCodeOfRun } from '../../../app/runs/run-details.ts';
import { type ShownRun, showRun } from '../../../app/runs/show-run.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import type { RunNotice } from '../../../features/notices/run-notices.ts';
import type { FinalizedAsset } from '../../../plan/contract/contract.ts';
import { formatCount } from '../../../plan/helpers/format-count.ts';
import type { List } from '../../../plan/helpers/lazy-list.ts';
import { limitLines } from '../../../plan/helpers/limit-lines.ts';
import type { Paint } from '../../color.ts';
import { sharedArguments, sharedOptions } from '../../options.ts';
import { followOptions } from '../../runs/progress.ts';
import { summarizeRun } from '../../runs/run-summary.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';
import { maxLengthOf } from '../../text-width.ts';

const maxAssetsShown = 30;
/** Number of rows after which those that are not shown are dropped. */
const maxRows = 1_000;

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
        await output.lazyResult(result.shape, () => formatShownRun(result, maxAssets, session));
        const { temporalUi } = result.shape;
        if (temporalUi !== null && !output.json) output.raw(temporalUi);
        return wait ? exitCodeOfRun(result) : exitCode.done;
      }),
    );
}

const maxNoticesShown = 12;

async function formatShownRun(
  { finished, ...result }: ShownRun,
  maxAssets: number,
  { now, output }: Session,
): Promise<string> {
  const { paint } = output;
  const { shape, remark } = escapeForTerminal(result);
  const assets = await formatAssets(finished.assets, maxAssets, paint);
  return [
    summarizeRun(shape, now(), paint),
    ...(remark === null ? [] : ['', paint('yellow', remark)]),
    ...(assets.length === 0 ? [] : ['', ...assets]),
    ...formatNotices(shape.notices, paint),
  ].join('\n');
}

/** Formats one line per asset, failed ones first. */
export async function formatAssets(
  finalized: List<FinalizedAsset>,
  maxAssets: number,
  paint: Paint,
): Promise<string[]> {
  const rank = { failed: 0, cancelled: 1, skipped: 2, complete: 3 };
  let rows: ReturnType<typeof toRow>[] = [];
  const keepFirst = () => {
    rows.sort((a, b) => rank[a.outcome] - rank[b.outcome] || (a.key < b.key ? -1 : 1));
    rows = rows.slice(0, maxAssets);
  };
  for await (const asset of finalized) {
    rows.push(toRow(asset));
    if (rows.length === maxRows) keepFirst();
  }
  keepFirst();
  const width = maxLengthOf(rows.map(({ key }) => key));
  const lines = rows.map(({ key, outcome, detail, modelId }) => {
    const mark = outcome === 'failed' ? paint('red', outcome.padEnd(9)) : outcome.padEnd(9);
    return `  ${key.padEnd(width)}  ${mark}  ${detail}  ${paint('dim', modelId)}`.trimEnd();
  });
  const excess = finalized.length - rows.length;
  return [...lines, ...(excess > 0 ? [`  and ${excess} more: --all`] : [])];
}

function toRow({ key, outcome, files, failure, platformIds }: FinalizedAsset) {
  const detail =
    failure === null ? formatCount(files.length, 'file') : `${failure.code} at ${failure.node}`;
  return escapeForTerminal({ key, outcome, detail, modelId: platformIds.modelId ?? '' });
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
