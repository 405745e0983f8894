// What a storage key stands for: where a PUT goes, and which file a GET gives. Keys are `kind/id/file`.
import { libraryPlaces } from './library/storage.ts';
import { landFile } from './model-intake.ts';
import { modelStatus } from './model-state.ts';
import type { Sandbox } from './sandbox.ts';
import type { FoundFile, StoragePlace, UploadPlace } from './storage-place.ts';

const models: StoragePlace = {
  upload: (sandbox, id, key) => {
    const model = sandbox.store.models.get(id);
    if (model?.uploadKey !== key) return undefined;
    return { land: (stored) => landFile(sandbox, model, stored) };
  },
  find: ({ store, files, options }, id, key) => {
    const model = store.models.get(id);
    if (model?.uploadKey !== key || !model.file || model.file.tooLarge) return undefined;
    if (modelStatus(model, options.clock()) === 'UPLOADING') return undefined;
    return { path: files.path(key), bytes: model.file.bytes };
  },
};

const renders: StoragePlace = {
  find: (sandbox, id) => {
    const output = sandbox.renders.output(id)?.output;
    if (!output?.file || output.bytes === undefined) return undefined;
    return { path: sandbox.pictures.path(output.file), bytes: output.bytes };
  },
};

const places: Readonly<Record<string, StoragePlace>> = { models, renders, ...libraryPlaces };

function placeOf(key: string): { place: StoragePlace | undefined; id: string } {
  const [kind = '', id = ''] = key.split('/');
  return { place: Object.hasOwn(places, kind) ? places[kind] : undefined, id };
}

/** Where a PUT under this key goes, or undefined. */
export function uploadPlace(sandbox: Sandbox, key: string): UploadPlace | undefined {
  const { place, id } = placeOf(key);
  return place?.upload?.(sandbox, id, key);
}

/** The file under this key, or undefined. Pictures are drawn when they are first asked for. */
export async function findFile(sandbox: Sandbox, key: string): Promise<FoundFile | undefined> {
  const { place, id } = placeOf(key);
  return place?.find?.(sandbox, id, key);
}
