// Deletes captures, exports and files of a deleted model. Their document numbers are not reused.

import type { Sandbox } from '../context/sandbox.ts';
import { fileKey } from '../sheets/file-key.ts';
import type { ModelRecord } from '../state/records.ts';

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
    await files.remove(fileKey(file));
  }
}
