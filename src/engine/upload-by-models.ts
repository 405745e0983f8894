// The plain way up, for files that need a category, are large, or were left out by a job: records by
// POST /models, each upload confirmed alone.

import { ApiError } from '../api/errors.ts';
import { LinkExpiredError } from '../api/transfer-errors.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import type { IngestConfig } from './ingest.ts';
import { splitCall } from './split-call.ts';
import { resend, submitOnce } from './submit-once.ts';
import { uploadFile } from './upload-file.ts';
import { fileTypeOf } from './upload-names.ts';

interface ModelsAnswer {
  models: { modelId: string; uploadUrl: string }[];
  errors?: string[];
}

const renewalsAtMost = 3;

export async function uploadByModels(
  assets: StepAsset[],
  config: IngestConfig,
  context: NodeContext,
): Promise<AssetResult[]> {
  // Each large file has an hour of its own; small ones share a request.
  return splitCall(assets, (part) => createAndFill(part, config, context, 0));
}

async function createAndFill(
  assets: readonly StepAsset[],
  config: IngestConfig,
  context: NodeContext,
  epoch: number,
): Promise<AssetResult[]> {
  const category = config.category === undefined ? {} : { category: config.category };
  const { intent, refs, answer } = await submitOnce(
    {
      operation: 'createModels',
      body: {
        models: assets.map(({ key, source }) => ({
          name: key,
          fileType: fileTypeOf(source.path) ?? '',
          fileSize: source.bytes,
          ...category,
        })),
      },
      assets,
      epoch,
      purpose: 'models',
    },
    context,
  );
  if (intent.state === 'abandoned') return createAndFill(assets, config, context, epoch + 1);
  const live = (answer ?? (await resend(intent, context)).answer) as ModelsAnswer;
  const urls = new Map(live.models.map(({ modelId, uploadUrl }) => [modelId, uploadUrl]));
  try {
    return await context.transfers.each(assets, async (asset) => {
      const modelId = refs[asset.key]?.modelId;
      if (!modelId) return notCreated(asset, live.errors);
      const failure = await uploadFile(asset, urls.get(modelId) ?? '', config.connector, context);
      return failure ?? (await confirm(asset, modelId, category, context));
    });
  } catch (error) {
    if (!(error instanceof LinkExpiredError) || epoch >= renewalsAtMost) throw error;
    await context.store.intents(context.shard, context.step.id).abandon(intent.key);
    return createAndFill(assets, config, context, epoch + 1);
  }
}

async function confirm(
  asset: StepAsset,
  modelId: string,
  category: { category?: string },
  context: NodeContext,
): Promise<AssetResult> {
  try {
    await context.client.confirmModel(
      { params: { modelId }, body: { fileType: fileTypeOf(asset.source.path) ?? '' } },
      { priority: 'create', scope: context.requests, signal: context.signal },
    );
    return { key: asset.key, outcome: 'done', refs: { modelId, ...category } };
  } catch (error) {
    // A file that is too large or not there is this file's trouble, not the group's.
    if (!(error instanceof ApiError) || ![400, 404, 413].includes(error.status)) throw error;
    return { key: asset.key, outcome: 'failed', code: error.code, message: error.detail };
  }
}

function notCreated(asset: StepAsset, errors: string[] | undefined): AssetResult {
  const message =
    errors?.join('; ') ?? 'the platform made no record for the file and gave no reason';
  return { key: asset.key, outcome: 'failed', code: 'MODEL_NOT_CREATED', message };
}
