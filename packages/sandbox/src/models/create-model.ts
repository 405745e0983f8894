// Creates models and records their uploaded files.

import type { ModelCreationItem } from 'renderline/api/operations/models';
import type { z } from 'zod';
import { chooseDuration } from '../context/durations.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { checkUploaded, createLibraryFile, isSameContent } from '../context/uploaded-file.ts';
import { nameOfFile } from '../files/file-names.ts';
import { emptyInspection, inspectModel } from '../files/model-inspection.ts';
import type { StoredFile } from '../state/files.ts';
import type { ModelRecord } from '../state/records.ts';
import { assertWithinStorage } from '../workspace/plan-limits.ts';

/** Duration of processing at speed 1. */
const processMs = { min: 2000, max: 6000 };

type CreationItem = z.output<typeof ModelCreationItem>;

/** Creates the records of several models. Those that a fault rule refuses are returned as errors. */
export function createModels(
  sandbox: Sandbox,
  items: readonly CreationItem[],
  nowMs: number,
): { models: ModelRecord[]; errors: string[] } {
  const models: ModelRecord[] = [];
  const errors: string[] = [];
  for (const item of items) {
    const name = nameOf(item);
    const fault = sandbox.faults.faultFor('model', name);
    if (fault.refuse === undefined) models.push(insertModel(sandbox, item, name, fault, nowMs));
    else errors.push(`${name}: ${fault.refuse}`);
  }
  return { models, errors };
}

/** Creates the record of a model that the platform downloads itself. */
export function createImport(
  sandbox: Sandbox,
  item: CreationItem,
  url: string,
  nowMs: number,
): ModelRecord {
  const name = nameOf(item);
  const model = insertModel(sandbox, item, name, sandbox.faults.faultFor('model', name), nowMs);
  sandbox.store.models.update(model, { importedFrom: { url } });
  return model;
}

function nameOf(item: CreationItem): string {
  return item.name || (item.fileName ? nameOfFile(item.fileName) : '') || 'Untitled model';
}

function insertModel(
  sandbox: Sandbox,
  item: CreationItem,
  name: string,
  fault: { failure?: string | undefined; durationMs?: number | undefined },
  nowMs: number,
): ModelRecord {
  const { store, stats } = sandbox;
  const id = store.newId('model');
  stats.created('models', item.fileName ?? name);
  return store.models.insert({
    id,
    name,
    fileType: item.fileType,
    category: item.category ?? '',
    fileName: item.fileName,
    declaredBytes: item.fileSize,
    createdAt: nowMs,
    uploadKey: `models/${id}/source.${item.fileType}`,
    processMs: fault.durationMs ?? chooseDuration(sandbox, processMs, 'model'),
    plannedFailure: fault.failure,
  });
}

/**
 * Records an uploaded file and starts processing. The same content changes nothing. Other content restarts processing.
 */
export async function recordUploadedFile(
  sandbox: Sandbox,
  model: ModelRecord,
  storedFile: StoredFile,
): Promise<void> {
  const { store, files } = sandbox;
  if (isSameContent(model.file, storedFile)) return;
  const inspection = storedFile.tooLarge
    ? emptyInspection
    : await inspectModel(files.path(model.uploadKey), model.fileType, storedFile.content);
  const problem = model.plannedFailure ?? inspection.problem;
  store.models.update(model, {
    file: {
      ...createLibraryFile(sandbox, storedFile, problem),
      variants: inspection.variantNames.map((name) => ({ id: store.newId('variant'), name })),
      materials: inspection.materialNames,
    },
  });
  store.flush();
  sandbox.events.modelEndChanged(model);
}

/** Confirms an upload. @throws ApiFailure FILE_NOT_UPLOADED, MODEL_FILE_TOO_LARGE, STORAGE_LIMIT_REACHED */
export function confirmUpload(sandbox: Sandbox, model: ModelRecord, nowMs: number): void {
  checkUploaded(sandbox, `model ${model.id} (${model.name})`, model.file);
  if (model.confirmedAt !== undefined) return;
  assertWithinStorage(sandbox);
  sandbox.store.models.update(model, { confirmedAt: nowMs });
}
