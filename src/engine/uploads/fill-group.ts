// Sorts the records of one creating call by upload status, uploads the missing files, and deletes useless records.

import { LinkExpiredError } from '../../api/errors/transfer-errors.ts';
import { idFields, type ResourceKind } from '../../api/resources.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { deleteResource } from '../cleaning/delete-resource.ts';
import { assertPastConsistencyWindow } from '../consistency-window.ts';
import type { NodeContext } from '../node-context.ts';
import type { IdsByAsset } from '../submit/call-outcome.ts';
import { isLargeFile } from '../transfer-semaphore.ts';
import type { Group, FillResult as UploadResult } from './upload-into-records.ts';

/**
 * Upload status of a record on the platform, such as a model:
 * - `up`: its file is uploaded and confirmed.
 * - `open`: its file is not uploaded yet.
 * - `missing`: the record does not exist.
 * - `spent`: the record cannot take a file any more.
 */
export type UploadStatus =
  | { state: 'uploaded'; platformIds?: PlatformIds }
  | { state: 'open' | 'missing' | 'unusable' };

/**
 * Sorts assets by upload status; `open` are those whose files must be uploaded. Deletes the records of refused assets
 * whose files are not uploaded.
 * @param statuses upload status by asset key; missing for new records
 */
export async function sortGroup<A extends StepAsset>(
  { call, assets }: Pick<Group<A>, 'assets'> & { call: { platformIds: IdsByAsset } },
  kind: ResourceKind,
  statuses: ReadonlyMap<string, UploadStatus>,
  refused: ReadonlySet<string>,
  context: NodeContext,
): Promise<UploadResult<A> & { open: A[] }> {
  const sorted: UploadResult<A> & { open: A[] } = { results: [], unfilled: [], open: [] };
  for (const asset of assets) {
    const { key } = asset;
    const status = statuses.get(key) ?? { state: 'open' };
    if (status.state === 'uploaded') {
      const platformIds = { ...call.platformIds[key], ...status.platformIds };
      sorted.results.push({ key, outcome: 'done', platformIds });
    } else if (refused.has(key)) await deleteCreated(kind, call.platformIds[key], context);
    else if (status.state === 'missing' || status.state === 'unusable') {
      const platformIds = call.platformIds[key] ?? {};
      // A record inside the consistency window must not be created again, because it may exist.
      if (status.state === 'missing') {
        assertPastConsistencyWindow(
          `${kind} ${platformIds[idFields[kind]] ?? ''} is not there`,
          platformIds,
          context,
        );
      }
      sorted.unfilled.push({ asset, refusal: null });
    } else sorted.open.push(asset);
  }
  return sorted;
}

/** Result of one file. `up`: uploaded; a later call confirms all files together. `unfilled`: the file has no link. */
type PutResult = AssetResult | 'up' | 'unfilled';

/** Uploads files to storage. A refused link leaves only its own file unfilled. */
export async function uploadEach<A extends StepAsset>(
  assets: readonly A[],
  put: (asset: A) => Promise<PutResult>,
  { transfers }: NodeContext,
): Promise<UploadResult<A> & { up: A[] }> {
  const filled: UploadResult<A> & { up: A[] } = { results: [], unfilled: [], up: [] };
  const ends = await transfers.forEach(
    assets,
    async (asset) => {
      const end = await put(asset).catch((error: unknown) => {
        if (error instanceof LinkExpiredError) return error;
        throw error;
      });
      return { asset, end };
    },
    ({ source }) => isLargeFile(source),
  );
  for (const { asset, end } of ends) {
    if (end === 'up') filled.up.push(asset);
    else if (end === 'unfilled') filled.unfilled.push({ asset, refusal: null });
    else if (end instanceof LinkExpiredError) filled.unfilled.push({ asset, refusal: end });
    else filled.results.push(end);
  }
  return filled;
}

/** Deletes records that will never get a file, because they would stay PENDING forever. */
export async function deleteUnused(
  kind: ResourceKind,
  made: IdsByAsset,
  { results, unfilled }: UploadResult<StepAsset>,
  context: NodeContext,
): Promise<void> {
  for (const { key, outcome } of results) {
    if (outcome === 'failed') await deleteCreated(kind, made[key], context);
  }
  for (const { asset } of unfilled) await deleteCreated(kind, made[asset.key], context);
}

async function deleteCreated(
  kind: ResourceKind,
  platformIds: PlatformIds | undefined,
  { client, requests, signal }: NodeContext,
): Promise<void> {
  const id = platformIds?.[idFields[kind]];
  if (id === undefined) return;
  await deleteResource(client, { kind, id }, { priority: 'create', scope: requests, signal });
}
