// Storage locations of production files and preview pictures.
import { stat } from 'node:fs/promises';
import type { StorageHandlers } from '../context/storage-location.ts';
import { fileKeyOf } from '../sheets/file-key.ts';
import { createPdf } from '../sheets/pdf/document.ts';
import { createFileOnce } from '../state/file-cache.ts';

export const productionLocations: Readonly<Record<string, StorageHandlers>> = {
  'production-files': {
    requiresSignature: true,
    find: async ({ store, files, pictures }, id, key) => {
      const file = store.productionFiles.get(id);
      if (!file || fileKeyOf(file) !== key) return undefined;
      const attachment = key.slice(key.lastIndexOf('/') + 1);
      const path = files.path(key);
      const make = () => createPdf(file, (name) => pictures.path(name));
      return { path, bytes: await createFileOnce(path, make), attachment };
    },
  },
  'production-pictures': {
    requiresSignature: true,
    find: async ({ pictures }, _id, key) => {
      // Only names that the sandbox has generated are accepted, because the name becomes part of a path.
      const name = /\/((?:decal-)?[0-9a-f]{40,64}\.[a-z]+)$/.exec(key)?.[1];
      if (name === undefined) return undefined;
      const path = pictures.path(name);
      const pdfStats = await stat(path).catch(() => undefined);
      return pdfStats ? { path, bytes: pdfStats.size } : undefined;
    },
  },
};
