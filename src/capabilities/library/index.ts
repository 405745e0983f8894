import { defineCapability } from '../../machinery/capability.ts';
import { cleanLibrary } from './clean.ts';
import { libraryFailures } from './failures.ts';
import { libraryComplete, libraryImport } from './library-import.ts';

import { libraryRefs } from './refs.ts';

/** Files become props, decals and materials. */
export const library = defineCapability({
  name: 'library',
  nodes: [libraryImport],
  steps: [libraryComplete],
  reads: [
    [
      'propId',
      (client, { propId = '' }, options) => client.getProp({ params: { propId } }, options),
      ['propId', 'itemReady'],
    ],
    [
      'decalId',
      (client, { decalId = '' }, options) => client.getDecal({ params: { decalId } }, options),
      ['decalId', 'itemReady'],
    ],
    [
      'materialId',
      (client, { materialId = '' }, options) =>
        client.getMaterial({ params: { materialId } }, options),
      ['materialId', 'itemReady'],
    ],
  ],
  clean: cleanLibrary,
  refs: libraryRefs,
  failures: [libraryFailures],
});
