// `renderline show`: shows one run by asset and step.
import type { Command } from '@commander-js/extra-typings';
import { readAllowedRun } from '../../app/runs/allowed-run.ts';
import { stepRows } from '../../app/runs/fresh-progress.ts';
import { exitCodeOfRun, type RunReport, reportRun } from '../../app/runs/run-report.ts';
import { waitForRun } from '../../app/runs/wait-for-run.ts';
import { runPageUrl, withTemporal } from '../../app/temporal-client.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { explainFailure } from '../../features/failures.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { Paint } from '../color.ts';
import { collectNotices, formatNotices } from '../runs/run-notices.ts';
import { summarizeRun } from '../runs/run-summary.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const assetsShown = 30;

export function declareShow(command: Command, session: Session): void {
  command
    .argument('<run>', 'run id, as `renderline runs` lists it')
    .option('--wait', 'follow the run to its end; the exit code is then the run’s')
    .option('--all', 'list every asset')
    .action(
      session.action(async (run, { wait, all }) =>
        withTemporal(session, async ({ client, namespace }) => {
          await session.usePlugins();
          const leave = wait === true ? session.io.interrupts.handleFirst() : null;
          const report = leave
            ? await waitForRun(session, client, run, leave)
            : await reportRun(client, await readAllowedRun(session.io, client, run));
          const steps = stepRows(report.progress, report.steps);
          const temporalUi = await runPageUrl(session, namespace, run);
          const results = report.settled.map(({ key, outcome, platformIds, failure }) => ({
            key,
            outcome,
            platformIds,
            failure: failure && explainFailure(failure),
          }));
          session.output.result(
            {
              ...report.shape,
              temporalUi,
              steps,
              results,
              notices: collectNotices(report.settled),
              remark: report.remark,
            },
            () => formatRun(report, all === true ? Infinity : assetsShown, session.output.paint),
          );
          if (temporalUi !== null && !session.output.json) session.output.raw(temporalUi);
          return leave ? exitCodeOfRun(report) : exitCode.done;
        }),
      ),
    );
}

function formatRun(report: RunReport, max: number, paint: Paint): string {
  const { shape, settled, remark } = escapeForTerminal(report);
  return [
    summarizeRun(shape, paint),
    ...(remark === null ? [] : ['', paint('yellow', remark)]),
    ...(settled.length === 0 ? [] : ['', ...formatAssets(settled, max, paint)]),
    ...formatNotices(collectNotices(settled), paint),
  ].join('\n');
}

/** Formats assets, failed ones first. */
function formatAssets(settled: readonly FinalizedAsset[], max: number, paint: Paint): string[] {
  const rank = { failed: 0, cancelled: 1, skipped: 2, complete: 3 };
  const sorted = [...settled].sort(
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
