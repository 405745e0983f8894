// The discovery of a run: finds its assets, writes its manifest once, brings touched records up to date.

import type { Discovery } from '../plan/contract.ts';
import type { Sharing } from '../plan/shares.ts';
import { mapBounded } from './bounded.ts';
import { type DiscoverAssetsInput, type Discovered, discoverAssets } from './discover.ts';
import { groupingWarnings } from './grouping-warnings.ts';
import type { LastRun } from './last-run.ts';
import type { RunStore } from './run-store.ts';

/** What the store itself does not know. */
export type DiscoverySource = Pick<DiscoverAssetsInput, 'lister' | 'node' | 'keyOf' | 'signal'>;

/** Finds the assets of a run without writing anything: what `renderline plan` shows. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<Discovered> {
  const [index, claimed] = await Promise.all([
    store.records.index(source.signal),
    store.claims.names(source.signal),
  ]);
  const { recipe } = store.context;
  const { records } = store;
  return discoverAssets({ ...source, recipe, index, claimed, records });
}

/** Finds the assets of a run and writes its manifest. A second call answers what the first one found. */
export async function discoverRun(
  store: RunStore,
  source: DiscoverySource &
    Sharing & {
      category?: string | null;
      parameters: LastRun['parameters'];
      /** Throws when what was found must not be begun; nothing is written then. */
      check?: (found: Discovered) => Promise<void>;
    },
): Promise<Discovery> {
  const standing = await store.manifest.discovery();
  if (standing) return standing;
  const found = await previewDiscovery(store, source);
  await source.check?.(found);
  const { assets, counts, refused, touched, grouping } = found;
  await mapBounded(touched, async ({ record, source: now, previous }) => {
    const { schema: _schema, ...kept } = record;
    await store.records.write({ ...kept, source: now }, previous);
  });
  const { shardSize, canary, category = null } = source;
  // Before the manifest, whose presence says that all of this was done.
  await store.keepLastRun({ parameters: source.parameters, counts });
  const warnings = grouping ? groupingWarnings(grouping, source.node) : [];
  return store.manifest.write({
    assets,
    shardSize,
    ...(canary ? { canary } : {}),
    category,
    counts: { ...counts, refused, ...(warnings.length > 0 ? { warnings } : {}) },
  });
}
