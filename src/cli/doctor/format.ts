// Formats the checks of `doctor`, and chooses the exit code of the most severe failure.
import type { Check } from '../../app/doctor/health-check.ts';
import { exitCode } from '../../failures/exit-code.ts';
import type { Paint } from '../color.ts';
import { escapeForTerminal } from '../terminal-text.ts';

/** Exit codes in the order in which their problems must be fixed. */
const exitCodesBySeverity = [
  exitCode.usage,
  exitCode.auth,
  exitCode.unreachable,
  exitCode.notFound,
  exitCode.later,
  exitCode.runFailed,
];

/** Returns the exit code of the most severe failed check. */
export function worstExitOf(checks: readonly Check[]): number {
  const exits = checks.filter(({ state }) => state === 'fail').map(({ exit }) => exit);
  return exitCodesBySeverity.find((exit) => exits.includes(exit)) ?? exits[0] ?? exitCode.done;
}

const stateLabels = {
  ok: ['green', 'ok  '],
  warn: ['yellow', 'warn'],
  fail: ['red', 'FAIL'],
} as const;

export function formatChecks(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return escapeForTerminal(checks)
    .flatMap(({ name, state, message, fix }) => {
      const [color, mark] = stateLabels[state];
      const indent = ' '.repeat(width + 8);
      return [
        `${paint(color, mark)}  ${name.padEnd(width)}  ${message}`,
        ...(fix === '' ? [] : [fix.replace(/^/gm, indent)]),
      ];
    })
    .join('\n');
}
