// Records what `apply` does to a schedule or an intake.
import type { RecordedAct } from '../plan/audit-contract.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import { type AuditLogPlace, recorded } from '../temporal/audit/record-act.ts';
import type { FieldChange } from './schedules/facts.ts';

/** `left`: ours, in no file, and not to be removed. */
export type ChangeKind = 'create' | 'update' | 'unchanged' | 'remove' | 'left';

interface Change {
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
}

const acts = { create: 'created', update: 'changed', remove: 'removed' } as const;

/**
 * Makes a change; one that does nothing is neither made nor recorded.
 * @throws NotRecordedError before anything was done; what `work` throws
 */
export async function recordedChange(
  place: AuditLogPlace,
  of: Pick<RecordedAct, 'subject' | 'name' | 'pipeline'>,
  { change, file, fields }: Change,
  reason: string | undefined,
  work: () => Promise<void>,
): Promise<void> {
  if (change === 'unchanged' || change === 'left') return;
  const act = { what: acts[change], ...of, details: { file, fields } };
  await recorded(place, { ...act, ...withoutUndefined({ reason }) }, work);
}
