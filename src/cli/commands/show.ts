// `renderline show`: shows one run by asset and step.
import type { Command } from '@commander-js/extra-typings';
import { inWords } from '../../capabilities/failures.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import type { Paint } from '../color.ts';
import { stepRows } from '../runs/fresh-progress.ts';
import { readRunInside } from '../runs/run-inside.ts';
import { noticeLines, noticesOf } from '../runs/run-notices.ts';
import { endOfRun, type RunReport, reportRun } from '../runs/run-report.ts';
import { summarizeRun } from '../runs/run-summary.ts';
import { waitForRun } from '../runs/wait-for-run.ts';
import { spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { runPage, withTemporal } from '../temporal-session.ts';

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
          const leave = wait === true ? session.io.interrupts.take() : null;
          const report = leave
            ? await waitForRun(session, client, run, leave)
            : await reportRun(client, await readRunInside(session.io, client, run));
          const steps = stepRows(report.progress, report.steps);
          const temporalUi = await runPage(session, namespace, run);
          const results = report.settled.map(({ key, outcome, refs, failure }) => ({
            key,
            outcome,
            refs,
            failure: failure && inWords(failure),
          }));
          session.output.answer(
            {
              ...report.shape,
              temporalUi,
              steps,
              results,
              notices: noticesOf(report.settled),
              remark: report.remark,
            },
            () => page(report, all === true ? Infinity : assetsShown, session.output.paint),
          );
          if (temporalUi !== null && !session.output.json) session.output.raw(temporalUi);
          return leave ? endOfRun(report) : exitCode.done;
        }),
      ),
    );
}

function page(report: RunReport, most: number, paint: Paint): string {
  const { shape, settled, remark } = spelledOut(report);
  return [
    summarizeRun(shape, paint),
    ...(remark === null ? [] : ['', paint('yellow', remark)]),
    ...(settled.length === 0 ? [] : ['', ...assetLines(settled, most, paint)]),
    ...noticeLines(noticesOf(settled), paint),
  ].join('\n');
}

/** Formats assets, failed ones first. */
function assetLines(settled: readonly SettledAsset[], most: number, paint: Paint): string[] {
  const rank = { failed: 0, cancelled: 1, skipped: 2, complete: 3 };
  const sorted = [...settled].sort(
    (a, b) => rank[a.outcome] - rank[b.outcome] || (a.key < b.key ? -1 : 1),
  );
  const shown = sorted.slice(0, most);
  const width = Math.max(...shown.map(({ key }) => key.length));
  const lines = shown.map(({ key, outcome, files, failure, refs }) => {
    const mark = outcome === 'failed' ? paint('red', outcome.padEnd(9)) : outcome.padEnd(9);
    const why =
      failure === null ? count(files.length, 'file') : `${failure.code} at ${failure.node}`;
    return `  ${key.padEnd(width)}  ${mark}  ${why}  ${paint('dim', refs.modelId ?? '')}`.trimEnd();
  });
  const rest = sorted.length - shown.length;
  return [...lines, ...(rest > 0 ? [`  and ${rest} more: --all`] : [])];
}
