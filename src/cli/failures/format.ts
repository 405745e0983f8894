// Formats the failures of a run by cause.
import type { FailuresShape } from '../../app/failures/list-failures.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { formatFix } from '../../plan/helpers/format-fix.ts';
import type { Paint } from '../color.ts';
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
    ...groups.flatMap((group) => {
      const tries = group.attempts > 1 ? `, up to ${group.attempts} attempts each` : '';
      return formatGroup(group, `: ${formatCount(group.count, 'asset')}${tries}`, [], paint);
    }),
    ...(groups.length > 1 && rerunCommand !== null ? ['', `Rerun all: ${rerunCommand}`] : []),
  ].join('\n');
}

/**
 * Formats a cause after an empty line.
 * @param end end of the first line
 * @param details further lines, above the command
 */
export function formatGroup(
  { code, node, message, fix, keys, rerunCommand }: FailuresShape['groups'][number],
  end: string,
  details: readonly string[],
  paint: Paint,
): string[] {
  return [
    '',
    `${paint('red', code)}${node === '' ? '' : ` at ${node}`}${end}`,
    `  ${message}`,
    ...formatFix(fix, '  '),
    `  ${formatFirst(keys, maxKeysShown)}`,
    ...[...details, rerunCommand].map((line) => `  ${paint('dim', line)}`),
  ];
}
