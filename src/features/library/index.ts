import { defineFeature } from '../../engine/feature.ts';
import { libraryCleaner } from './clean-library.ts';
import { libraryFailures } from './failures.ts';
import { libraryComplete, libraryImport } from './library-import.ts';

import { libraryIdSlice } from './platform-ids.ts';

/** Files become props, decals and materials. */
export const library = defineFeature({
  name: 'library',
  nodes: [libraryImport],
  steps: [libraryComplete],
  existenceChecks: [
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
  cleaner: libraryCleaner,
  idRules: libraryIdSlice,
  failures: [libraryFailures],
});
