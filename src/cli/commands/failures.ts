// `renderline failures`: shows the failures of a run by cause.
import type { Command } from '@commander-js/extra-typings';
import { type FailureGroup, FailureGroups } from '../../capabilities/failure-groups.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { count } from '../../plan/count.ts';
import { redoCommand, whereOf } from '../../plan/rerun-command.ts';
import type { RunCause } from '../../plan/run-cause.ts';
import { undoneOf } from '../../store/discovery/undone.ts';
import type { Paint } from '../color.ts';
import { fixLines } from '../runs/failure-words.ts';
import { readRunInside } from '../runs/run-inside.ts';
import { queryProgress, type RunSnapshot, readEnd } from '../runs/run-snapshot.ts';
import { storeOfRun } from '../runs/run-store-of.ts';
import { spelledOut } from '../screen-text.ts';
import type { Session } from '../session.ts';
import { withTemporal } from '../temporal-session.ts';

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
        const snapshot = await readRunInside(session.io, client, run);
        const { pipeline, status } = snapshot;
        const isOver = status !== 'running';
        const end = isOver ? await readEnd(client, snapshot) : await queryProgress(client, run);
        const groups = new FailureGroups();
        const signal = session.io.interrupts.forced;
        for await (const { failure } of undoneOf(storeOfRun(snapshot), {
          isOver,
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
          redo: isOver && sorted.length > 0 ? redoCommand(run, path) : null,
          groups: sorted.map((group) => ({
            ...group,
            redo: isOver ? redoCommand(run, path, whereOf(group)) : null,
          })),
        };
        session.output.answer(shape, () => failuresText(shape, session.output.paint));
        return exitCode.done;
      }),
    ),
  );
}

export function failuresText(failures: Failures, paint: Paint): string {
  const { run, state, cause, total, redo, groups } = spelledOut(failures);
  const so = state === 'running' ? ' so far' : '';
  const sum = total === 0 ? `no asset failed${so}` : `${count(total, 'asset')} failed${so}`;
  return [
    `${paint('bold', run)}  ${sum}`,
    ...(cause === null
      ? []
      : ['', `${paint('yellow', cause.code)}: ${cause.message}`, ...fixLines(cause.fix, '')]),
    ...groups.flatMap((group) => ['', ...groupLines(group, paint)]),
    ...redoLines(state, redo, groups),
  ].join('\n');
}

function groupLines({ redo, ...group }: Failures['groups'][number], paint: Paint): string[] {
  const { code, node, attempts, message, fix, keys } = group;
  const shown = keys.slice(0, keysShown).join(', ');
  const more = keys.length > keysShown ? ', …' : '';
  const where = node === '' ? '' : ` at ${node}`;
  const tries = attempts > 1 ? `, up to ${attempts} attempts each` : '';
  return [
    `${paint('red', code)}${where}: ${count(group.count, 'asset')}${tries}`,
    `  ${message}`,
    ...fixLines(fix, '  '),
    `  ${shown}${more}`,
    ...(redo === null ? [] : [`  ${paint('dim', redo)}`]),
  ];
}

/** Shows the command that reruns all failed assets, unless there is only one group. */
function redoLines(
  state: Failures['state'],
  redo: string | null,
  groups: readonly unknown[],
): string[] {
  if (groups.length === 0) return [];
  if (state === 'running') return ['', 'Failed assets can be rerun when the run has ended.'];
  return groups.length === 1 || redo === null ? [] : ['', `Rerun all: ${redo}`];
}
