import { z } from 'zod';
import type { Connector } from '../../connectors/connector.ts';
import { withLocalCopy } from '../../connectors/disk/local-copy.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { createDraft, defineNode } from '../../engine/node-type.ts';
import { fail } from '../../failures/fail.ts';
import { formatDuration } from '../../language/duration.ts';
import { connectorName } from '../../language/fields.ts';
import { createPreview } from '../../pictures/compare-pictures.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { Decision, ReviewedAsset } from '../../store/runs/pictures/approvals.ts';
import { approvalFailures, rejectionOf } from '../decisions/failures.ts';
import { jobIdFields } from '../renders/failures.ts';
import { findMaxPixels } from '../renders/requested-pixels.ts';
import { hashOutputs, isAssetApproved, withDecision } from './platform-ids.ts';
import { approvalPictures } from './show-pictures.ts';

export const approval = defineNode({
  type: 'approval',
  summary: 'Hold each asset until a person has approved or rejected its pictures.',
  docs: `The pictures of each asset are copied to the \`review\` connector as
\`PIPELINE/NODE/KEY/OUTPUT.EXT\`, and the asset waits. Nothing is delivered until a person decides: with \`renderline approve RUN\`, or on the page of \`renderline ui\`. Approved assets
continue at once, also while others wait. A rejected asset fails with APPROVAL_REJECTED and the reason; a rerun renders
it again. After the decision, its pictures are deleted from the \`review\` connector. \`timeout\` is how long an asset may wait (default 7d); then it
fails with APPROVAL_TIMEOUT.

Pictures are approved only once: an asset whose outputs were approved before does not wait again.
The record of an asset and the report name who decided, when and why.

The step-by-step guide is [Approve pictures before they are delivered](../how-to/approve-pictures.md).`,
  example: `name: approved-pictures
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
  review: { type: local, path: "\${{ params.out }}-review" }
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: look, type: approval, parentIds: [shots], config: { review: review }, timeout: 3d }
  - id: deliver
    type: export
    parentIds: [look]
    config: { connector: pictures, naming: "{{ key }}.{{ ext }}" }
`,
  config: z.strictObject({
    review: connectorName.describe(
      'Connector of this file to which pictures are copied for review. No export may deliver to this connector.',
    ),
  }),
  mode: 'wait',
  waitsFor: 'a person to approve',
  asksPeople: true,
  needs: ['finished render'],
  gives: [],
  profile: { batch: 250, startToClose: '5m', timeout: '7d' },
  recipe: [],
  route: () => 'waits for `renderline approve`; sends no requests',
  steps: (config, scope) => [
    createDraft('pictures', approvalPictures, { ...config, maxPixels: findMaxPixels(scope) }),
    scope.own(config),
  ],
  run: awaitDecisions,
});

/** Maximum size of a rejected picture that gets a preview in the report. */
const maxPictureBytes = 512 * 1024 ** 2;

export async function awaitDecisions(
  { review }: { review: string },
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { store, shard, step } = context;
  const decisions = await store.approvals.decisions(step.node, shard);
  const nowMs = context.runNow();
  const results = assets.flatMap((asset): AssetResult[] => {
    const { key, platformIds, deadlineMs, enteredAtMs = nowMs } = asset;
    if (isAssetApproved(platformIds, step.node)) return [{ key, outcome: 'done' }];
    const decision = decisions.get(key);
    if (decision !== undefined) return [toResult(asset, decision, step.node)];
    if (deadlineMs === undefined || nowMs < deadlineMs) return [];
    const message = `nobody approved or rejected its pictures within ${formatDuration(deadlineMs - enteredAtMs)}`;
    return [fail(approvalFailures.APPROVAL_TIMEOUT, key, message)];
  });
  if (results.length > 0) await removePictures(results, context.getConnector(review), context);
  return results;
}

function toResult({ key, platformIds }: StepAsset, decision: Decision, node: string): AssetResult {
  const assetDecision = { ...decision, node, outputs: hashOutputs(platformIds) };
  const resultFields = { platformIds: { decisions: withDecision(platformIds, assetDecision) } };
  if (decision.outcome === 'approved') return { key, outcome: 'done', ...resultFields };
  const message = rejectionOf(decision, 'its pictures');
  // The next run renders the asset again instead of showing the same pictures.
  const failureFields = { ...resultFields, forgetIds: [...jobIdFields] };
  return fail(approvalFailures.APPROVAL_REJECTED, key, message, failureFields);
}

/** Deletes the review pictures of assets that have a result. Idempotent. */
async function removePictures(
  results: readonly AssetResult[],
  connector: Connector,
  context: NodeContext,
): Promise<void> {
  const { store, shard, step, signal } = context;
  const resultByKey = new Map(results.map((result) => [result.key, result]));
  const pages = await store.approvals.shown(shard);
  const shownAssets = pages.flatMap(({ node, assets }) => (node === step.node ? assets : []));
  await context.assertLease();
  await mapBounded(
    shownAssets.filter(({ key }) => resultByKey.has(key)),
    async (asset) => {
      context.heartbeat();
      const result = resultByKey.get(asset.key);
      if (result?.outcome === 'failed' && result.code === approvalFailures.APPROVAL_REJECTED.code)
        await writePreview(asset, connector, context);
      for (const { path } of asset.pictures) await connector.remove(path);
    },
    { signal },
  );
}

/** Keeps a small copy of the first picture for the report. */
async function writePreview(
  { key, pictures }: ReviewedAsset,
  connector: Connector,
  { store, signal }: NodeContext,
): Promise<void> {
  const first = pictures.find(({ width }) => width > 0);
  if (first === undefined) return;
  const options = { maxBytes: maxPictureBytes, signal };
  // If there is no copy, the report shows only the reason.
  const preview = withLocalCopy(connector, first.path, options, createPreview);
  const picture = await preview.catch(() => null);
  signal.throwIfAborted();
  if (picture !== null) await store.failedImages.write(key, { path: first.path, picture });
}
