// Document numbers and response bodies of production files.

import type { ProductionFile } from 'renderline/api/operations/production';
import type { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { fileKeyOf } from '../sheets/file-key.ts';
import type { ProductionFileRecord } from '../state/production-records.ts';
import type { ModelRecord } from '../state/records.ts';
import { buildSheet, type SheetInput } from './sheets.ts';

/** The user that owns the sandbox's API key. */
const apiUser = 'user-api';

/** Builds and stores a file from the current state of the workspace. */
export function createFile(sandbox: Sandbox, input: SheetInput): ProductionFileRecord {
  const { store } = sandbox;
  const { model, variants, nowMs } = input;
  const sheet = buildSheet(sandbox, input);
  const { number, versions } = takeNextVersion(
    sandbox,
    model.id,
    variants.map(({ id }) => id),
  );
  return store.productionFiles.insert({
    id: store.newId('production file'),
    modelId: model.id,
    documentNumber: number,
    version: versions,
    createdAt: nowMs,
    sheet,
  });
}

/** The same set of variants of a model keeps its document number. Another set receives the next number. */
function takeNextVersion({ store }: Sandbox, modelId: string, variantIds: readonly string[]) {
  const variantSet = [...variantIds].sort().join(' ');
  const existingDocument = store.documents.all.find(
    (document) => document.modelId === modelId && document.variantSet === variantSet,
  );
  if (existingDocument) {
    store.documents.update(existingDocument, { versions: existingDocument.versions + 1 });
    return existingDocument;
  }
  const number = `PF-${String(store.documents.size + 1).padStart(5, '0')}`;
  return store.documents.insert({
    id: store.newId('document'),
    number,
    modelId,
    variantSet,
    versions: 1,
  });
}

export function toFileItem(
  { links }: Sandbox,
  file: ProductionFileRecord,
  origin: string,
  nowMs: number,
): z.input<typeof ProductionFile> {
  return {
    id: file.id,
    modelId: file.modelId,
    documentNumber: file.documentNumber,
    version: file.version,
    variantIds: file.sheet.variants.map(({ id }) => id),
    variantNames: file.sheet.variants.map(({ name }) => name),
    createdAt: new Date(file.createdAt).toISOString(),
    createdByUserId: apiUser,
    downloadUrl: links.sign('GET', origin, fileKeyOf(file), nowMs),
  };
}

/** Deletes captures, exports and files of a deleted model. Their document numbers are not reused. */
export async function deleteProductionFiles(
  { store, files, openExports }: Sandbox,
  { id: modelId }: ModelRecord,
): Promise<void> {
  const isOfModel = (record: { readonly modelId: string }) => record.modelId === modelId;
  for (const { id } of store.captures.all.filter(isOfModel)) store.captures.remove(id);
  for (const { id } of store.exports.all.filter(isOfModel)) {
    openExports.delete(id);
    store.exports.remove(id);
  }
  for (const file of store.productionFiles.all.filter(isOfModel)) {
    store.productionFiles.remove(file.id);
    await files.remove(fileKeyOf(file));
  }
}
