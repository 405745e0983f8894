// Rights of the key's creator and of the plan. Changed with POST /_sandbox/access.
import { z } from 'zod';
import { fail } from '../http/failure.ts';

export const RightValues = z.strictObject({
  /** Workspace role of the user who created the key. */
  role: z.enum(['owner', 'admin', 'member']),
  /** Whether the plan includes API access, which properties and production files need. */
  apiAccess: z.boolean(),
});
export type RightValues = z.infer<typeof RightValues>;

const initial: RightValues = { role: 'owner', apiAccess: true };

export class Rights {
  #values = initial;

  get values(): RightValues {
    return this.#values;
  }

  set(values: { readonly [Name in keyof RightValues]?: RightValues[Name] | undefined }): void {
    this.#values = RightValues.parse({ ...this.#values, ...values });
  }

  reset(): void {
    this.#values = initial;
  }
}

interface Workspace {
  readonly rights: Rights;
}

/** @throws ApiFailure PLAN_LIMIT_REACHED if the plan has no API access */
export function requireApiPlan({ rights }: Workspace): void {
  if (rights.values.apiAccess) return;
  fail('PLAN_LIMIT_REACHED', 'The plan of the workspace has no API access.');
}

/** @throws ApiFailure PLAN_LIMIT_REACHED unless plan and role allow changes of definitions */
export function requireDefinitionRights(workspace: Workspace): void {
  requireApiPlan(workspace);
  const { role } = workspace.rights.values;
  if (role !== 'member') return;
  // The platform documents no code for missing rights; this is its only general 403.
  fail(
    'PLAN_LIMIT_REACHED',
    'Changing property definitions needs owner or admin rights; the creator of this API key is a member.',
  );
}
