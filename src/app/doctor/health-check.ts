import { doctorHint } from '../../failures/connections.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { grpcCode, hasGrpcCode } from '../../failures/grpc-status.ts';
import { explainError } from '../renderline-error.ts';

export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** How to fix the problem. Empty if there is no problem or no known fix. */
  fix: string;
  exit: number;
}

export function createPassedCheck(name: string, message: string): Check {
  return { name, state: 'ok', message, fix: '', exit: exitCode.done };
}

export function createWarningCheck(name: string, message: string, fix: string): Check {
  return { name, state: 'warn', message, fix, exit: exitCode.done };
}

export function createFailedCheck(name: string, message: string, fix: string, exit: number): Check {
  return { name, state: 'fail', message, fix, exit };
}

export function createCheck(isFine: boolean, name: string, message: string, fix: string): Check {
  return isFine ? createPassedCheck(name, message) : createWarningCheck(name, message, fix);
}

/** Runs a check, and converts an error into a failed check. */
export async function runCheck(name: string, check: () => Promise<Check[]>): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    const { message, fix, exit } = explainError(error);
    return [createFailedCheck(name, message, fix.replace(doctorHint, ''), exit)];
  }
}

/** Status codes for requests that a Temporal server does not support, such as those about deployments or searches. */
const unsupportedCodes: readonly number[] = [grpcCode.invalidArgument, grpcCode.unimplemented];

/** Runs a check of Temporal. Returns no checks if the server lacks the feature, and a warning after any other error. */
export async function checkIfSupported(
  name: string,
  check: () => Promise<Check[]>,
): Promise<Check[]> {
  try {
    return await check();
  } catch (error) {
    if (unsupportedCodes.some((code) => hasGrpcCode(error, code))) return [];
    const { message, fix, exit } = explainError(error);
    const isMomentary = exit === exitCode.unreachable || exit === exitCode.later;
    return [createWarningCheck(name, `unknown: ${message}`, isMomentary ? momentaryFix : fix)];
  }
}

/** The connection itself has already been tested by another check. */
const momentaryFix = 'Check again when the server is less busy: renderline doctor';

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
