// Submits render jobs, up to 50 projects per request, and retries failed ones.

import { findRefusal } from '../../api/errors/refusal.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import type { BodyOf } from '../../engine/submit/creation.ts';
import { type EarlierCalls, finishEarlierCalls } from '../../engine/submit/finish-earlier-calls.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { submitOnce } from '../../engine/submit/submit-once.ts';
import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import { findPosition } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { shortHashOf } from '../../plan/helpers/short-hash.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { renderCreation, renderRetry } from './creations.ts';
import { failCancelledRender, formatJobFailure, jobIdFields, renderFailures } from './failures.ts';
import { maxStoredOutputs, toOutputRefs } from './job-outputs.ts';

type Settings = BodyOf<'createRenders'>['settings'];

interface RenderConfig {
  settings: Record<string, unknown>;
  /** Settings of each view, which override the common ones. */
  views?: readonly { name: string; settings: Record<string, unknown> }[] | undefined;
}

export async function submitRenders(
  { settings: base, views = [] }: RenderConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const retriedAssets = assets.filter(
    ({ platformIds }) => platformIds.failedJob && platformIds.jobId,
  );
  const newAssets = assets.filter(({ platformIds }) => !platformIds.failedJob);
  const earlierCalls = await finishEarlierCalls(newAssets, [renderCreation], context);
  const settingsByView = new Map(
    views.map(({ name, settings }) => [name, { ...base, ...settings }]),
  );
  const viewSettingsOf = ({ source }: StepAsset) => settingsByView.get(viewOf(source)) ?? base;
  const requestedIds = (asset: StepAsset) => ({
    ...requestedViewIdsOf(viewSettingsOf(asset)),
    ...outputCountKeyOf(asset, viewSettingsOf(asset)),
  });
  const results: AssetResult[] = [];
  const pendingAssets: StepAsset[] = [];
  for (const asset of newAssets) {
    const { key } = asset;
    const createdIds = earlierCalls.platformIds[key];
    if (asset.platformIds.jobId) results.push({ key, outcome: 'done' });
    else if (createdIds) {
      const platformIds = { ...createdIds, ...requestedIds(asset) };
      results.push({ key, outcome: 'done', platformIds });
    } else pendingAssets.push(asset);
  }
  const submitPart = (part: readonly StepAsset[]) => {
    const [first] = part;
    const settings = settingsOf(part, first ? viewSettingsOf(first) : base);
    return submitBatch(part, settings, requestedIds, earlierCalls, context);
  };
  const submit = (group: StepAsset[]) => splitCall(group, submitPart, context, ['projectId']);
  const byView = groupBy(pendingAssets, ({ source }) => viewOf(source));
  const groups = [...byView.values()].flatMap(groupByVariants);
  results.push(...(await mapBounded(groups, submit, { signal: context.signal })).flat());
  for (const asset of retriedAssets) {
    const retry = () => retryRender(asset, context);
    results.push(...(await splitCall([asset], retry, context, [...jobIdFields])));
  }
  return results;
}

function viewOf(source: StepAsset['source']): string {
  return findPosition(source, 'view')?.name ?? '';
}

/**
 * Groups assets into requests. The settings, including all chosen variants, apply to a whole request, and each project
 * renders those variants that its model has. Two assets of one model with different variants must therefore not share a
 * request.
 */
function groupByVariants(assets: readonly StepAsset[]): StepAsset[][] {
  const groups: { assets: StepAsset[]; drawn: Map<string, string> }[] = [];
  for (const asset of assets) {
    const { modelId = asset.key, variants } = asset.platformIds;
    const draws = JSON.stringify(variants ?? null);
    const fits = groups.find(
      ({ assets: [first], drawn }) =>
        (first?.platformIds.variants === undefined) === (variants === undefined) &&
        (drawn.get(modelId) ?? draws) === draws,
    );
    const group = fits ?? { assets: [], drawn: new Map<string, string>() };
    if (fits === undefined) groups.push(group);
    group.assets.push(asset);
    group.drawn.set(modelId, draws);
  }
  return groups.map((group) => group.assets);
}

/** Returns the settings of a request. Chosen variants override the variant fields of the settings. */
function settingsOf(assets: readonly StepAsset[], settings: Record<string, unknown>): Settings {
  const variants = new Set(assets.flatMap(({ platformIds }) => platformIds.variants ?? []));
  const isChosen = assets.some(({ platformIds }) => platformIds.variants !== undefined);
  const variantSettings = isChosen ? { renderVariants: true, variantsToRender: [...variants] } : {};
  return JSON.parse(JSON.stringify({ ...settings, ...variantSettings }));
}

/** Returns the bookmark and shot for file names, if exactly one was requested. */
function requestedViewIdsOf(settings: Record<string, unknown>): PlatformIds {
  const { bookmarksToRender, shotsToRender } = settings;
  const [bookmark, ...bookmarks] = Array.isArray(bookmarksToRender) ? bookmarksToRender : [];
  const [shot, ...shots] = Array.isArray(shotsToRender) ? shotsToRender : [];
  return {
    ...(bookmarks.length === 0 && typeof bookmark === 'string' ? { bookmark } : {}),
    ...(shots.length === 0 && typeof shot === 'string' ? { shot } : {}),
  };
}

/**
 * Returns a hash of what determines the number of outputs: template, settings and number of variants. The number of
 * variants is unknown if all are rendered, and the file was not inspected or colorways may have added some.
 */
function outputCountKeyOf(
  { platformIds }: StepAsset,
  settings: Record<string, unknown>,
): PlatformIds {
  const { variants, drawn, colorway, templateId = '' } = platformIds;
  const count = variants?.length ?? (settings['renderVariants'] === false ? 0 : null);
  if (count === null && (drawn === undefined || colorway !== undefined)) return {};
  return {
    outputCountKey: shortHashOf(JSON.stringify([settings, templateId, count, drawn ?? ''])),
  };
}

const notStarted = {
  failure: renderFailures.RENDER_NOT_STARTED,
  message: 'the platform started no render job for the project',
};

/** The job may have been started. A person must check, because another job would be paid for too. */
const possiblyStarted = {
  failure: assetFailures.API_UNEXPECTED,
  message:
    'createRenders: a job in the response cannot be read and may belong to this project; before you run the pipeline again, check on the platform whether the project is rendering',
};

/** The response may have fewer jobs than projects, because the platform drops duplicates. Assets without a job fail. */
async function submitBatch(
  assets: readonly StepAsset[],
  settings: Settings,
  requestedIds: (asset: StepAsset) => PlatformIds,
  { ambiguousSince }: EarlierCalls,
  context: NodeContext,
): Promise<AssetResult[]> {
  const { platformIds, response } = await submitOnce(
    {
      creation: renderCreation,
      body: { projectIds: assets.map((asset) => asset.platformIds.projectId ?? ''), settings },
      assets,
      ambiguousSince: ambiguousSince(assets),
      purpose: 'renders',
    },
    context,
  );
  const { failure, message } = (response?.jobs.unread ?? 0) > 0 ? possiblyStarted : notStarted;
  return assets.map((asset) => {
    const { key } = asset;
    const createdIds = platformIds[key];
    if (createdIds === undefined) return fail(failure, key, message);
    return { key, outcome: 'done', platformIds: { ...createdIds, ...requestedIds(asset) } };
  });
}

async function retryRender(asset: StepAsset, context: NodeContext): Promise<AssetResult[]> {
  const { key, platformIds } = asset;
  try {
    const call = await submitOnce(
      {
        creation: renderRetry,
        params: { jobId: platformIds.jobId ?? '' },
        body: null,
        assets: [asset],
        epoch: platformIds.retries ?? 1,
        purpose: 'retry',
      },
      context,
    );
    const createdIds = call.platformIds[key];
    if (createdIds) return [{ key, outcome: 'done', platformIds: createdIds }];
  } catch (error) {
    // Only FAILED jobs can be retried, so somebody else has probably retried this one. The code is undocumented.
    const refusal = findRefusal(error, ['content']);
    if (refusal === null) throw error;
    return [await adoptRetriedJob(asset, refusal.error.detail, context)];
  }
  const message = 'the platform did not retry the render';
  return [fail(renderFailures.RENDER_NOT_STARTED, key, message)];
}

/**
 * Takes over the state of a job that was retried elsewhere, instead of paying for another job. No operation reports the
 * job's new batch.
 * @param refusal the platform's reason for refusing the retry
 */
async function adoptRetriedJob(
  { key, platformIds: { jobId = '' } }: StepAsset,
  refusal: string,
  context: NodeContext,
): Promise<AssetResult> {
  const { client, requests: requestCounter, signal } = context;
  const options = { priority: 'status', requestCounter, signal } as const;
  const job = await client.getRenderJob({ params: { jobId } }, options);
  const { status } = job;
  if (status === 'CANCELLED') return failCancelledRender(key);
  if (status === 'FAILED') {
    const message = `${formatJobFailure(job)}; the platform refused to retry the render: ${refusal}`;
    return fail(renderFailures.RENDER_FAILED, key, message, { forgetIds: [...jobIdFields] });
  }
  const retriedIds: PlatformIds = { failedJob: false, ownProject: false, batchId: '' };
  if (status !== 'COMPLETED') {
    const submittedAt = new Date(context.now()).toISOString();
    return { key, outcome: 'done', platformIds: { ...retriedIds, submittedAt } };
  }
  const outputs = toOutputRefs(job);
  if (outputs.length <= maxStoredOutputs)
    return { key, outcome: 'done', platformIds: { ...retriedIds, outputs } };
  // One output is stored without its URL. It shows that outputs exist, so that they are read from the job.
  const sign = outputs.slice(0, 1).map(({ url: _url, ...output }) => output);
  return { key, outcome: 'done', platformIds: { ...retriedIds, outputs: sign } };
}
