// The workspace's API key, and the rights of its creator and of the plan.
import { createHash, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { fail } from '../http/failure.ts';
import { ControlledValues } from './controlled-values.ts';

const Denial = z.enum(['INVALID_API_KEY', 'WORKSPACE_NOT_FOUND', 'GEO_RESTRICTED']);
type Denial = z.infer<typeof Denial>;

const reasons: Record<Denial, string> = {
  INVALID_API_KEY: 'The API key is invalid, revoked, unknown or expired.',
  WORKSPACE_NOT_FOUND: 'The workspace of this API key does not exist.',
  GEO_RESTRICTED: 'The workspace does not allow access from this location.',
};

/** Body of `POST /_sandbox/access`. */
export const AccessValues = z.strictObject({
  /** Denies every request with this code. Null denies none. */
  deny: Denial.nullable(),
  /** Name and expiry of the key, as in GET /me. */
  name: z.string().nullable(),
  expiresAt: z.iso.datetime({ offset: true }).nullable(),
  /** Workspace role of the user who created the key. */
  role: z.enum(['owner', 'admin', 'member']),
  /** True if the plan includes API access, which properties and production files need. */
  apiAccess: z.boolean(),
});

export class Access extends ControlledValues<typeof AccessValues> {
  readonly #key: Buffer;

  constructor(apiKey: string) {
    const name = 'sandbox';
    super(AccessValues, { deny: null, name, expiresAt: null, role: 'owner', apiAccess: true });
    this.#key = hashText(apiKey);
  }

  /** Checks an API key. @throws ApiFailure MISSING_API_KEY, INVALID_API_KEY, or the denial that was set */
  check(apiKey: string | undefined, nowMs: number): void {
    if (apiKey === undefined || apiKey === '')
      fail('MISSING_API_KEY', 'The X-API-Key header is missing.');
    if (!timingSafeEqual(hashText(apiKey), this.#key))
      fail('INVALID_API_KEY', reasons.INVALID_API_KEY);
    const { expiresAt, deny } = this.values;
    if (expiresAt !== null && nowMs >= Date.parse(expiresAt))
      fail('INVALID_API_KEY', `The API key expired at ${expiresAt}.`);
    if (deny) fail(deny, reasons[deny]);
  }
}

function hashText(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

interface Workspace {
  readonly access: Access;
}

/** @throws ApiFailure PLAN_LIMIT_REACHED if the plan has no API access */
export function requireApiPlan({ access }: Workspace): void {
  if (access.values.apiAccess) return;
  fail('PLAN_LIMIT_REACHED', 'The plan of the workspace has no API access.');
}

/** @throws ApiFailure PLAN_LIMIT_REACHED unless plan and role allow changes of definitions */
export function requireDefinitionRights(workspace: Workspace): void {
  requireApiPlan(workspace);
  const { role } = workspace.access.values;
  if (role !== 'member') return;
  // This is the platform's only general 403, because it documents no code for missing rights.
  fail(
    'PLAN_LIMIT_REACHED',
    'Changing property definitions needs owner or admin rights; the creator of this API key is a member.',
  );
}
