// Creates projects for assets that have none: 50 models per request, one project per model.
import { plainText } from '../../api/responses/plain-text.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type EarlierCalls, earlierCalls } from '../../engine/submit/earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { fail } from '../../failures/fail.ts';
import { positionNames } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { failDeletedModel } from '../models/deleted-model.ts';
import { modelFailures } from '../models/failures.ts';
import { projectCreation } from './creations.ts';
import { projectFailures } from './failures.ts';

export async function createMissingProjects(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const earlier = await earlierCalls(assets, [projectCreation], context);
  const results: AssetResult[] = [];
  const open: StepAsset[] = [];
  for (const asset of assets) {
    const platformIds = earlier.platformIds[asset.key];
    if (asset.platformIds.projectId) results.push({ key: asset.key, outcome: 'done' });
    else if (platformIds) results.push({ key: asset.key, outcome: 'done', platformIds });
    else if (asset.platformIds.modelId) open.push(asset);
    else results.push(failWithoutModel(asset));
  }
  // A request has one template and each model once. Cells of a model need separate projects, so separate requests.
  const groups = groupBy(open, ({ platformIds, source }) =>
    JSON.stringify([platformIds.templateId ?? '', ...positionNames(source)]),
  );
  for (const group of groups.values()) {
    const templateId = group[0]?.platformIds.templateId ?? '';
    const made = await splitCall(
      group,
      (part) => submitProjects(part, templateId || null, earlier, context),
      context,
    );
    results.push(...(await failDeletedModels(made, group, context)));
  }
  return results;
}

async function submitProjects(
  assets: readonly StepAsset[],
  templateId: string | null,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const { platformIds, response } = await submitOnce(
    {
      creation: projectCreation,
      body: {
        modelIds: assets.map((asset) => asset.platformIds.modelId ?? ''),
        createPerModel: true,
        ...(templateId === null ? {} : { templateId }),
      },
      assets,
      ambiguousSince: ambiguousSince(assets),
      epoch: 0,
      purpose: 'projects',
    },
    context,
  );
  const errors = response?.errors ?? [];
  return assets.map(({ key }) => {
    const made = platformIds[key];
    if (made) return { key, outcome: 'done', platformIds: made };
    const message =
      errors.length > 0
        ? plainText(errors.join('; '))
        : 'the platform created no project and gave no reason';
    return fail(projectFailures.PROJECT_NOT_CREATED, key, message);
  });
}

/**
 * The response does not say in machine-readable form why a project was not created: one code covers a deleted model and a deleted
 * template, and errors of a partial success are plain text. So the models are checked; a deleted one is uploaded again later.
 */
async function failDeletedModels(
  results: readonly AssetResult[],
  group: readonly StepAsset[],
  { client, requests: scope, signal }: NodeContext,
): Promise<AssetResult[]> {
  const failed = new Set(
    results.flatMap(({ key, outcome }) => (outcome === 'failed' ? [key] : [])),
  );
  const failedAssets = new Map(
    group.filter(({ key }) => failed.has(key)).map((one) => [one.key, one]),
  );
  const modelIds = [...failedAssets.values()].flatMap(
    ({ platformIds }) => platformIds.modelId ?? [],
  );
  if (modelIds.length === 0) return [...results];
  const options = { priority: 'create', scope, signal } as const;
  const { notFound } = await client.checkModelStatus({ body: { modelIds } }, options);
  const deletedIds = new Set(notFound);
  return results.map((result) => {
    const asset = failedAssets.get(result.key);
    return asset && deletedIds.has(asset.platformIds.modelId ?? '')
      ? failDeletedModel(asset, ['modelId'])
      : result;
  });
}

function failWithoutModel(asset: StepAsset): AssetResult {
  return fail(modelFailures.NO_MODEL, asset.key, 'the asset has no model to render');
}
