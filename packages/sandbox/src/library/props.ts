// Creates props, records their uploaded files and confirms them.

import { fileType as bareExtension } from 'renderline/api/contract/schemas';
import type { Prop, PropCreationItem } from 'renderline/api/operations/props';
import type { z } from 'zod';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { checkUploaded, createLibraryFile, isSameContent } from '../context/uploaded-file.ts';
import { cleanName, findExtension } from '../files/file-names.ts';
import { inspectModel } from '../files/model-inspection.ts';
import type { StoredFile } from '../state/files.ts';
import type { PropRecord } from '../state/library-records.ts';
import { propStatusOf } from '../status/library-items.ts';
import { assertWithinStorage } from '../workspace/plan-limits.ts';
import { ensureCollection } from './collections.ts';

/** Duration of processing at speed 1. */
const processMs = { min: 2000, max: 6000 };

/** Creates the record of one item. All its fields are optional, so the file type may be unknown. */
export function createProp(
  sandbox: Sandbox,
  item: z.output<typeof PropCreationItem>,
  nowMs: number,
): PropRecord {
  const { store } = sandbox;
  const { fileName = '' } = item;
  const result = bareExtension.safeParse(findExtension(fileName));
  const fileType = item.fileType ?? (result.success ? result.data : null);
  const id = store.newId('prop');
  return store.props.insert({
    id,
    name: item.name?.trim() || cleanName(fileName) || 'Untitled prop',
    source: 'uploaded',
    fileType,
    uploadKey: `props/${id}/source${fileType === null ? '' : `.${fileType}`}`,
    declaredBytes: item.fileSize,
    collectionId: ensureCollection(sandbox, item.collection, nowMs),
    createdAt: nowMs,
    processMs: chooseDuration(sandbox, processMs, 'prop'),
  });
}

/** Records an uploaded file. Changed content must be confirmed again. */
export async function recordPropFile(
  sandbox: Sandbox,
  prop: PropRecord,
  storedFile: StoredFile,
): Promise<void> {
  if (isSameContent(prop.file, storedFile)) return;
  const path = sandbox.files.path(prop.uploadKey);
  const { problem } = storedFile.tooLarge
    ? {}
    : await inspectModel(path, prop.fileType ?? '', storedFile.content);
  sandbox.store.props.update(prop, {
    file: createLibraryFile(sandbox, storedFile, problem),
    confirmedAt: undefined,
  });
  sandbox.store.flush();
}

/**
 * Confirms the file of an uploaded prop. A prop of the catalog needs no confirmation.
 * @throws ApiFailure FILE_NOT_UPLOADED, MODEL_FILE_TOO_LARGE, STORAGE_LIMIT_REACHED
 */
export function confirmPropFile(sandbox: Sandbox, prop: PropRecord, nowMs: number): void {
  if (prop.source === 'catalog' || prop.confirmedAt !== undefined) return;
  checkUploaded(sandbox, `prop ${prop.id} (${prop.name})`, prop.file);
  assertWithinStorage(sandbox);
  sandbox.store.props.update(prop, { confirmedAt: nowMs });
}

/** Creates the response body of a prop. */
export function toPropItem(prop: PropRecord, origin: string, nowMs: number): z.input<typeof Prop> {
  const status = propStatusOf(prop, nowMs);
  return {
    propId: prop.id,
    name: prop.name,
    status,
    source: prop.source,
    fileType: prop.fileType,
    fileSize: prop.file?.bytes ?? prop.declaredBytes ?? null,
    collectionId: prop.collectionId ?? null,
    thumbnailUrl: status === 'READY' ? `${origin}/cdn/props/${prop.id}/thumbnail.png` : null,
    createdAt: new Date(prop.createdAt).toISOString(),
  };
}
