// Copies the pictures of assets to the review folder, where people see them next to those that they would replace.
import { z } from 'zod';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineStep } from '../../engine/node-type.ts';
import { type Sleep, sleepFor } from '../../engine/sleep-for.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { pipelineSlugOf } from '../../store/objects/object-name.ts';
import { createConnectorFinder } from '../../store/records/recipes.ts';
import type {
  PictureLocation,
  ReviewedAsset,
  ReviewPicture,
} from '../../store/runs/pictures/approvals.ts';
import {
  catchAssetFailure,
  failedResultOf,
  throwIfUnreachable,
} from '../delivery/failed-delivery.ts';
import { type NamedOutput, nameOutputs } from '../delivery/file-names.ts';
import { createInspector } from '../delivery/inspect-output.ts';
import type { RetryWindow } from '../delivery/outputs/fetch-retries.ts';
import { fetchWithRetry } from '../delivery/outputs/fetch-with-retry.ts';
import { awaitOutputs, createUrlReader, readOutputs } from '../delivery/outputs/outputs.ts';
import { readPreviousRecords } from '../delivery/replaced-pictures.ts';
import type { OutputRef } from '../renders/platform-ids.ts';
import { isAssetApproved } from './platform-ids.ts';

/** Time for which downloads are retried. It is half of `startToClose`. */
const retryWindowMs = 60 * 60_000;

const Config = z.strictObject({
  review: z.string(),
  maxPixels: z.int().positive().optional(),
});

export const approvalPictures = defineStep({
  type: 'approval_pictures',
  config: Config,
  mode: 'call',
  profile: { batch: 50, startToClose: '2h', heartbeat: '20s', timeout: '6h' },
  route: ({ review }) => `copies pictures to "${review}" from direct URLs, which costs no requests`,
  run: (config, assets, context) => showPictures(config, assets, context),
});

/** Copies pictures to the review connector and records that they are shown. Approved assets are finished at once. */
export async function showPictures(
  config: z.output<typeof Config>,
  assets: StepAsset[],
  context: NodeContext,
  pause: Sleep = sleepFor,
): Promise<AssetResult[]> {
  const { store, shard, step, run, signal } = context;
  const retryWindow = { pause, retryUntilAtMs: context.now() + retryWindowMs };
  const ends = await mapBounded(
    assets.filter(({ platformIds }) => !isAssetApproved(platformIds, step.node)),
    (asset) =>
      catchAssetFailure(asset.key, () => copyPictures(asset, config, retryWindow, context)),
    { signal },
  );
  throwIfUnreachable(ends, context);
  const reviewedAssets = ends.filter((end) => 'pictures' in end);
  const review = run.connectors[config.review];
  if (reviewedAssets.length > 0 && review)
    await store.approvals.show({ shard, node: step.node, review, assets: reviewedAssets });
  const failures = ends.filter((end) => 'error' in end).map(failedResultOf);
  const failureByKey = new Map(failures.map((failure) => [failure.key, failure]));
  return assets.map(({ key }) => failureByKey.get(key) ?? { key, outcome: 'done' });
}

async function copyPictures(
  asset: StepAsset,
  config: z.output<typeof Config>,
  retryWindow: RetryWindow,
  context: NodeContext,
): Promise<ReviewedAsset> {
  const outputs = await awaitOutputs(
    () => readOutputs(asset, ['renders'], context, false),
    retryWindow,
    context,
  );
  const readUrl = createUrlReader(asset, context);
  const previous = await findPreviousPictures(asset, outputs, context);
  const copy = async ({ output, path }: NamedOutput): Promise<ReviewPicture> => {
    const target = {
      key: asset.key,
      path,
      output,
      connector: context.getConnector(config.review),
      metadata: null,
      // A blank picture is accepted, because a person may review it. Only the export refuses it.
      inspect: createInspector(output, { maxPixels: config.maxPixels, notBlank: false }),
      compare: () => Promise.resolve(null),
      readUrl: (refusedUrl?: string) => readUrl(output, refusedUrl),
    };
    const { width, height } = await fetchWithRetry(target, retryWindow, context);
    return { path, width, height, ...omitUndefined({ before: previous.get(output.id) }) };
  };
  const { run, step } = context;
  // Several pipelines and nodes may share a review connector, so each has its own folder.
  const naming = `${pipelineSlugOf(run.pipeline)}/${step.node}/{{ key }}/{{ output }}.{{ ext }}`;
  const namedOutputs = nameOutputs(asset, outputs, { naming, run: run.run });
  return {
    key: asset.key,
    pictures: await mapBounded(namedOutputs, copy, { signal: context.signal }),
  };
}

/** Finds delivered pictures, keyed by the id of the new output that has the same name, or of the only output. */
async function findPreviousPictures(
  { key }: StepAsset,
  outputs: readonly OutputRef[],
  context: Pick<NodeContext, 'store' | 'shard' | 'run'>,
): Promise<Map<string, PictureLocation>> {
  const { record, moved } = await readPreviousRecords(context, key);
  const previousRecord = moved ?? record;
  if (previousRecord === null) return new Map();
  const connectorOf = createConnectorFinder(await context.store.recipes.readKnown());
  const names = new Map(previousRecord.platformIds.outputs?.map(({ id, name }) => [id, name]));
  const pictures = previousRecord.files.filter(({ width }) => width > 0);
  const originals = pictures.filter(({ image }) => image === undefined);
  const candidates = originals.length > 0 ? originals : pictures;
  const isOnly = outputs.length === 1 && candidates.length === 1;
  return new Map(
    outputs.flatMap(({ id, name }) => {
      const file = candidates.find(({ output }) => isOnly || names.get(output) === name);
      const connector = file && context.run.connectors[connectorOf(file.delivery) ?? ''];
      return connector ? [[id, { connector, path: file.path }] as const] : [];
    }),
  );
}
