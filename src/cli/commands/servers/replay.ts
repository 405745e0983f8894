// `renderline replay`: checks, before a release, that a build can replay the open workflows.
import type { Command } from '@commander-js/extra-typings';
import {
  defaultReplayLimit,
  type ReplayReport,
  replayOpenRuns,
} from '../../../app/replay/replay-open-runs.ts';
import { exitCode } from '../../../failures/exit-code.ts';
import { formatCount, formatNumber } from '../../../plan/helpers/format-count.ts';
import { groupBy } from '../../../plan/helpers/group-by.ts';
import { reword, sharedOptions } from '../../options.ts';
import type { Session } from '../../session.ts';
import { escapeForTerminal } from '../../terminal-text.ts';

export function declareReplay(command: Command, session: Session): void {
  command
    .argument('[paths...]', 'history files (default: open workflows of the server)')
    .option('--bundle <file>', 'workflow bundle of another build (default: this build)')
    .option('--query <search>', "additional condition, in Temporal's query language")
    .option(
      ...reword(
        sharedOptions.count,
        (text) =>
          `${text} histories per workflow type, newest first (default: ${defaultReplayLimit})`,
      ),
    )
    .option('--allow-none', 'succeed even if there is nothing to replay')
    .action(
      session.action(async (paths, options) => {
        const report = await replayOpenRuns(session, { ...options, paths });
        session.output.result(report.shape, () => formatReplay(report));
        return report.shape.failed.length === 0 ? exitCode.done : exitCode.runFailed;
      }),
    );
}

function formatReplay({ shape, results }: ReplayReport): string {
  const { buildId, notReplayed, failed } = shape;
  const note =
    notReplayed === 0
      ? ''
      : ` Not checked: ${formatCount(notReplayed, 'more open workflow')} (--limit N).`;
  const lines = escapeForTerminal(failed).map(
    ({ workflowId, workflowType, problem }) => `  ${workflowId}  ${workflowType}\n    ${problem}`,
  );
  const verdict =
    failed.length === 0
      ? `Replayed with build ${buildId}: ${formatKinds(results)}.${note}`
      : `${failed.length} of ${formatHistoryCount(results.length)} cannot be replayed with build ${buildId}. Keep workers of their own build for the workflows above.${note}`;
  return [...lines, verdict].join('\n');
}

/** Formats, for example, "3 histories (2 pipelineRun, 1 pollLeader)". */
function formatKinds(results: ReplayReport['results']): string {
  const groups = [...groupBy(results, ({ workflowType }) => workflowType)];
  const parts = groups.map(([type, { length }]) => `${length} ${type}`).join(', ');
  return `${formatHistoryCount(results.length)}${parts === '' ? '' : ` (${parts})`}`;
}

function formatHistoryCount(number: number): string {
  return `${formatNumber(number)} ${number === 1 ? 'history' : 'histories'}`;
}
