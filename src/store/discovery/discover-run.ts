// The discovery of a run: finds its assets, writes its manifest once, brings touched records up to date.
import type { Connector } from '../../connectors/connector.ts';
import type { Discovery, RunWarning } from '../../plan/contract.ts';
import type { Sharing } from '../../plan/shares.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import type { Hold } from '../claims/hold.ts';
import type { LastRun } from '../runs/last-run.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { RunStore } from '../runs/run-store.ts';
import { canariesFirst } from './canaries-first.ts';
import { type DiscoverAssetsInput, type Discovered, discoverAssets } from './discover.ts';
import { groupingWarnings } from './grouping-warnings.ts';
import { removedWarnings } from './removed-cells.ts';
import { type TouchedAsset, type VerifyInput, verifyUnchanged } from './verify.ts';

/** Files that a warning names. */
const filesShown = 5;

/** What the store itself does not know. */
export type DiscoverySource = Pick<
  DiscoverAssetsInput,
  'lister' | 'node' | 'keyOf' | 'again' | 'signal' | 'grid' | 'category'
> & {
  /** Where files were delivered to, for a look at their content as well; absent: looks are believed. */
  verify?: { destination: Connector | null };
};

/** Finds the assets of a run without writing anything: what `renderline plan` shows. */
export async function previewDiscovery(
  store: RunStore,
  source: DiscoverySource,
): Promise<Discovered> {
  return look(store, source, {});
}

/** @param writing what a run brings up to date as it looks */
async function look(
  store: RunStore,
  { verify, ...source }: DiscoverySource,
  writing: Pick<VerifyInput, 'learn' | 'pages'>,
): Promise<Discovered> {
  const [index, claimed] = await Promise.all([
    store.records.index(source.signal),
    store.claims.names(source.signal),
  ]);
  const { recipe } = store.context;
  const { records, refs } = store;
  const input = { ...source, ...writing, recipe, index, claimed, records, refs };
  if (!verify) return discoverAssets(input);
  return discoverAssets({
    ...input,
    verify: (unchanged) => verifyUnchanged(unchanged, { ...input, ...verify }),
  });
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
      hold?: Hold;
      /** A look at a file that the canary would take; absent where the root lists no files. */
      isBroken?: (asset: ManifestAsset) => Promise<boolean>;
    },
): Promise<Discovery> {
  const standing = await store.manifest.discovery();
  if (standing) return standing;
  const learn = async ({ record, source: now, previous }: TouchedAsset) => {
    await source.hold?.();
    const { schema: _schema, ...kept } = record;
    await store.records.write({ ...kept, source: now }, previous);
  };
  const found = await look(store, source, { learn, pages: store.verified });
  await source.check?.(found);
  const { assets, counts, refused, grouping } = found;
  const { shardSize, canary, category = null } = source;
  const ordered = canary ? await canariesFirst(assets, canary.assets, source.isBroken) : assets;
  await source.hold?.();
  // A run that was cancelled while it looked has found nothing.
  source.signal?.throwIfAborted();
  // Before the manifest, whose presence says that all of this was done. A rerun is no new state of the pipeline.
  await store.parameterSets.keep(source.parameters);
  if (!source.again) await store.keepLastRun({ parameters: source.parameters, counts });
  const warnings = source.again
    ? stillWritten(found.later, source.node)
    : [
        ...(grouping ? groupingWarnings(grouping, source.node) : []),
        ...removedWarnings(found.removed, source.node),
      ];
  return store.manifest.write({
    assets: ordered,
    lineage: store.context.lineage,
    shardSize,
    ...withoutUndefined({ canary }),
    category,
    counts: { ...counts, ...(warnings.length > 0 ? { warnings } : {}) },
    refused,
  });
}

/** Nobody waits for the next run of what was asked for by name. */
function stillWritten(later: readonly string[], node: string): RunWarning[] {
  if (later.length === 0) return [];
  const more = later.length > filesShown ? ` and ${later.length - filesShown} more` : '';
  const few = later.slice(0, filesShown).join(', ');
  const message = `not taken, since still being written: ${few}${more}; rerun once they are whole`;
  return [{ key: node, message }];
}
