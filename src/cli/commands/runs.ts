// `renderline runs`: lists runs, newest first, from Temporal's visibility store.
import type { Command } from '@commander-js/extra-typings';
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { type ListedRun, listedRun } from '../../app/runs/listed-run.ts';
import { readPaidOrNull } from '../../app/runs/read-paid.ts';
import { snapshotOf } from '../../app/runs/run-snapshot.ts';
import { findStrandedRuns, noteStranded, type Stranded } from '../../app/runs/stranded-runs.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { formatUnreadable, noteUnreadable } from '../../app/unreadable-note.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { formatPaid, type Paid } from '../../plan/run/paid.ts';
import { listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import type { Paint } from '../color.ts';
import { wholeNumberParser } from '../params.ts';
import { formatSeconds } from '../runs/run-summary.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

export function declareRuns(command: Command, session: Session): void {
  command
    .option('--limit <n>', 'maximum number of runs', wholeNumberParser('--limit'), 20)
    .option('--pipeline <name>', 'only runs of this pipeline')
    .option('--paid', 'also show the renders, models and captures that each run has paid for')
    .action(
      session.action(async ({ limit, pipeline, paid = false }) =>
        withTemporal(session, async ({ client }) => {
          const runs: RunRow[] = [];
          const infos: WorkflowExecutionInfo[] = [];
          const query = `WorkflowType = '${workflowNames.run}'`;
          for await (const info of listWorkflows(client, { query, pageSize: 100 })) {
            const listed = listedRun(info);
            if (pipeline !== undefined && listed.pipeline !== pipeline) continue;
            if (info.status.name === 'CONTINUED_AS_NEW') continue;
            const bill = paid ? { paid: await readPaidOrNull(snapshotOf(info)) } : {};
            infos.push(info);
            if (runs.push({ ...listed, stranded: null, ...bill }) >= limit) break;
          }
          const stranded = await findStrandedRuns(client, infos);
          for (const row of runs) row.stranded = stranded.get(row.run) ?? null;
          session.output.result({ schema: 'renderline/runs/v1', runs }, () =>
            formatRuns(runs, session.output.paint),
          );
          noteUnreadable(session, 'run', runs);
          noteStranded(session.output, stranded.values());
          return exitCode.done;
        }),
      ),
    );
}

interface RunRow extends ListedRun {
  /** Set if no worker can continue the run. */
  stranded: Stranded | null;
  paid?: Paid | null;
}

function formatRuns(runs: readonly RunRow[], paint: Paint): string {
  if (runs.length === 0) return 'No runs yet. Start one: renderline run FILE';
  const shown = escapeForTerminal(runs);
  const width = Math.max(...shown.map(({ run }) => run.length));
  return shown
    .map(({ run, state, startedAt, seconds, paid, unreadable, stranded }) => {
      const when = startedAt.slice(0, 19).replace('T', ' ');
      const took = seconds === null ? '' : formatSeconds(seconds);
      const bill = paid === undefined ? '' : `  paid: ${formatPaid(paid)}`;
      const more = unreadable === null ? bill : `  ${formatUnreadable(unreadable)}`;
      const waits = stranded === null ? '' : `  ${paint('red', `stranded: ${stranded.why}`)}`;
      return `${run.padEnd(width)}  ${paint(colorOf(state), state.padEnd(15))}  ${when}  ${took}${more}${waits}`.trimEnd();
    })
    .join('\n');
}

function colorOf(state: string): Parameters<Paint>[0] {
  if (state === 'complete' || state === 'completed') return 'green';
  if (state === 'running') return 'cyan';
  return state === 'partial_failure' || state === 'paused' ? 'yellow' : 'red';
}
