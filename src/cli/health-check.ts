// What `doctor` reports: one line a check, and how bad the worst of them is.
import { exitCode } from '../failures/exit-code.ts';
import type { Paint } from './color.ts';
import { explainError } from './exit.ts';

export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** What to do about it; empty when there is nothing to do. */
  fix: string;
  /** Exit code that this check asks for when it failed. */
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

/** Does a check; whatever it throws becomes a failed line. */
export async function attempt(name: string, work: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await work();
  } catch (error) {
    const { message, fix, exit } = explainError(error);
    return [fail(name, message, fix, exit)];
  }
}

/** In the order of what a person must repair first. */
const gravity = [
  exitCode.usage,
  exitCode.auth,
  exitCode.unreachable,
  exitCode.notFound,
  exitCode.later,
  exitCode.runFailed,
];

export function worstExit(checks: readonly Check[]): number {
  const failed = new Set(checks.filter(({ state }) => state === 'fail').map(({ exit }) => exit));
  return gravity.find((exit) => failed.has(exit)) ?? exitCode.done;
}

const marks = { ok: ['green', 'ok  '], warn: ['yellow', 'warn'], fail: ['red', 'FAIL'] } as const;

export function checkLines(checks: readonly Check[], paint: Paint): string {
  const width = Math.max(0, ...checks.map(({ name }) => name.length));
  return checks
    .flatMap(({ name, state, message, fix }) => {
      const [color, mark] = marks[state];
      const indent = ' '.repeat(width + 8);
      return [
        `${paint(color, mark)}  ${name.padEnd(width)}  ${message}`,
        ...(fix === '' ? [] : [fix.replace(/^/gm, indent)]),
      ];
    })
    .join('\n');
}
