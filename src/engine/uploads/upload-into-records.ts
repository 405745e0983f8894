// Uploads files into records of the platform, such as models. Records of earlier attempts are reused, even if assets
// were grouped differently then. If a link is refused, the record is created again, a few times. A record that gets no
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

/** A creating call with those of its assets that this attempt handles. */
export interface Group<A, Id extends OperationId = OperationId> {
  call: SubmitResult<Id>;
  assets: A[];
}

/** An asset that needs another record, because its record is missing or its link has expired. */
export interface UnfilledAsset<A> {
  asset: A;
  refusal: LinkExpiredError | null;
  /** Since when the outcome of the call that created its record is ambiguous. */
  ambiguousSince?: string | undefined;
}

export interface FillResult<A> {
  results: AssetResult[];
  unfilled: UnfilledAsset<A>[];
}

export interface UploadFiles<A> {
  assets: readonly A[];
  /** Assets that our own inspection has refused; an earlier attempt may have created records for them. */
  refused: readonly A[];
  earlier: EarlierCalls;
}

/** Options of a creating call that follows earlier calls for the same assets. */
export type RenewalOptions = Pick<Submission, 'epoch' | 'ambiguousSince'>;

/** How records are created and filled. */
export interface RecordWriter<A, Id extends OperationId> {
  creation: Creation<Id>;
  /** Creates records. Assets whose record cannot be created are in `results`. */
  create(
    assets: readonly A[],
    renewal: RenewalOptions,
  ): Promise<{ groups: Group<A, Id>[]; results: AssetResult[] }>;
  /** Uploads the files of a group. Records of refused assets are deleted unless their file is uploaded. */
  fill(group: Group<A, Id>, refused: ReadonlySet<string>): Promise<FillResult<A>>;
}

/** Maximum number of additional records for a file whose links are refused. */
const maxRenewals = 3;

/**
 * Fills the existing records, then creates records for the remaining assets, until all have a result. A refused asset
 * has a result only if its file was uploaded before.
 */
export async function uploadIntoRecords<A extends Asset, Id extends OperationId>(
  { assets, refused, earlier }: UploadFiles<A>,
  writer: RecordWriter<A, Id>,
  context: NodeContext,
): Promise<AssetResult[]> {
  const refusedKeys = new Set(refused.map(({ key }) => key));
  const { groups, fresh, calls } = groupByCall([...assets, ...refused], writer.creation, earlier);
  const results: AssetResult[] = [];
  let round = groups;
  let open: UnfilledAsset<A>[] = fresh.map((asset) => ({ asset, refusal: null }));
  for (;;) {
    const filled = await mapBounded(round, (group) =>
      fillGroup(group, writer, refusedKeys, context),
    );
    results.push(...filled.flatMap((one) => one.results));
    open.push(...filled.flatMap(({ unfilled }) => unfilled));
    open = open.filter(({ asset }) => !refusedKeys.has(asset.key));
    const callsFor = ({ asset }: UnfilledAsset<A>) => calls.get(asset.key) ?? 0;
    const renewable = open.filter((one) => callsFor(one) <= maxRenewals);
    results.push(...open.filter((one) => callsFor(one) > maxRenewals).map(failGivenUp));
    if (renewable.length === 0) return results;
    const epoch = Math.max(...renewable.map(callsFor));
    for (const one of renewable) calls.set(one.asset.key, callsFor(one) + 1);
    const next = renewable.map(({ asset }) => asset);
    const made = await writer.create(next, {
      epoch,
      ambiguousSince: ambiguousSinceOf(renewable, earlier),
    });
    results.push(...made.results);
    round = made.groups;
    open = [];
  }
}

async function fillGroup<A extends Asset, Id extends OperationId>(
  group: Group<A, Id>,
  writer: RecordWriter<A, Id>,
  refusedKeys: ReadonlySet<string>,
  { store, shard, step }: NodeContext,
): Promise<FillResult<A>> {
  const { intent } = group.call;
  const { results, unfilled } = await writer.fill(group, refusedKeys);
  // An intent without usable records is abandoned, so that later attempts ignore it.
  const isEmpty = unfilled.length === intent.assets.length;
  if (isEmpty) await store.intents(shard, step.id).abandon(intent.key);
  const { ambiguousSince } = intent;
  return { results, unfilled: unfilled.map((one) => ({ ...one, ambiguousSince })) };
}

/** Earliest time since which one of the assets may have an unknown record; undefined if none may. */
function ambiguousSinceOf<A extends Asset>(
  open: readonly UnfilledAsset<A>[],
  earlier: EarlierCalls,
): string | undefined {
  const unreported = earlier.ambiguousSince(open.map(({ asset }) => asset));
  const times = [unreported, ...open.map(({ ambiguousSince }) => ambiguousSince)];
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(0);
}

/** Groups assets by the call that created their latest record. `calls`: number of such calls by asset key. */
function groupByCall<A extends Asset, Id extends OperationId>(
  assets: readonly A[],
  creation: Creation<Id>,
  earlier: EarlierCalls,
): { groups: Group<A, Id>[]; fresh: A[]; calls: Map<string, number> } {
  const calls = new Map<string, number>();
  const latest = new Map<string, SubmitResult<Id>>();
  const ours = callsOf(creation, earlier);
  for (const call of ours.sort((one, other) => epochOf(one) - epochOf(other))) {
    for (const key of call.assetKeys) {
      calls.set(key, (calls.get(key) ?? 0) + 1);
      latest.set(key, call);
    }
  }
  const groups = new Map<SubmitResult<Id>, A[]>();
  const fresh: A[] = [];
  for (const asset of assets) {
    const call = latest.get(asset.key);
    const isOver = call === undefined || call.intent.state === 'abandoned';
    // An earlier run has failed for this asset because of a shared id.
    const isShared =
      call?.intent.isInherited && call.platformIds[asset.key]?.idConflict !== undefined;
    if (isOver || isShared) fresh.push(asset);
    else groups.set(call, [...(groups.get(call) ?? []), asset]);
  }
  return { groups: [...groups].map(([call, some]) => ({ call, assets: some })), fresh, calls };
}

function epochOf({ intent: { epoch = 0 } }: Pick<SubmitResult, 'intent'>): number {
  return epoch;
}

function failGivenUp<A extends Asset>({ asset, refusal }: UnfilledAsset<A>): AssetResult {
  const links = `${maxRenewals + 1} signed links that the platform gave, one after another`;
  const message =
    refusal === null
      ? `the upload failed at all ${links}`
      : `${refusal.host} refused all ${links} (status ${refusal.status})`;
  return fail(assetFailures.UPLOAD_REFUSED, asset.key, message);
}
