// Sorts the records of one creating call by upload status, uploads the missing files, and deletes useless records.

import { LinkExpiredError } from '../../api/errors/transfer-errors.ts';
import { idFields, type ResourceKind } from '../../api/resources.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { deleteResource } from '../cleaning/delete-resources.ts';
import { assertPastConsistencyWindow } from '../consistency-window.ts';
import type { NodeContext } from '../node-context.ts';
import { type IdsByAsset, writeOptions } from '../submit/call-outcome.ts';
import { isLargeFile } from '../transfer-semaphore.ts';
import type { RecordGroup, UploadResult } from './upload-into-records.ts';

/**
 * Upload status of a record on the platform, such as a model:
 * - `uploaded`: its file is uploaded and confirmed.
 * - `open`: its file is not uploaded yet.
 * - `missing`: the record does not exist.
 * - `unusable`: the record can no longer receive a file.
 */
export type UploadStatus =
  | { state: 'uploaded'; platformIds?: PlatformIds }
  | { state: 'open' | 'missing' | 'unusable' };

/**
 * Sorts assets by upload status. `open` contains those whose files must be uploaded. Deletes the records of refused
 * assets whose files are not uploaded.
 * @param statuses upload status by asset key. New records are missing
 */
export async function sortByUploadStatus<A extends StepAsset>(
  { call, assets }: Pick<RecordGroup<A>, 'assets'> & { call: { platformIds: IdsByAsset } },
  kind: ResourceKind,
  statuses: ReadonlyMap<string, UploadStatus>,
  refusedKeys: ReadonlySet<string>,
  context: NodeContext,
): Promise<UploadResult<A> & { open: A[] }> {
  const groups: UploadResult<A> & { open: A[] } = { results: [], withoutUpload: [], open: [] };
  for (const asset of assets) {
    const { key } = asset;
    const status = statuses.get(key) ?? { state: 'open' };
    if (status.state === 'uploaded') {
      const platformIds = { ...call.platformIds[key], ...status.platformIds };
      groups.results.push({ key, outcome: 'done', platformIds });
    } else if (refusedKeys.has(key)) await deleteRecord(kind, call.platformIds[key], context);
    else if (status.state === 'missing' || status.state === 'unusable') {
      const platformIds = call.platformIds[key] ?? {};
      const problem = `${kind} ${platformIds[idFields[kind]] ?? ''} does not exist`;
      // A record inside the consistency window must not be created again, because it may exist.
      if (status.state === 'missing') assertPastConsistencyWindow(problem, platformIds, context);
      groups.withoutUpload.push({ asset, refusal: null });
    } else groups.open.push(asset);
  }
  return groups;
}

/** `uploaded` means that a later call confirms all files together. `no-link` means that the file has no upload link. */
type FileUploadResult = AssetResult | 'uploaded' | 'no-link';

/** Uploads files to storage. A refused link affects only its own file. */
export async function uploadEach<A extends StepAsset>(
  assets: readonly A[],
  uploadFile: (asset: A) => Promise<FileUploadResult>,
  { transfers }: NodeContext,
): Promise<UploadResult<A> & { uploaded: A[] }> {
  const results: AssetResult[] = [];
  const withoutUpload: UploadResult<A>['withoutUpload'] = [];
  const uploaded: A[] = [];
  const upload = async (asset: A) => {
    const result = await uploadFile(asset).catch((error: unknown) => {
      if (error instanceof LinkExpiredError) return error;
      throw error;
    });
    return { asset, result };
  };
  const isLarge = ({ source }: A) => isLargeFile(source);
  for (const { asset, result } of await transfers.forEach(assets, upload, isLarge)) {
    if (result === 'uploaded') uploaded.push(asset);
    else if (result === 'no-link') withoutUpload.push({ asset, refusal: null });
    else if (result instanceof LinkExpiredError) withoutUpload.push({ asset, refusal: result });
    else results.push(result);
  }
  return { results, withoutUpload, uploaded };
}

/** Deletes records that will never receive a file, because they would stay PENDING forever. */
export async function deleteUnusedRecords(
  kind: ResourceKind,
  platformIds: IdsByAsset,
  { results, withoutUpload }: UploadResult<StepAsset>,
  context: NodeContext,
): Promise<void> {
  for (const { key, outcome } of results) {
    if (outcome === 'failed') await deleteRecord(kind, platformIds[key], context);
  }
  for (const { asset } of withoutUpload) await deleteRecord(kind, platformIds[asset.key], context);
}

async function deleteRecord(
  kind: ResourceKind,
  platformIds: PlatformIds | undefined,
  context: NodeContext,
): Promise<void> {
  const id = platformIds?.[idFields[kind]];
  if (id !== undefined) await deleteResource(context.client, { kind, id }, writeOptions(context));
}
