// Formats the failures of a run by cause.
import type { FailuresShape } from '../../app/failures/list-failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import type { Paint } from '../color.ts';
import { joinFirst } from '../lists.ts';
import { escapeForTerminal } from '../terminal-text.ts';

const maxKeysShown = 5;

export function formatFailures(failures: FailuresShape, paint: Paint): string {
  const { run, state, cause, total, rerunCommand, groups } = escapeForTerminal(failures);
  const isStopped = state === 'cancelled' || state === 'terminated';
  const suffix = state === 'running' ? ' so far' : isStopped ? `, the run was ${state}` : '';
  const sum =
    total === 0 ? `no asset failed${suffix}` : `${formatCount(total, 'asset')} failed${suffix}`;
  return [
    `${paint('bold', run)}  ${sum}`,
    ...(cause === null
      ? []
      : ['', `${paint('yellow', cause.code)}: ${cause.message}`, ...formatFix(cause.fix, '')]),
    ...groups.flatMap((group) => ['', ...formatGroup(group, paint)]),
    ...(groups.length > 1 && rerunCommand !== null ? ['', `Rerun all: ${rerunCommand}`] : []),
  ].join('\n');
}

function formatGroup(group: FailuresShape['groups'][number], paint: Paint): string[] {
  const { code, node, attempts, message, fix, keys, rerunCommand } = group;
  const location = node === '' ? '' : ` at ${node}`;
  const tries = attempts > 1 ? `, up to ${attempts} attempts each` : '';
  return [
    `${paint('red', code)}${location}: ${formatCount(group.count, 'asset')}${tries}`,
    `  ${message}`,
    ...formatFix(fix, '  '),
    `  ${joinFirst(keys, maxKeysShown)}`,
    `  ${paint('dim', rerunCommand)}`,
  ];
}
