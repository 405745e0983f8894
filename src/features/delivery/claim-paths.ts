// Claims the paths of files. An asset takes over a path that its previous owner no longer needs (`isPathAbandoned`).

import type { NodeContext } from '../../engine/node-context.ts';
import { foldPath } from '../../language/naming/naming.ts';
import { isSourceMissing } from '../../store/discovery/moves/missing-sources.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { encodeKey } from '../../store/objects/object-name.ts';
import { isRowOrCell } from '../../store/records/cell-keys.ts';
import type { PathOwner } from '../../store/records/path-owners.ts';
import { type AssetRecord, keyPartOf } from '../../store/records/records.ts';

type ClaimContext = Pick<NodeContext, 'store' | 'run' | 'getConnector'>;

interface OwnerRules {
  keepsOldFiles: boolean;
  isWithdrawn: (record: AssetRecord) => Promise<boolean>;
}

/**
 * @param releases paths that their assets no longer need. Null if old files stay, so that an asset loses its paths only
 * if it is withdrawn
 * @returns the owner key of each path, in the same order
 */
export async function claimPaths(
  claims: readonly PathOwner[],
  releases: readonly PathOwner[] | null,
  context: ClaimContext,
): Promise<string[]> {
  const { pathOwners } = context.store;
  const isWithdrawn = createWithdrawalCheck(context);
  const rules = { keepsOldFiles: releases === null, isWithdrawn };
  const holders = await pathOwners.claim(claims, releases ?? []);
  return mapBounded(claims, async (claim, index) => {
    if (holders[index] === claim.key) return claim.key;
    // The path may have no owner any longer, because another worker may have released it.
    const holder = await pathOwners.ownerOf(claim);
    if (holder !== undefined && !(await isPathAbandoned(claim.path, holder, rules, context)))
      return holder;
    const [owner = ''] = await pathOwners.claim([{ ...claim, previousKey: holder ?? '' }]);
    // A withdrawal first claims its asset and then reads who owns the path, so one of the two notices the other.
    return holder !== undefined && (await isAssetInWork(holder, context)) ? holder : owner;
  });
}

/**
 * True if no run is working on the asset `key`, and either its source is missing or its record has no file at the path.
 * False if this is unknown. Only a discovery notices missing rows and cells, so they free their paths only once they are
 * withdrawn. With `keepsOldFiles`, the same holds for all assets.
 */
async function isPathAbandoned(
  path: string,
  key: string,
  { keepsOldFiles, isWithdrawn }: OwnerRules,
  context: ClaimContext,
): Promise<boolean> {
  if (await isAssetInWork(key, context)) return false;
  const record = await context.store.records.find(key);
  if (record === null) return false;
  if (keepsOldFiles) return isWithdrawn(record);
  if (!record.files.some((file) => foldPath(file.path) === foldPath(path))) return true;
  const { store, run, getConnector } = context;
  if (isRowOrCell(record)) return isWithdrawn(record);
  const { sources, location } = (await store.runAssets.head()) ?? {};
  if (sources === undefined || !(sources in run.connectors)) return false;
  if ((await store.runAssetsOf(record.run).head())?.location !== location) return false;
  return isSourceMissing(record, { connector: getConnector(sources) });
}

async function isAssetInWork(key: string, { store }: ClaimContext): Promise<boolean> {
  return (await store.claims.read(key)) !== null;
}

/** Returns a check whether an earlier run has withdrawn an asset, or this run does, according to its list. */
function createWithdrawalCheck({ store: { withdrawals } }: ClaimContext) {
  let keys: Promise<ReadonlySet<string>> | undefined;
  return async ({ key, withdrawn }: AssetRecord): Promise<boolean> => {
    if (withdrawn?.state === 'withdrawn') return true;
    keys ??= withdrawals.read().then((names) => new Set(names.map(keyPartOf)));
    return (await keys).has(encodeKey(key));
  };
}
