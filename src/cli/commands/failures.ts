// `renderline failures`: shows the failures of a run by cause.
import type { Command } from '@commander-js/extra-typings';
import { openStoreOfRun } from '../../app/runs/open-run-store.ts';
import {
  queryProgress,
  type RunSnapshot,
  readAllowedRun,
  readRunEnd,
} from '../../app/runs/run-snapshot.ts';
import { withTemporal } from '../../app/temporal-client.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { type FailureGroup, FailureGroups } from '../../features/failure-groups.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { failureCondition, rerunFailuresCommand } from '../../plan/run/rerun-command.ts';
import type { RunCause } from '../../plan/run/run-cause.ts';
import { listUnfinished } from '../../store/discovery/unfinished-assets.ts';
import type { Paint } from '../color.ts';
import { formatFix } from '../runs/format-fix.ts';
import type { Session } from '../session.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const keysShown = 5;

interface Failures {
  schema: 'renderline/failures/v1';
  run: string;
  pipeline: string;
  state: RunSnapshot['status'];
  /** Why the whole run stopped or is paused; null if there is no such cause. */
  cause: RunCause | null;
  total: number;
  /** Command that reruns all failed assets; null before the run has ended or if nothing failed. */
  redo: string | null;
  /** Failures by cause, each with the command that reruns its assets. */
  groups: (FailureGroup & { redo: string | null })[];
}

export function declareFailures(command: Command, session: Session): void {
  command.argument('<run>', 'run id, as `renderline runs` lists it').action(
    session.action(async (run) =>
      withTemporal(session, async ({ client }) => {
        await session.usePlugins();
        const snapshot = await readAllowedRun(session.io, client, run);
        const { pipeline, status } = snapshot;
        const isOver = status !== 'running';
        const end = isOver ? await readRunEnd(client, snapshot) : await queryProgress(client, run);
        const groups = new FailureGroups();
        const signal = session.io.interrupts.forced;
        for await (const { failure } of listUnfinished(openStoreOfRun(snapshot), {
          isRunClosed: isOver,
          signal,
        })) {
          if (failure !== null) groups.add(failure);
        }
        const sorted = groups.sorted();
        const path = snapshot.memo?.path;
        const shape: Failures = {
          schema: 'renderline/failures/v1',
          run,
          pipeline,
          state: status,
          cause: end?.cause ?? null,
          total: sorted.reduce((sum, group) => sum + group.count, 0),
          redo: isOver && sorted.length > 0 ? rerunFailuresCommand(run, path) : null,
          groups: sorted.map((group) => ({
            ...group,
            redo: isOver ? rerunFailuresCommand(run, path, failureCondition(group)) : null,
          })),
        };
        session.output.result(shape, () => formatFailures(shape, session.output.paint));
        return exitCode.done;
      }),
    ),
  );
}

export function formatFailures(failures: Failures, paint: Paint): string {
  const { run, state, cause, total, redo, groups } = escapeForTerminal(failures);
  const so = state === 'running' ? ' so far' : '';
  const sum = total === 0 ? `no asset failed${so}` : `${formatCount(total, 'asset')} failed${so}`;
  return [
    `${paint('bold', run)}  ${sum}`,
    ...(cause === null
      ? []
      : ['', `${paint('yellow', cause.code)}: ${cause.message}`, ...formatFix(cause.fix, '')]),
    ...groups.flatMap((group) => ['', ...formatGroup(group, paint)]),
    ...formatRerunHint(state, redo, groups),
  ].join('\n');
}

function formatGroup({ redo, ...group }: Failures['groups'][number], paint: Paint): string[] {
  const { code, node, attempts, message, fix, keys } = group;
  const shown = keys.slice(0, keysShown).join(', ');
  const more = keys.length > keysShown ? ', …' : '';
  const where = node === '' ? '' : ` at ${node}`;
  const tries = attempts > 1 ? `, up to ${attempts} attempts each` : '';
  return [
    `${paint('red', code)}${where}: ${formatCount(group.count, 'asset')}${tries}`,
    `  ${message}`,
    ...formatFix(fix, '  '),
    `  ${shown}${more}`,
    ...(redo === null ? [] : [`  ${paint('dim', redo)}`]),
  ];
}

/** Shows the command that reruns all failed assets, unless there is only one group. */
function formatRerunHint(
  state: Failures['state'],
  redo: string | null,
  groups: readonly unknown[],
): string[] {
  if (groups.length === 0) return [];
  if (state === 'running') return ['', 'Failed assets can be rerun when the run has ended.'];
  return groups.length === 1 || redo === null ? [] : ['', `Rerun all: ${redo}`];
}
