import { type Cleaner, defineFeature } from '../../engine/feature.ts';
import { libraryFailures } from './failures.ts';
import { libraryComplete, libraryImport } from './library-import.ts';
import { libraryKinds } from './library-kinds.ts';
import { pollItems, watchedItemIdOf } from './library-status-poller.ts';
import { libraryIdRules } from './platform-ids.ts';

const libraryCleaner: Cleaner = {
  kinds: libraryKinds,
  async check(client, orphans, { requestCounter }) {
    const items = orphans.flatMap((orphan) => {
      const kind = libraryKinds.find((libraryKind) => libraryKind === orphan.kind);
      return kind === undefined ? [] : [{ kind, id: orphan.id, orphan }];
    });
    const results = await pollItems(client, items, { priority: 'status', requestCounter });
    // An item whose status is unknown may exist, so it counts as existing.
    const itemExists = (item: (typeof items)[number]) =>
      results.get(watchedItemIdOf(item)) !== null;
    return { existing: items.filter(itemExists).map(({ orphan }) => orphan), inUse: [] };
  },
};

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
  idRules: libraryIdRules,
  failures: [libraryFailures],
});
