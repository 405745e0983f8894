// Checks which orphaned library items still exist.
import type { Cleaner } from '../../engine/feature.ts';
import { libraryKinds } from './library-kinds.ts';
import { pollItems, watchedItemId } from './library-status-poller.ts';

export const libraryCleaner: Cleaner = {
  kinds: libraryKinds,
  async check(client, orphans, { scope }) {
    const items = orphans.flatMap((orphan) => {
      const kind = libraryKinds.find((one) => one === orphan.kind);
      return kind === undefined ? [] : [{ kind, id: orphan.id, orphan }];
    });
    const results = await pollItems(client, items, { priority: 'status', scope });
    // An item whose status is unknown may exist.
    const isThere = (item: (typeof items)[number]) => results.get(watchedItemId(item)) !== null;
    return { existing: items.filter(isThere).map(({ orphan }) => orphan), inUse: [] };
  },
};
