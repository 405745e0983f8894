// Checks of `doctor`: their result lines, and the exit code of the most severe failure.

import type { Paint } from '../../cli/color.ts';
import { escapeForTerminal } from '../../cli/terminal-text.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { explainError } from '../renderline-error.ts';

export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** How to repair the problem; empty if there is none. */
  fix: string;
  /** Exit code if this check failed. */
  exit: number;
}

export function ok(name: string, message: string): Check {
  return { name, state: 'ok', message, fix: '', exit: exitCode.done };
}

export function warn(name: string, message: string, fix: string): Check {
  return { name, state: 'warn', message, fix, exit: exitCode.done };
}

export function fail(name: string, message: string, fix: string, exit: number): Check {
  return { name, state: 'fail', message, fix, exit };
}

/** Runs a check; converts an error into a failed check. */
export async function runCheck(name: string, work: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await work();
  } catch (error) {
    const { message, fix, exit } = explainError(error);
    return [fail(name, message, fix, exit)];
  }
}

/** Exit codes in the order in which their problems must be repaired. */
const exitCodesBySeverity = [
  exitCode.usage,
  exitCode.auth,
  exitCode.unreachable,
  exitCode.notFound,
  exitCode.later,
  exitCode.runFailed,
];

export function worstExit(checks: readonly Check[]): number {
  const failed = new Set(checks.filter(({ state }) => state === 'fail').map(({ exit }) => exit));
  return exitCodesBySeverity.find((exit) => failed.has(exit)) ?? exitCode.done;
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
