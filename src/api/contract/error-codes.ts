// Error codes of the platform's reference, with their HTTP status and condition.
export const errorCodes = {
  MISSING_API_KEY: { status: 401, condition: 'no key' },
  INVALID_API_KEY: { status: 401, condition: 'invalid, revoked, unknown or expired key' },
  WORKSPACE_NOT_FOUND: { status: 401, condition: "key's workspace not found" },
  VALIDATION_ERROR: {
    status: 400,
    condition: 'invalid request; the message names the item and reason',
  },
  INVALID_STATUS: {
    status: 400,
    condition: "operation not valid for the resource's current status",
  },
  FILE_NOT_UPLOADED: {
    status: 400,
    condition: 'no file at the upload location when the upload is confirmed',
  },
  GEO_RESTRICTED: { status: 403, condition: 'access not allowed from the location of the caller' },
  PLAN_LIMIT_REACHED: { status: 403, condition: 'plan limit reached' },
  STORAGE_LIMIT_REACHED: { status: 403, condition: 'workspace storage allowance used up' },
  MODEL_NOT_FOUND: { status: 404, condition: 'model does not exist or is not accessible' },
  PROJECT_NOT_FOUND: { status: 404, condition: 'project does not exist or is not accessible' },
  TEMPLATE_NOT_FOUND: { status: 404, condition: 'template does not exist' },
  JOB_NOT_FOUND: { status: 404, condition: 'job does not exist' },
  RENDER_JOB_NOT_FOUND: { status: 404, condition: 'render job does not exist' },
  NOT_FOUND: { status: 404, condition: 'referenced id does not exist in the workspace' },
  NO_FILE: { status: 404, condition: 'model has no file of the requested download format' },
  IDEMPOTENCY_CONFLICT: { status: 409, condition: 'same Idempotency-Key still in flight' },
  MODEL_FILE_TOO_LARGE: {
    status: 413,
    condition: 'model file over 1 GB, rejected at confirmation',
  },
  IDEMPOTENCY_KEY_REUSED: {
    status: 422,
    condition: 'key previously used with a different endpoint or body',
  },
  RATE_LIMITED: { status: 429, condition: 'per-key rate limit exceeded' },
  INTERNAL_ERROR: { status: 500, condition: 'unhandled server error' },
} as const satisfies Record<string, { status: number; condition: string }>;

export type ErrorCode = keyof typeof errorCodes;

/** Codes that any authenticated operation may respond with. */
export const commonErrors = [
  'MISSING_API_KEY',
  'INVALID_API_KEY',
  'WORKSPACE_NOT_FOUND',
  'GEO_RESTRICTED',
  'RATE_LIMITED',
  'INTERNAL_ERROR',
] as const satisfies readonly ErrorCode[];
