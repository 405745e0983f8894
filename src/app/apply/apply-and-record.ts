import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { type AuditLog, withAuditRecord } from '../../temporal/audit/record-action.ts';
import type { FieldChange } from '../schedules/schedule-facts.ts';

/** `undeclared` means created by Renderline, declared in no applied file, and kept because --prune was not given. */
export type ChangeKind = 'create' | 'update' | 'unchanged' | 'remove' | 'undeclared';

/** How a schedule, event trigger or HTTP start in Temporal differs from the files. */
export interface Change {
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
  /** Path of another file that currently owns it and would lose it. Null if none is known. */
  takenFrom: string | null;
}

export interface PlannedChange<C extends Change, Entry> {
  change: C;
  /** What to write. Null unless it is created or updated. */
  write: Entry | null;
  /** Id in Temporal of what to remove. Null if nothing is removed. */
  remove: string | null;
}

const acts = { create: 'created', update: 'changed', remove: 'removed' } as const;

/** Applies and records a change, if there is one. @throws NotRecordedError before the change; errors of `calls` */
export async function applyAndRecord<Entry>(
  auditLog: AuditLog,
  subject: Pick<RecordedAction, 'subject' | 'name' | 'pipeline'>,
  { change: { change, file, fields }, write, remove }: PlannedChange<Change, Entry>,
  reason: string | undefined,
  calls: { write: (entry: Entry) => Promise<void>; remove: (id: string) => Promise<void> },
): Promise<void> {
  if (change === 'unchanged' || change === 'undeclared') return;
  const act = { what: acts[change], ...subject, details: { file, fields } };
  await withAuditRecord(auditLog, { ...act, ...omitUndefined({ reason }) }, async () => {
    if (write !== null) await calls.write(write);
    if (remove !== null) await calls.remove(remove);
  });
}
