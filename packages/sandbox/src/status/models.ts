// Computes the status and response bodies of a model from its stored facts.

import type {
  ModelDetail,
  ModelListItem,
  ModelStatus,
  ModelStatusItem,
} from 'renderline/api/operations/models';
import type { z } from 'zod';
import type { ModelRecord } from '../state/records.ts';

/** Returns when processing ends or ended, in epoch milliseconds. Undefined without a file of allowed size. */
export function findProcessedAtMs(model: ModelRecord): number | undefined {
  if (!model.file || model.file.tooLarge) return undefined;
  return model.file.uploadedAt + model.processMs;
}

/** Returns the status at a time. Processing starts at the upload, confirmed or not. */
export function modelStatusOf(model: ModelRecord, nowMs: number): ModelStatus {
  if (model.forcedStatus) return model.forcedStatus;
  if (model.importedFrom?.error) return 'FAILED';
  const end = findProcessedAtMs(model);
  if (end === undefined) return model.importedFrom ? 'UPLOADING' : 'PENDING';
  if (nowMs < end) return 'ANALYZING';
  return model.file?.problem ? 'FAILED' : 'READY';
}

export function isModelReady(status: ModelStatus): boolean {
  return status === 'READY' || status === 'APPROVED';
}

/** Returns the path of the direct link to a model's own file. */
export function modelFilePathOf(model: ModelRecord): string {
  return `/cdn/${model.uploadKey}`;
}

/** True for `source` if a file is stored, and for `glb` and `usdz` if a file of that type is ready. A GLB has both. */
export function hasFormat(
  model: ModelRecord,
  format: 'glb' | 'usdz' | 'source',
  nowMs: number,
): boolean {
  if (!model.file || model.file.tooLarge) return false;
  if (format === 'source') return true;
  const isMade = model.fileType === format || (model.fileType === 'glb' && format === 'usdz');
  return isMade && isModelReady(modelStatusOf(model, nowMs));
}

/** Returns the storage key of the USDZ derivative. */
export function usdzKeyOf({ id }: ModelRecord): string {
  return `models/${id}/model.usdz`;
}

/** Returns the storage key of a format that the model has. */
export function formatKey(model: ModelRecord, format: 'glb' | 'usdz' | 'source'): string {
  return format === 'usdz' && model.fileType !== 'usdz' ? usdzKeyOf(model) : model.uploadKey;
}

export function toModelDetail(
  model: ModelRecord,
  origin: string,
  nowMs: number,
): z.input<typeof ModelDetail> {
  const link = (format: 'glb' | 'usdz') =>
    hasFormat(model, format, nowMs) ? `${origin}/cdn/${formatKey(model, format)}` : '';
  return {
    modelId: model.id,
    name: model.name,
    status: modelStatusOf(model, nowMs),
    category: model.category,
    fileType: model.fileType,
    glbFilePath: link('glb'),
    usdFilePath: link('usdz'),
  };
}

export function toModelListItem(model: ModelRecord, nowMs: number): z.input<typeof ModelListItem> {
  return {
    modelId: model.id,
    name: model.name,
    status: modelStatusOf(model, nowMs),
    category: model.category,
    fileType: model.fileType,
    fileSize: model.file?.bytes ?? model.declaredBytes ?? 0,
    createdAt: new Date(model.createdAt).toISOString(),
  };
}

/** `error` appears only on FAILED models that were imported from a URL. */
export function toModelStatusItem(
  model: ModelRecord,
  nowMs: number,
): z.input<typeof ModelStatusItem> {
  const status = modelStatusOf(model, nowMs);
  const error = model.importedFrom?.error ?? model.file?.problem;
  return {
    modelId: model.id,
    name: model.name,
    status,
    ready: isModelReady(status),
    ...(status === 'FAILED' && model.importedFrom && error ? { error } : {}),
  };
}

/** Returns the path of a model's thumbnail under `/cdn`. */
export function modelThumbnailKeyOf(model: ModelRecord): string {
  return `models/${model.id}/thumbnail.jpeg`;
}
