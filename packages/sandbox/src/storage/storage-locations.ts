// Finds the storage location of a key (`kind/id/file`) for PUT and GET requests.

import type { Sandbox } from '../context/sandbox.ts';
import {
  type ServedFile,
  type StorageHandlers,
  toUploadTarget,
  type UploadTarget,
} from '../context/storage-location.ts';
import { libraryLocations } from '../library/storage.ts';
import { recordUploadedFile } from '../models/create-model.ts';
import { convertToUsdz } from '../models/usdz.ts';
import { productionLocations } from '../production/storage.ts';
import { drawModelThumbnail, drawOutputThumbnail } from '../renders/thumbnails.ts';
import {
  hasFormat,
  isModelReady,
  modelStatusOf,
  modelThumbnailKeyOf,
  usdzKeyOf,
} from '../status/models.ts';
import { outputKeyOf, thumbnailKeyOf } from '../status/renders.ts';

const models: StorageHandlers = {
  upload: (sandbox, id, key) =>
    toUploadTarget(sandbox, sandbox.store.models.get(id), key, recordUploadedFile),
  find: (sandbox, id, key) => {
    const { store, files, options } = sandbox;
    const model = store.models.get(id);
    if (!model?.file || model.file.tooLarge) return undefined;
    const nowMs = options.clock();
    const status = modelStatusOf(model, nowMs);
    if (key === usdzKeyOf(model)) {
      return hasFormat(model, 'usdz', nowMs) ? convertToUsdz(sandbox, model) : undefined;
    }
    if (key === modelThumbnailKeyOf(model)) {
      return isModelReady(status) ? drawModelThumbnail(sandbox, model) : undefined;
    }
    if (model.uploadKey !== key || status === 'UPLOADING') return undefined;
    return { path: files.path(key), bytes: model.file.bytes };
  },
};

const renders: StorageHandlers = {
  find: (sandbox, id, key) => {
    const output = sandbox.renders.output(id)?.output;
    if (!output?.file || output.bytes === undefined) return undefined;
    if (key === thumbnailKeyOf(output)) return drawOutputThumbnail(sandbox, output);
    if (key !== outputKeyOf(output)) return undefined;
    return { path: sandbox.pictures.path(output.file), bytes: output.bytes };
  },
};

const locations: Readonly<Record<string, StorageHandlers>> = {
  models,
  renders,
  ...libraryLocations,
  ...productionLocations,
};

function findLocation(key: string): { location: StorageHandlers | undefined; id: string } {
  const [kind = '', id = ''] = key.split('/');
  return { location: Object.hasOwn(locations, kind) ? locations[kind] : undefined, id };
}

/** Finds the upload target for this key, or undefined. */
export function findUploadTarget(sandbox: Sandbox, key: string): UploadTarget | undefined {
  const { location, id } = findLocation(key);
  return location?.upload?.(sandbox, id, key);
}

/**
 * Finds the file for this key, or undefined. Some pictures are drawn on first request.
 * @param signed whether the request has a valid signature
 */
export async function findFile(
  sandbox: Sandbox,
  key: string,
  signed: boolean,
): Promise<ServedFile | undefined> {
  const { location, id } = findLocation(key);
  if (location?.requiresSignature === true && !signed) return undefined;
  return location?.find?.(sandbox, id, key);
}
