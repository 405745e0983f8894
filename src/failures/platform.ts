// Failures by the platform's own codes, where no part of a run has more exact words.
import { apiCauses } from '../api/api-causes.ts';
import { type ErrorCode, errorCodes } from '../api/error-codes.ts';
import { type ApiError, notTheApi } from '../api/errors.ts';
import { defineFailures, type KnownFailure } from './define.ts';
import { type ExitCode, exitCode } from './exit-code.ts';
import { wayFailures } from './ways.ts';

const auth = exitCode.auth;
const later = exitCode.later;

/** Failures that every request of a run would meet. */
export const apiFailures = defineFailures('run', {
  MISSING_API_KEY: { ...apiCauses.MISSING_API_KEY, exit: auth },
  INVALID_API_KEY: { ...apiCauses.INVALID_API_KEY, exit: auth },
  WORKSPACE_NOT_FOUND: { ...apiCauses.WORKSPACE_NOT_FOUND, exit: auth },
  GEO_RESTRICTED: { ...apiCauses.GEO_RESTRICTED, exit: auth },
  PLAN_LIMIT_REACHED: { ...apiCauses.PLAN_LIMIT_REACHED, exit: later },
  STORAGE_LIMIT_REACHED: { ...apiCauses.STORAGE_LIMIT_REACHED, exit: later },
  OPERATION_UNRESOLVED: apiCauses.OPERATION_UNRESOLVED,
});

/** An answer by its code, or by its status where the code is new. */
export function platformFailure({ status, code }: Pick<ApiError, 'status' | 'code'>): KnownFailure {
  const cause = status === 401 ? apiFailures.INVALID_API_KEY : undefined;
  const known = isApiFailure(code) ? apiFailures[code] : cause;
  if (known) return { ...known, code };
  if (code === notTheApi) return wayFailures.NOT_THE_API;
  const [exit, fix] = endOf(status, code);
  const condition = isErrorCode(code) ? errorCodes[code].condition : 'said no';
  return { code, title: `The platform: ${condition}.`, fix, scope: 'asset', stops: null, exit };
}

function isApiFailure(code: string): code is keyof typeof apiFailures {
  return code in apiFailures;
}

function isErrorCode(code: string): code is ErrorCode {
  return code in errorCodes;
}

function endOf(status: number, code: string): [ExitCode, string] {
  if (code.endsWith('LIMIT_REACHED'))
    return [later, 'Make room in the plan, or raise it; then try again.'];
  if (status === 403) return [auth, 'The key may not do this; use another key or place.'];
  if (status === 404) return [exitCode.notFound, 'Check the id.'];
  if (status === 409 || status === 429) return [later, 'Try again in a minute.'];
  if (status >= 500) return [later, 'The platform failed; try again.'];
  return [exitCode.usage, 'Correct what was sent.'];
}

/** By code; those of no run and no asset have words for a command. */
export const platformFailures: Readonly<Record<string, KnownFailure>> = Object.fromEntries(
  Object.entries(errorCodes).map(([code, { status }]) => [code, platformFailure({ status, code })]),
);
