// Uploads files into records of the platform, such as models. Records from earlier attempts are reused, even if assets
// were grouped differently. If a link is refused, the record is created again, up to a few times. A record that gets no
// file is deleted.

import type { LinkExpiredError } from '../../api/errors/transfer-errors.ts';
import type { OperationId } from '../../api/operations/index.ts';
import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import type { Asset, AssetResult } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { NodeContext } from '../node-context.ts';
import type { Creation } from '../submit/creation.ts';
import { callsOf, type EarlierCalls } from '../submit/finish-earlier-calls.ts';
import type { Submission, SubmitResult } from '../submit/submit-once.ts';

/** A creating call, with the assets of that call that this attempt handles. */
export interface RecordGroup<A, Id extends OperationId = OperationId> {
  call: SubmitResult<Id>;
  assets: A[];
}

/** An asset that needs another record, because its record is missing or its link has expired. */
export interface AssetWithoutUpload<A> {
  asset: A;
  refusal: LinkExpiredError | null;
  /** Time since which the outcome of the call that created the record is ambiguous. */
  ambiguousSince?: string | undefined;
}

export interface UploadResult<A> {
  results: AssetResult[];
  withoutUpload: AssetWithoutUpload<A>[];
}

export interface UploadFiles<A> {
  assets: readonly A[];
  /** Assets refused by our own inspection. An earlier attempt may have created records for them. */
  refusedAssets: readonly A[];
  earlierCalls: EarlierCalls;
}

/** Options of a creating call that follows earlier calls for the same assets. */
export type RenewalOptions = Pick<Submission, 'epoch' | 'ambiguousSince'>;

/** How records are created and their files uploaded. */
export interface RecordWriter<A, Id extends OperationId> {
  creation: Creation<Id>;
  /** Creates records. Assets whose record cannot be created are in `results`. */
  create(
    assets: readonly A[],
    renewal: RenewalOptions,
  ): Promise<{ groups: RecordGroup<A, Id>[]; results: AssetResult[] }>;
  /** Uploads the files of a group. Records of refused assets are deleted unless their file is uploaded. */
  upload(group: RecordGroup<A, Id>, refusedKeys: ReadonlySet<string>): Promise<UploadResult<A>>;
}

/** Maximum number of additional records for a file whose links are refused. */
const maxRenewals = 3;

/**
 * Uploads into the existing records, then creates records for the remaining assets, until all have a result. A refused
 * asset has a result only if its file was uploaded before.
 */
export async function uploadIntoRecords<A extends Asset, Id extends OperationId>(
  { assets, refusedAssets, earlierCalls }: UploadFiles<A>,
  writer: RecordWriter<A, Id>,
  context: NodeContext,
): Promise<AssetResult[]> {
  const refusedKeys = new Set(refusedAssets.map(({ key }) => key));
  const { groups, newAssets, calls } = groupByCall(
    [...assets, ...refusedAssets],
    writer.creation,
    earlierCalls,
  );
  const results: AssetResult[] = [];
  let round = groups;
  let openAssets: AssetWithoutUpload<A>[] = newAssets.map((asset) => ({ asset, refusal: null }));
  for (;;) {
    const uploads = await mapBounded(round, (group) =>
      uploadGroup(group, writer, refusedKeys, context),
    );
    results.push(...uploads.flatMap((upload) => upload.results));
    openAssets.push(...uploads.flatMap(({ withoutUpload }) => withoutUpload));
    openAssets = openAssets.filter(({ asset }) => !refusedKeys.has(asset.key));
    const callsFor = ({ asset }: AssetWithoutUpload<A>) => calls.get(asset.key) ?? 0;
    const renewable = openAssets.filter((openAsset) => callsFor(openAsset) <= maxRenewals);
    results.push(
      ...openAssets.filter((openAsset) => callsFor(openAsset) > maxRenewals).map(failAfterRenewals),
    );
    if (renewable.length === 0) return results;
    const epoch = Math.max(...renewable.map(callsFor));
    for (const openAsset of renewable) calls.set(openAsset.asset.key, callsFor(openAsset) + 1);
    const next = renewable.map(({ asset }) => asset);
    const newRecords = await writer.create(next, {
      epoch,
      ambiguousSince: findFirstAmbiguous(renewable, earlierCalls),
    });
    results.push(...newRecords.results);
    round = newRecords.groups;
    openAssets = [];
  }
}

async function uploadGroup<A extends Asset, Id extends OperationId>(
  group: RecordGroup<A, Id>,
  writer: RecordWriter<A, Id>,
  refusedKeys: ReadonlySet<string>,
  { store, shard, step }: NodeContext,
): Promise<UploadResult<A>> {
  const { intent } = group.call;
  const { results, withoutUpload } = await writer.upload(group, refusedKeys);
  // An intent without usable records is abandoned, so that later attempts ignore it.
  const isEmpty = withoutUpload.length === intent.assets.length;
  if (isEmpty) await store.intents(shard, step.id).abandon(intent.key);
  const { ambiguousSince } = intent;
  return {
    results,
    withoutUpload: withoutUpload.map((openAsset) => ({ ...openAsset, ambiguousSince })),
  };
}

/** Returns the earliest time since which one of the assets may have an unknown record. Undefined if none may. */
function findFirstAmbiguous<A extends Asset>(
  openAssets: readonly AssetWithoutUpload<A>[],
  earlierCalls: EarlierCalls,
): string | undefined {
  const unreported = earlierCalls.ambiguousSince(openAssets.map(({ asset }) => asset));
  const times = [unreported, ...openAssets.map(({ ambiguousSince }) => ambiguousSince)];
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(0);
}

/** Groups assets by the call that created their latest record. `calls` is the number of such calls by asset key. */
function groupByCall<A extends Asset, Id extends OperationId>(
  assets: readonly A[],
  creation: Creation<Id>,
  earlierCalls: EarlierCalls,
): { groups: RecordGroup<A, Id>[]; newAssets: A[]; calls: Map<string, number> } {
  const calls = new Map<string, number>();
  const latestResults = new Map<string, SubmitResult<Id>>();
  const callsOfCreation = callsOf(creation, earlierCalls);
  const epochOf = ({ intent: { epoch = 0 } }: SubmitResult<Id>) => epoch;
  for (const call of callsOfCreation.sort((a, b) => epochOf(a) - epochOf(b))) {
    for (const key of call.assetKeys) {
      calls.set(key, (calls.get(key) ?? 0) + 1);
      latestResults.set(key, call);
    }
  }
  const groups = new Map<SubmitResult<Id>, A[]>();
  const fresh: A[] = [];
  for (const asset of assets) {
    const call = latestResults.get(asset.key);
    const isOver = call === undefined || call.intent.state === 'abandoned';
    // For this asset, an earlier run failed because of a shared id.
    const isShared =
      call?.intent.isInherited && call.platformIds[asset.key]?.idConflict !== undefined;
    if (isOver || isShared) fresh.push(asset);
    else groups.set(call, [...(groups.get(call) ?? []), asset]);
  }
  return {
    groups: [...groups].map(([call, assetsOfCall]) => ({ call, assets: assetsOfCall })),
    newAssets: fresh,
    calls,
  };
}

function failAfterRenewals<A extends Asset>({
  asset,
  refusal,
}: AssetWithoutUpload<A>): AssetResult {
  const links = `${maxRenewals + 1} signed links that the platform issued in turn`;
  const message =
    refusal === null
      ? `the upload failed with all ${links}`
      : `${refusal.host} refused all ${links} (status ${refusal.status})`;
  return fail(assetFailures.UPLOAD_REFUSED, asset.key, message);
}
