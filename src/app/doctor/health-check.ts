// Results of the checks of `doctor`.

import { exitCode } from '../../failures/exit-code.ts';
import { grpcCode, grpcStatusOf } from '../../failures/grpc-status.ts';
import { explainError } from '../renderline-error.ts';

export interface Check {
  name: string;
  state: 'ok' | 'warn' | 'fail';
  message: string;
  /** How to repair the problem; empty if there is no problem, or no known fix. */
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

/** Status codes of a Temporal server that is too slow or not reachable at the moment. */
const momentaryCodes: ReadonlySet<number> = new Set([
  grpcCode.deadlineExceeded,
  grpcCode.resourceExhausted,
  grpcCode.unavailable,
]);

/**
 * Runs a check of Temporal that some servers do not support. Warns if the server does not respond now. Returns no
 * checks after any other error.
 */
export async function checkIfSupported(
  name: string,
  work: () => Promise<Check[]>,
): Promise<Check[]> {
  try {
    return await work();
  } catch (error) {
    const status = grpcStatusOf(error);
    if (status === null || !momentaryCodes.has(status.code)) return [];
    const reason = status.details || 'no response in time';
    return [warn(name, `not known, because Temporal does not respond: ${reason}`, unknownFix)];
  }
}

const unknownFix = 'Check again when the server is less busy: renderline doctor';
