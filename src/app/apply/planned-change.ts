// Changes that make Temporal match the files: what all of them share, how they are planned and how they are made.
import type { Client } from '@temporalio/client';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { type AuditLog, withAuditRecord } from '../../temporal/audit/record-action.ts';
import { compareFacts, type Facts, type FieldChange } from '../schedules/schedule-facts.ts';
import type { ReadPipeline } from './applied-files.ts';

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

/** A change of the event trigger or of the HTTP start of a pipeline. */
export interface PipelineChange extends Change {
  pipeline: string;
}

export interface PlannedChange<C extends Change = PipelineChange> {
  change: C;
  /** Makes the change in Temporal. Not called if nothing changes. */
  make: (client: Client) => Promise<void>;
}

/** `prune` is true if undeclared entries of pipelines in no given file are removed. Null ignores these entries. */
export type UndeclaredPolicy = { prune: boolean } | null;

/** @param live what Temporal has. Null if there is nothing yet */
export function compareWithFile(
  live: { facts: Facts; owner: string | null } | null,
  { file, path, facts }: { file: string; path: string; facts: Facts },
): Change {
  const fields = compareFacts(live && live.facts, facts);
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  const takenFrom = change === 'update' ? findOtherOwner(live?.owner ?? null, path) : null;
  return { change, file, fields, takenFrom };
}

/**
 * Plans the change to something that no applied file declares. It is always removed if `replacement` is given, because
 * that file contains its pipeline but no longer declares it.
 * @param isOfFiles true if it belongs to one of the applied files, whose pipeline may since have been renamed
 * @returns null if the policy ignores it
 */
export function planUndeclared(
  owner: string | null,
  replacement: Pick<ReadPipeline, 'file' | 'path'> | null,
  isOfFiles: boolean,
  policy: UndeclaredPolicy,
): Change | null {
  if (replacement === null && policy === null && !isOfFiles) return null;
  return {
    change: replacement !== null || policy?.prune === true ? 'remove' : 'undeclared',
    file: replacement?.file ?? null,
    fields: [],
    takenFrom: replacement && findOtherOwner(owner, replacement.path),
  };
}

function findOtherOwner(owner: string | null, path: string): string | null {
  return owner === path ? null : owner;
}

const acts = { create: 'created', update: 'changed', remove: 'removed' } as const;

/** Makes and records a change, if there is one. @throws NotRecordedError before the change; errors of `make` */
export async function applyChange(
  auditLog: AuditLog,
  subject: Pick<RecordedAction, 'subject' | 'name' | 'pipeline'>,
  { change: { change, file, fields }, make }: PlannedChange<Change>,
  reason?: string,
): Promise<void> {
  if (change === 'unchanged' || change === 'undeclared') return;
  const act = { what: acts[change], ...subject, details: { file, fields } };
  await withAuditRecord(auditLog, { ...act, ...omitUndefined({ reason }) }, () =>
    make(auditLog.client),
  );
}
