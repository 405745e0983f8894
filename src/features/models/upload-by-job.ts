// Uploads up to 50 files with two requests: a unified job without projects or renders, and one confirmation.

import { itemsOf } from '../../api/contract/response-marks.ts';
import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import type { ResponseTo } from '../../engine/submit/creation.ts';
import type { EarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { type SubmitResult, submitOnce } from '../../engine/submit/submit-once.ts';
import { readLiveResponse, readUploadedFiles } from '../../engine/uploads/live-response.ts';
import {
  deleteUnusedRecords,
  sortByUploadStatus,
  type UploadStatus,
  uploadEach,
} from '../../engine/uploads/record-group.ts';
import { failNotCreated, missingAddress } from '../../engine/uploads/record-writer.ts';
import { isFileUploaded, uploadFile } from '../../engine/uploads/upload-file.ts';
import {
  type RecordGroup,
  type RenewalOptions,
  type UploadFiles,
  type UploadResult,
  uploadIntoRecords,
} from '../../engine/uploads/upload-into-records.ts';
import { assignUploadNames, findFileType } from '../../engine/uploads/upload-names.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { uploadConfirmation, uploadJobCreation } from './creations.ts';
import { modelFailures } from './failures.ts';
import { confirmModel, type IngestConfig, readModelUploadStatus } from './model-records.ts';
import { modelStatusPoller } from './model-status-poller.ts';

type SubmittedJob = SubmitResult<'createJob'>;

/** Uploads files in jobs. `remaining` contains assets that no job accepted. They are uploaded one by one. */
export async function uploadByJob(
  files: UploadFiles<StepAsset>,
  config: IngestConfig,
  context: NodeContext,
): Promise<{ results: AssetResult[]; remainingAssets: StepAsset[] }> {
  const remaining: StepAsset[] = [];
  const results = await uploadIntoRecords(
    files,
    {
      creation: uploadJobCreation,
      async create(assets, renewal) {
        const call = await sendJob(assets, renewal, context).catch(ignoreRefusal);
        if (call === null) remaining.push(...assets);
        return { groups: call === null ? [] : [{ call, assets: [...assets] }], results: [] };
      },
      upload({ call, assets }, refusedKeys) {
        const isTaken = ({ key }: StepAsset) => call.platformIds[key]?.modelId !== undefined;
        remaining.push(...assets.filter((asset) => !isTaken(asset) && !refusedKeys.has(asset.key)));
        const group = { call, assets: assets.filter(isTaken) };
        const confirmed = confirmedKeysOf(call, files.earlierCalls);
        return uploadJobGroup(group, confirmed, refusedKeys, config, context);
      },
    },
    context,
  );
  return { results, remainingAssets: remaining };
}

/** Returns null for a platform refusal, which one bad file can cause for the whole job. Rethrows other errors. */
function ignoreRefusal(error: unknown): null {
  if (findRefusal(error, itemReasons)) return null;
  throw error;
}

function sendJob(
  assets: readonly StepAsset[],
  renewal: RenewalOptions,
  context: NodeContext,
): Promise<SubmittedJob> {
  const names = assignUploadNames(assets);
  const models = assets.map(({ key, source }) => ({
    fileName: names.get(key) ?? key,
    fileType: findFileType(source.path) ?? '',
    name: key,
  }));
  const submission = {
    body: { createProjects: false, models },
    assets,
    purpose: 'job',
    ...renewal,
  };
  return submitOnce({ creation: uploadJobCreation, ...submission }, context);
}

/** Returns the keys of assets confirmed with the job. A job is confirmed once, for the files uploaded by then. */
function confirmedKeysOf(call: SubmittedJob, { calls }: EarlierCalls): ReadonlySet<string> {
  const confirms = calls.filter(({ intent }) => intent.of === call.intent.key);
  return new Set(confirms.flatMap(({ assetKeys }) => [...assetKeys]));
}

async function uploadJobGroup(
  group: RecordGroup<StepAsset, 'createJob'>,
  confirmedAssetKeys: ReadonlySet<string>,
  refusedKeys: ReadonlySet<string>,
  { connector }: IngestConfig,
  context: NodeContext,
): Promise<UploadResult<StepAsset>> {
  const { call } = group;
  const statuses = await readUploadStatus(group, confirmedAssetKeys, context);
  const sortedAssets = await sortByUploadStatus(group, 'model', statuses, refusedKeys, context);
  if (sortedAssets.open.length === 0) return sortedAssets;
  const uploadedFiles = await readUploadedFiles(call, context);
  const job = await readJobLinks(call, sortedAssets.open, context);
  const urls = new Map(job?.models.map(({ id, uploadUrl }) => [id, uploadUrl]));
  const uploads = await uploadEach(
    sortedAssets.open,
    async (asset) => {
      const progress = { id: call.platformIds[asset.key]?.modelId ?? '', uploadedFiles };
      if (isFileUploaded(asset, progress, context)) return 'uploaded';
      if (!urls.has(progress.id)) return 'no-link';
      const url = urls.get(progress.id);
      if (url === undefined)
        return failNotCreated(asset.key, modelFailures.MODEL_NOT_CREATED, missingAddress);
      const target = { url, connectorName: connector };
      return (await uploadFile(asset, target, progress, context)) ?? 'uploaded';
    },
    context,
  );
  // Files are confirmed individually if the job was already confirmed for other files, or if its links have expired.
  const jobId = confirmedAssetKeys.size > 0 || job === null ? null : job.jobId;
  const confirmedResults = await confirmUploads(jobId, call, uploads.uploaded, context);
  const { withoutUpload } = uploads;
  const results = [...uploads.results, ...confirmedResults];
  await deleteUnusedRecords('model', call.platformIds, { results, withoutUpload }, context);
  return {
    results: [...sortedAssets.results, ...results],
    withoutUpload: [...sortedAssets.withoutUpload, ...withoutUpload],
  };
}

/** Reads upload statuses by asset key. Returns none for a new job, because all its models are new. */
async function readUploadStatus(
  { call, assets }: RecordGroup<StepAsset, 'createJob'>,
  confirmedAssetKeys: ReadonlySet<string>,
  context: NodeContext,
): Promise<Map<string, UploadStatus>> {
  const statuses = new Map<string, UploadStatus>();
  for (const key of confirmedAssetKeys) statuses.set(key, { state: 'uploaded' });
  if (call.response !== null) return statuses;
  const idOf = ({ key }: StepAsset) => call.platformIds[key]?.modelId ?? '';
  const openAssets = assets.filter(({ key }) => !confirmedAssetKeys.has(key));
  const statusById = await readModelUploadStatus(openAssets.map(idOf), context);
  for (const asset of openAssets)
    statuses.set(asset.key, statusById.get(idOf(asset)) ?? { state: 'missing' });
  return statuses;
}

/** Reads the job with its upload links, including any missing from the create response. Null if the links expired. */
async function readJobLinks(
  call: SubmittedJob,
  openAssets: readonly StepAsset[],
  context: NodeContext,
): Promise<ResponseTo<'createJob'> | null> {
  const job = await readLiveResponse(uploadJobCreation, call, context);
  const linkedIds = new Set(job?.models.map(({ id }) => id));
  const hasLink = ({ key }: StepAsset) => linkedIds.has(call.platformIds[key]?.modelId ?? '');
  if (job === null || openAssets.every(hasLink)) return job;
  const request = { params: { jobId: job.jobId } };
  const { models = [] } = await context.client.getJob(request, callOptions(context));
  return { jobId: job.jobId, models: itemsOf([...job.models, ...models]) };
}

/** @param jobId null confirms each file individually */
async function confirmUploads(
  jobId: string | null,
  { intent, platformIds }: SubmittedJob,
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const idsOf = ({ key }: StepAsset) => platformIds[key] ?? {};
  const purpose = `confirm/${intent.key}`;
  const submission = { body: null, assets, of: intent.key, purpose };
  const confirmJob = (params: { jobId: string }) =>
    submitOnce({ creation: uploadConfirmation, params, ...submission }, context);
  // If the platform refuses the confirmation of the job, each file is confirmed individually.
  const confirmation = jobId && (await confirmJob({ jobId }).catch(ignoreRefusal));
  const results = await mapBounded(assets, async (asset): Promise<AssetResult> => {
    if (!confirmation) return confirmModel(asset, idsOf(asset), context);
    return { key: asset.key, outcome: 'done', platformIds: idsOf(asset) };
  });
  const modelIds = assets.flatMap((asset) => idsOf(asset).modelId ?? []);
  modelStatusPoller(context.pollerContext).recordCreated(modelIds);
  return results;
}
