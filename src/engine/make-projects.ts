// Makes the projects of assets that have none: 50 models a request, one project per model.
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, StepAsset } from '../plan/types.ts';
import { groupBy } from '../store/group-by.ts';
import { modelGone } from './model-gone.ts';
import { splitCall } from './split-call.ts';
import { alreadySubmitted, submitOnce } from './submit-once.ts';

export async function makeProjects(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const known = await alreadySubmitted(assets, 'createProjects', context);
  const results: AssetResult[] = [];
  const open: StepAsset[] = [];
  for (const asset of assets) {
    const refs = known[asset.key];
    if (asset.refs.projectId) results.push({ key: asset.key, outcome: 'done' });
    else if (refs) results.push({ key: asset.key, outcome: 'done', refs });
    else if (asset.refs.modelId) open.push(asset);
    else results.push(withoutModel(asset));
  }
  // A request takes one template, so assets are grouped by theirs.
  for (const [templateId, group] of groupBy(open, templateOf)) {
    results.push(
      ...(await splitCall(group, (part) => createProjects(part, templateId || null, context), [
        'modelId',
      ])),
    );
  }
  return results;
}

async function createProjects(
  assets: readonly StepAsset[],
  templateId: string | null,
  context: NodeContext,
): Promise<AssetResult[]> {
  const { refs, answer } = await submitOnce(
    {
      operation: 'createProjects',
      body: {
        modelIds: assets.map((asset) => asset.refs.modelId ?? ''),
        createPerModel: true,
        ...(templateId === null ? {} : { templateId }),
      },
      assets,
      epoch: 0,
      purpose: 'projects',
    },
    context,
  );
  const errors = (answer as { errors?: string[] } | null)?.errors ?? [];
  const gone = await goneModels(
    assets.filter(({ key }) => !refs[key]),
    context,
  );
  return assets.map((asset) => {
    const { key } = asset;
    const made = refs[key];
    if (made) return { key, outcome: 'done', refs: made };
    if (gone.has(asset.refs.modelId ?? '')) return modelGone(asset, ['modelId']);
    const message =
      errors.length > 0 ? errors.join('; ') : 'the platform made no project and gave no reason';
    return { key, outcome: 'failed', code: 'PROJECT_NOT_CREATED', message };
  });
}

/** A project that was not made has no reason that programs can read; a lost model is the one they can ask for. */
async function goneModels(
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<ReadonlySet<string>> {
  const modelIds = assets.flatMap(({ refs }) => refs.modelId ?? []);
  if (modelIds.length === 0) return new Set();
  const options = { priority: 'create' as const, scope: context.requests, signal: context.signal };
  const { notFound } = await context.client.checkModelStatus({ body: { modelIds } }, options);
  return new Set(notFound);
}

function withoutModel(asset: StepAsset): AssetResult {
  return {
    key: asset.key,
    outcome: 'failed',
    code: 'NO_MODEL',
    message: 'the asset has no model to render',
  };
}

function templateOf(asset: StepAsset): string {
  return asset.refs.templateId ?? '';
}
