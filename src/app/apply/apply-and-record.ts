import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { type AuditLog, withAuditRecord } from '../../temporal/audit/record-action.ts';
import type { FieldChange } from '../schedules/schedule-facts.ts';

/** `undeclared` means created by Renderline, declared in no applied file, and kept because --prune was not given. */
export type ChangeKind = 'create' | 'update' | 'unchanged' | 'remove' | 'undeclared';

interface Change {
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
}

const acts = { create: 'created', update: 'changed', remove: 'removed' } as const;

/** Applies and records a change, if there is one. @throws NotRecordedError before the change; errors of `task` */
export async function applyAndRecord(
  auditLog: AuditLog,
  subject: Pick<RecordedAction, 'subject' | 'name' | 'pipeline'>,
  { change, file, fields }: Change,
  reason: string | undefined,
  task: () => Promise<void>,
): Promise<void> {
  if (change === 'unchanged' || change === 'undeclared') return;
  const act = { what: acts[change], ...subject, details: { file, fields } };
  await withAuditRecord(auditLog, { ...act, ...omitUndefined({ reason }) }, task);
}
