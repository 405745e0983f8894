// The plain way up, for files that need a category, are large, or were left out by a job: records by
// POST /models, each upload confirmed alone.

import { LinkExpiredError } from '../api/transfer-errors.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import type { Answers } from './answers.ts';
import type { IngestConfig } from './ingest.ts';
import { abandonModels, removeModels } from './model-orphans.ts';
import { splitCall, withoutResult } from './split-call.ts';
import { resend, type Submitted, submitOnce } from './submit-once.ts';
import { unlessRefused, uploadFile } from './upload-file.ts';
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
  const submitted = await submitOnce(
    {
      operation: 'createModels',
      body: {
        models: assets.map(({ key, source }) => ({
          name: key,
          fileType: fileTypeOf(source.path) ?? '',
          fileSize: source.bytes,
          ...categoryOf(config),
        })),
      },
      assets,
      epoch,
      purpose: 'models',
    },
    context,
  );
  const { intent, refs, answer } = submitted;
  const results = answer === null ? await alreadyReady(assets, refs, config, context) : [];
  if (intent.state !== 'abandoned') {
    const open = withoutResult(assets, results);
    results.push(...(await fill(open, submitted, config, context, epoch < renewalsAtMost)));
  }
  const left = withoutResult(assets, results);
  if (left.length === 0) return results;
  const orphans = left.map(({ key }) => refs[key]);
  await abandonModels(intent, orphans, context);
  return [...results, ...(await createAndFill(left, config, context, epoch + 1))];
}

function categoryOf({ category }: IngestConfig): { category?: string } {
  return category === undefined ? {} : { category };
}

/** Models that an earlier attempt has made and filled are not sent again. */
async function alreadyReady(
  assets: readonly StepAsset[],
  refs: Answers,
  config: IngestConfig,
  { lookout, requests }: NodeContext,
): Promise<AssetResult[]> {
  const ids = assets.flatMap(({ key }) => refs[key]?.modelId ?? []);
  const looks = await lookout.models.ask(ids, requests);
  return assets.flatMap(({ key }): AssetResult[] => {
    const modelId = refs[key]?.modelId;
    if (modelId === undefined || !looks.get(modelId)?.look?.ready) return [];
    return [{ key, outcome: 'done', refs: { modelId, ...categoryOf(config) } }];
  });
}

/** Assets that are not in the results need new records: the addresses of theirs have died. */
async function fill(
  assets: readonly StepAsset[],
  { intent, refs, answer }: Submitted,
  config: IngestConfig,
  context: NodeContext,
  mayRenew: boolean,
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const live = (answer ?? (await resend(intent, context)).answer) as ModelsAnswer;
  const urls = new Map(live.models.map(({ modelId, uploadUrl }) => [modelId, uploadUrl]));
  // A key that the platform has forgotten (24 h) makes other models than the first time.
  const made = assets.flatMap(({ key }) => refs[key]?.modelId ?? []);
  if (mayRenew && !made.every((modelId) => urls.has(modelId))) return [];
  const results = await context.transfers.each(assets, async (asset) => {
    const modelId = refs[asset.key]?.modelId;
    if (!modelId) return notCreated(asset, live.errors);
    try {
      const url = urls.get(modelId) ?? '';
      const failure = await uploadFile(asset, url, config.connector, context);
      const result = failure ?? (await confirm(asset, modelId, categoryOf(config), context));
      if (result.outcome === 'failed') await removeModels([{ modelId }], context);
      return result;
    } catch (error) {
      if (!(error instanceof LinkExpiredError) || !mayRenew) throw error;
      return null;
    }
  });
  return results.filter((result) => result !== null);
}

async function confirm(
  asset: StepAsset,
  modelId: string,
  category: { category?: string },
  context: NodeContext,
): Promise<AssetResult> {
  return unlessRefused(asset.key, async () => {
    await context.client.confirmModel(
      { params: { modelId }, body: { fileType: fileTypeOf(asset.source.path) ?? '' } },
      { priority: 'create', scope: context.requests, signal: context.signal },
    );
    return { key: asset.key, outcome: 'done', refs: { modelId, ...category } };
  });
}

function notCreated(asset: StepAsset, errors: string[] | undefined): AssetResult {
  const message =
    errors?.join('; ') ?? 'the platform made no record for the file and gave no reason';
  return { key: asset.key, outcome: 'failed', code: 'MODEL_NOT_CREATED', message };
}
