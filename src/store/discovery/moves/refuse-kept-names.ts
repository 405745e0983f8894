// Refuses new assets whose file names belong to delivered rows or cells that no longer exist and are not withdrawn.
import { assetFailures } from '../../../failures/assets.ts';
import type { Failure } from '../../../plan/types.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { decodeKey } from '../../objects/object-name.ts';
import { isCell } from '../../records/cell-keys.ts';
import type { AssetRecord, RecordIndex } from '../../records/records.ts';
import { findWithdrawal } from '../../records/withdrawal-state.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { sourceFailure } from '../asset-keys.ts';
import type { DiscoveredAssets } from '../discover.ts';
import { sourceIdOf } from '../listed-source.ts';
import { PlannedPaths, type PlanPaths } from '../planned-paths.ts';
import type { MissingSources } from './missing-sources.ts';

interface Listing {
  node: string;
  planPaths?: PlanPaths | undefined;
  index: RecordIndex;
  /** True for the key of a listed asset or of a listed model. */
  isListed: (key: string) => boolean;
  /** The assets that the run withdraws. New assets may take over their file names. */
  missingSources: MissingSources;
  signal?: AbortSignal | undefined;
}

/** Otherwise, these assets would fail at their delivery, after they were paid for. */
export async function refuseKeptNames(
  store: RunStore,
  findings: DiscoveredAssets,
  { node, planPaths, missingSources, ...listing }: Listing,
): Promise<DiscoveredAssets> {
  const canClash = findings.assets.some((asset) => isNew(asset) && isRowOrCell(asset));
  if (!planPaths || !canClash) return findings;
  const withdrawnKeys = new Set(missingSources.records.map(({ record }) => record.key));
  const names = new PlannedPaths(planPaths);
  for (const record of await readRemoved(store, listing)) {
    if (!withdrawnKeys.has(record.key)) names.takeDelivered(record);
  }
  const refused: Failure[] = [];
  const refusedKeys = new Set<string>();
  const assets = findings.assets.filter((asset) => {
    const clash = isNew(asset) ? names.take(asset) : null;
    if (clash === null) return true;
    const message = `"${asset.key}" would write the file "${clash.path}", which belongs to "${clash.owner}". This row or cell no longer exists, but its files keep their names until it is withdrawn (\`withdrawn\` of the export)`;
    refusedKeys.add(asset.key);
    const id = sourceIdOf(asset.source);
    refused.push(sourceFailure(assetFailures.OUTPUT_PATH_TAKEN, id, node, message));
    return false;
  });
  const { counts } = findings;
  return {
    ...findings,
    assets,
    refused: [...findings.refused, ...refused],
    classified: findings.classified.filter(({ key }) => !refusedKeys.has(key)),
    counts: { ...counts, new: counts.new - refused.length },
  };
}

function isRowOrCell(asset: Pick<RunAsset, 'source' | 'key'>): boolean {
  return isCell(asset) || asset.source.rowKey !== undefined;
}

function isNew({ reason, previous, moved }: RunAsset): boolean {
  return (reason === 'new' || reason === 'retry') && previous === undefined && !moved;
}

async function readRemoved(
  { records }: RunStore,
  { index, isListed, signal }: Pick<Listing, 'index' | 'isListed' | 'signal'>,
): Promise<AssetRecord[]> {
  const absent = [...index.entries()].filter((entry) => {
    const key = decodeKey(entry.key);
    return findWithdrawal(entry) !== 'withdrawn' && (key === null || !isListed(key));
  });
  const read = await mapBounded(absent, ({ name }) => records.read(name), { signal });
  return read.flatMap((record) =>
    record && !isListed(record.key) && isRowOrCell(record) ? record : [],
  );
}
