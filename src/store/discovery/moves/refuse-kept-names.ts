// Refuses new assets whose file names belong to delivered assets that the run neither lists nor withdraws.
import { assetFailures } from '../../../failures/assets.ts';
import type { Failure } from '../../../plan/types.ts';
import type { ClaimedKeys } from '../../claims/claims.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { decodeKey, encodeKey } from '../../objects/object-name.ts';
import { isCell, isRowOrCell, modelKeyOf } from '../../records/cell-keys.ts';
import type { AssetRecord, RecordIndex } from '../../records/records.ts';
import { findWithdrawal } from '../../records/withdrawal-state.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { sourceFailure } from '../asset-keys.ts';
import type { DiscoveredAssets } from '../discover.ts';
import { modelsOf } from '../grid/removed-cells.ts';
import { sourceIdOf } from '../listed-source.ts';
import { mayHaveName, PlannedPaths, type PlanPaths } from '../planned-paths.ts';
import type { MissingSources } from './missing-sources.ts';

interface RefusalInput extends Listing {
  node: string;
  planPaths?: PlanPaths | undefined;
  /** True if only the data of assets shows whether their file names differ. */
  comparesAllNames?: true | undefined;
}

interface Listing {
  index: RecordIndex;
  claimed: ClaimedKeys;
  /** True for the key of a listed asset or of a listed model. */
  isListed: (key: string) => boolean;
  /** True if the record's run listed the same location, and the file is not there any longer. */
  isGone: (record: AssetRecord) => Promise<boolean>;
  /** Describes the destination of a connector, as in the owners of paths. */
  describe: (connector: string) => string | undefined;
  /** The assets that the run withdraws. New assets may take over their file names. */
  missingSources: MissingSources;
  signal?: AbortSignal | undefined;
}

interface Clash {
  path: string;
  /** Key of the asset that keeps the path. */
  holder: string;
  reason: string;
}

/** Otherwise, these assets would fail at their delivery, after they were paid for. */
export async function refuseKeptNames(
  store: RunStore,
  findings: DiscoveredAssets,
  { node, planPaths, comparesAllNames, ...listing }: RefusalInput,
): Promise<DiscoveredAssets> {
  const newAssets = findings.assets.filter(
    (asset) => isNew(asset) && (comparesAllNames || isRowOrCell(asset)),
  );
  if (!planPaths || newAssets.length === 0) return findings;
  const names = new PlannedPaths(planPaths);
  for (const asset of newAssets) names.take(asset);
  const clashes = new Map<string, Clash>();
  const findClashes = async (record: AssetRecord) => {
    for (const [owner, clash] of await findKeptPaths(store, record, names, listing))
      clashes.set(owner, clash);
  };
  // Otherwise, the names contain the key or the model, so that only cells of one model can have the same.
  const models = comparesAllNames ? null : new Set(newAssets.map(modelKeyOf));
  const unlisted = await readUnlisted(store, models, listing);
  await mapBounded(unlisted, findClashes, { signal: listing.signal });
  const refused: Failure[] = [];
  const refusedKeys = new Set<string>();
  for (const asset of newAssets) {
    const clash = clashes.get(asset.key) ?? clashes.get(modelKeyOf(asset));
    if (clash === undefined) continue;
    const message = `"${asset.key}" would write the file "${clash.path}", which belongs to "${clash.holder}". ${clash.reason}`;
    refusedKeys.add(asset.key);
    const id = sourceIdOf(asset.source);
    refused.push(sourceFailure(assetFailures.OUTPUT_PATH_TAKEN, id, node, message));
  }
  const { counts } = findings;
  return {
    ...findings,
    assets: findings.assets.filter(({ key }) => !refusedKeys.has(key)),
    refused: [...findings.refused, ...refused],
    refusedCells: [
      ...findings.refusedCells,
      ...newAssets.filter((asset) => refusedKeys.has(asset.key) && isCell(asset)),
    ],
    classified: findings.classified.filter(({ key }) => !refusedKeys.has(key)),
    counts: { ...counts, new: counts.new - refused.length },
  };
}

/** Finds the paths that an asset keeps although a new asset wants them, by the key that wants the path. */
async function findKeptPaths(
  { pathOwners }: Pick<RunStore, 'pathOwners'>,
  record: AssetRecord,
  names: PlannedPaths,
  { claimed, isListed, isGone, describe }: Listing,
): Promise<Map<string, Clash>> {
  const { key: holder, files, source } = record;
  const wanted = names.findTaken(record);
  if (wanted.length === 0) return new Map();
  const isRemoved = source.rowKey !== undefined || (isCell(record) && isListed(modelKeyOf(record)));
  const isMissing = !isRemoved && !claimed.has(encodeKey(holder)) && (await isGone(record));
  const until = 'but its files keep their names until it is withdrawn (`withdrawn` of the export)';
  const reason = isRemoved
    ? `This row or cell no longer exists, ${until}`
    : isMissing
      ? `Its source no longer exists, ${until}`
      : 'This run does not list its source, which may still exist; use other file names, for example with {{ key }} in `naming`';
  const isFree = isMissing && !isCell(record);
  const kept = wanted.filter(({ keepsOldFiles = false }) => keepsOldFiles || !isFree);
  const clashes = new Map<string, Clash>();
  for (const { connector, path, owner } of kept) {
    const destination = describe(connector);
    for (const file of files) {
      if (destination === undefined || !mayHaveName(file, path)) continue;
      if ((await pathOwners.ownerOf({ destination, path: file.path })) === holder)
        clashes.set(owner, { path, holder, reason });
    }
  }
  return clashes;
}

function isNew({ reason, previous, moved }: RunAsset): boolean {
  return (reason === 'new' || reason === 'retry') && previous === undefined && !moved;
}

/** @param models reads only records that may belong to these models. Null for all */
async function readUnlisted(
  { records }: RunStore,
  models: ReadonlySet<string> | null,
  { index, isListed, missingSources, signal }: Listing,
): Promise<AssetRecord[]> {
  const withdrawnKeys = new Set(missingSources.records.map(({ record }) => record.key));
  const absent = [...index.entries()].filter((entry) => {
    if (findWithdrawal(entry) === 'withdrawn') return false;
    const key = decodeKey(entry.key);
    if (key === null) return true;
    return !isListed(key) && (!models || modelsOf(key).some((model) => models.has(model)));
  });
  const read = await mapBounded(absent, ({ name }) => records.read(name), { signal });
  return read.flatMap((record) =>
    record && !isListed(record.key) && !withdrawnKeys.has(record.key) ? record : [],
  );
}
