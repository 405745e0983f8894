// Failures keyed by the platform's own error codes. They are used when no feature has a more specific failure.

import { type ErrorCode, errorCodes } from '../api/contract/error-codes.ts';
import { apiCauses } from '../api/errors/api-causes.ts';
import { type ApiError, notTheApi } from '../api/errors/errors.ts';
import { causeOfStatus } from '../api/errors/retry.ts';
import { connectionFailures } from './connections.ts';
import { defineFailures, type KnownFailure } from './define.ts';
import { platformCodesLink } from './docs-link.ts';
import { type ExitCode, exitCode } from './exit-code.ts';

const auth = exitCode.auth;
const later = exitCode.later;

/** Failures that stop the whole run, because its other assets would probably encounter them too. */
export const apiFailures = defineFailures('run', {
  MISSING_API_KEY: { ...apiCauses.MISSING_API_KEY, exit: auth },
  INVALID_API_KEY: { ...apiCauses.INVALID_API_KEY, exit: auth },
  WORKSPACE_NOT_FOUND: { ...apiCauses.WORKSPACE_NOT_FOUND, exit: auth },
  GEO_RESTRICTED: { ...apiCauses.GEO_RESTRICTED, exit: auth },
  PLAN_LIMIT_REACHED: { ...apiCauses.PLAN_LIMIT_REACHED, exit: later },
  PAYMENT_REQUIRED: { ...apiCauses.PAYMENT_REQUIRED, exit: later },
  STORAGE_LIMIT_REACHED: { ...apiCauses.STORAGE_LIMIT_REACHED, exit: later },
  OPERATION_UNRESOLVED: apiCauses.OPERATION_UNRESOLVED,
});

/** Returns the failure for an error response by its code, or by its HTTP status if the code is unknown. */
export function platformFailureOf({
  status,
  code,
}: Pick<ApiError, 'status' | 'code'>): KnownFailure {
  const cause = isApiFailure(code) ? code : causeOfStatus[status];
  const docs = isErrorCode(code) ? undefined : platformCodesLink;
  if (cause) return { ...apiFailures[cause], code, docs };
  if (code === notTheApi) return connectionFailures.NOT_THE_API;
  const [exit, fix] = endOf(status, code);
  const condition = isErrorCode(code) ? errorCodes[code].condition : 'the request was rejected';
  return {
    code,
    title: `The platform: ${condition}.`,
    fix,
    scope: 'asset',
    stops: null,
    exit,
    docs,
  };
}

function isApiFailure(code: string): code is keyof typeof apiFailures {
  return code in apiFailures;
}

function isErrorCode(code: string): code is ErrorCode {
  return code in errorCodes;
}

function endOf(status: number, code: string): [ExitCode, string] {
  if (code.endsWith('LIMIT_REACHED'))
    return [later, 'Free capacity in your plan, or upgrade the plan, then retry.'];
  if (status === 403) return [auth, 'Use a key or a workspace that has the required permission.'];
  // The hint mentions the base URL, because a wrong base URL is answered with the general code.
  const urlHint = code === 'NOT_FOUND' ? ', and that RENDERLINE_BASE_URL ends with /api/v1' : '';
  if (status === 404) return [exitCode.notFound, `Check the id${urlHint}.`];
  if (status === 409 || status === 429) return [later, 'Retry in a minute.'];
  if (status >= 500) return [later, 'Retry: the platform failed to process the request.'];
  return [exitCode.usage, 'Correct the request.'];
}

/** The failures of all documented error codes, by code. */
export const platformFailures: Readonly<Record<string, KnownFailure>> = Object.fromEntries(
  Object.entries(errorCodes).map(([code, { status }]) => [
    code,
    platformFailureOf({ status, code }),
  ]),
);
