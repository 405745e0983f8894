// Storage locations of the files of props, decals and materials.
import {
  type ServedFile,
  type StorageHandlers,
  toUploadTarget,
} from '../context/storage-location.ts';
import type { LibraryFile } from '../state/library-records.ts';
import { recordDecalFile } from './decals.ts';
import { recordTexture, texturesOf } from './materials.ts';
import { recordPropFile } from './props.ts';
import { drawMaterialThumbnail, drawPropThumbnail } from './thumbnails.ts';

function toFoundFile(path: string, file: LibraryFile | undefined): ServedFile | undefined {
  return file && !file.tooLarge ? { path, bytes: file.bytes } : undefined;
}

const props: StorageHandlers = {
  upload: (sandbox, id, key) =>
    toUploadTarget(sandbox, sandbox.store.props.get(id), key, recordPropFile),
  find: (sandbox, id, key) => {
    const prop = sandbox.store.props.get(id);
    if (!prop) return undefined;
    if (key === `props/${id}/thumbnail.png`) return drawPropThumbnail(sandbox, prop);
    return prop.uploadKey === key ? toFoundFile(sandbox.files.path(key), prop.file) : undefined;
  },
};

const decals: StorageHandlers = {
  upload: (sandbox, id, key) =>
    toUploadTarget(sandbox, sandbox.store.decals.get(id), key, recordDecalFile),
  find: ({ store, files }, id, key) => {
    const decal = store.decals.get(id);
    return decal?.uploadKey === key ? toFoundFile(files.path(key), decal.file) : undefined;
  },
};

const materials: StorageHandlers = {
  upload: (sandbox, id, key) => {
    const material = sandbox.store.materials.get(id);
    const texture = material && texturesOf(material).find(([, { uploadKey }]) => uploadKey === key);
    if (!texture || texture[1].generated) return undefined;
    const { name } = material;
    return { name, recordFile: (file) => recordTexture(sandbox, material, texture[0], file) };
  },
  find: (sandbox, id, key) => {
    const material = sandbox.store.materials.get(id);
    if (!material) return undefined;
    if (key === `materials/${id}/thumbnail.png`) return drawMaterialThumbnail(sandbox, material);
    const texture = texturesOf(material).find(([, { uploadKey }]) => uploadKey === key);
    return texture && toFoundFile(sandbox.files.path(key), texture[1].file);
  },
};

export const libraryLocations = { props, decals, materials };
