import { z } from 'zod';
import { createIdempotencyKey } from '../../api/requests/idempotency-key.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { defineNode } from '../../engine/node-type.ts';
import { fail } from '../../failures/fail.ts';
import { isValidReceiver, receiverFields, receiverForm } from '../../language/fields.ts';
import { computeShortSha256 } from '../../language/hash.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { readyModelsExample } from '../example.ts';
import { createAssetsMessage, formatChatBody } from './chat.ts';
import {
  computeNoticeDelayMs,
  formatNoticeBody,
  NoticeError,
  type Receiver,
  sendNotice,
} from './send-notice.ts';

const Config = z
  .strictObject({
    ...receiverFields,
    onFailure: z
      .enum(['fail', 'ignore'])
      .default('fail')
      .describe(
        'What happens to assets if the receiver never accepts their notice: `fail` fails them, so that the next run sends the notice again; `ignore` continues with a warning.',
      ),
  })
  .refine(isValidReceiver, { message: receiverForm });

export const notify = defineNode({
  type: 'notify',
  summary: 'Notify your receiver of the assets that have reached this node, in a signed request.',
  docs: `Assets that arrive together share one POST, signed according to Standard Webhooks. The notice has, for each asset, its
key, its ids on the platform, its outputs, the files delivered so far and warnings (docs/notices.md shows the body). Assets that
failed before do not reach the node: \`notify:\` of the file reports these assets when the run finishes.

Any 2xx accepts the notice. 408, 429, server errors and missing responses are retried with growing delays of up to 15 minutes, for
as long as \`timeout\` allows (default 6h), under the same \`webhook-id\`. Other responses are final; redirects are not followed.
Meanwhile all other assets continue. \`renderline show\` shows the state of each notice.

\`format: slack\` or \`format: teams\` with \`urlFrom\` posts a chat message instead, to the address of an incoming webhook (Slack)
or of a workflow (Teams). This address is a secret: the file names the worker's environment variable that holds it. Chat messages
are not signed. If the address of your receiver is a secret, write \`urlFrom\` instead of \`url\`.

The node creates nothing, so an asset that \`when:\` skips continues as if the node were not there, and adding the node repeats no
work. An asset is notified once, and again only if its source or its resources on the platform change.`,
  example: `${readyModelsExample('tell-the-shop', 'pictures')}
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }
  - id: tell
    type: notify
    parentIds: [deliver]
    when: 'asset.folder.startsWith("shop")'
    config: { url: "https://hooks.example.com/pictures", secretFrom: RENDERLINE_SECRET_SHOP }
`,
  config: Config,
  mode: 'call',
  needs: [],
  gives: [],
  isSideStep: true,
  profile: { batch: 100, startToClose: '1m', timeout: '6h' },
  recipe: [],
  route: (_config, batch) =>
    `sends one POST for up to ${batch} assets to the receiver; no API requests`,
  steps: ({ onFailure, ...receiver }, scope) => [
    {
      ...scope.own({ ...omitUndefined(receiver), onFailure }),
      ...(onFailure === 'ignore' ? { onFailure } : {}),
    },
  ],
  run: notifyAssets,
});

/** Notifies about assets. A refused notice fails the attempt, which is retried. The assets fail in the last attempt. */
export async function notifyAssets(
  target: Receiver,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const isNotified = (asset: StepAsset) => isAlreadyNotified(asset, context.step.node);
  const notifiedAssets = assets.filter(isNotified);
  const pendingAssets = assets.filter((asset) => !isNotified(asset));
  return [
    ...notifiedAssets.map(({ key }): AssetResult => ({ key, outcome: 'done' })),
    ...(pendingAssets.length > 0 ? await notifyReceiver(target, pendingAssets, context) : []),
  ];
}

async function notifyReceiver(
  target: Receiver,
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { attempt, run, step } = context;
  const id = createNoticeId(assets, context);
  const deliveryIds = (asset: StepAsset, status: number | null): PlatformIds => ({
    notices: {
      [step.node]: {
        id,
        status,
        attempts: attempt.number,
        at: new Date(context.now()).toISOString(),
        about: hashNoticeContent(asset),
      },
    },
  });
  const occasion = { run: run.run, pipeline: run.pipeline, node: step.node };
  const { format } = target;
  const body =
    format === undefined
      ? // The time is that of the first attempt, so that all attempts send the same bytes.
        formatNoticeBody('assets.reached', new Date(attempt.firstAtMs).toISOString(), {
          schema: 'renderline/asset-notice/v1',
          ...occasion,
          assets: assets.map(toNoticeAsset),
        })
      : formatChatBody(
          format,
          createAssetsMessage(assets, { ...occasion, temporalUi: context.temporalUi }),
        );
  try {
    const { operatorRules, signal } = context;
    const status = await sendNotice({ id, target, body }, operatorRules, context.now(), signal);
    return assets.map((asset): AssetResult => {
      return { key: asset.key, outcome: 'done', platformIds: deliveryIds(asset, status) };
    });
  } catch (error) {
    if (!(error instanceof NoticeError) || !isLastAttempt(error, context)) throw error;
    const { failure, message, status } = error;
    return assets.map((asset) => {
      const details = { attempts: attempt.number, platformIds: deliveryIds(asset, status) };
      return fail(failure, asset.key, message, details);
    });
  }
}

function isLastAttempt(error: NoticeError, context: NodeContext): boolean {
  const { number, retryUntilAtMs } = context.attempt;
  return (
    error.isPermanent || context.runNow() + computeNoticeDelayMs(error, number) > retryUntilAtMs
  );
}

/** Creates an id that is the same in every attempt, even after a reset, if the same assets are grouped again. */
function createNoticeId(assets: readonly StepAsset[], { run, step }: NodeContext): string {
  return createIdempotencyKey({
    lineage: run.lineage,
    step: `${step.id}/notice`,
    assets: assets.map((asset) => `${asset.key}@${hashNoticeContent(asset)}`),
    epoch: run.epoch,
  });
}

/** True if the receiver accepted a notice about the asset in its current state, in this run or an earlier one. */
function isAlreadyNotified(asset: StepAsset, node: string): boolean {
  const { status = null, about } = asset.platformIds.notices?.[node] ?? {};
  return status !== null && status < 300 && about === hashNoticeContent(asset);
}

/** Maximum number of outputs per asset in a notice. `outputsTotal` counts all outputs. */
const maxOutputsListed = 20;

/** The JSON of an asset in a notice. Ids that the asset does not have are omitted. */

function toNoticeAsset({ key, source, platformIds, earlierResults }: StepAsset) {
  const { modelId, templateId, projectId, jobId, variants, variantName, sheet } = platformIds;
  const { files = [], filesTotal = 0, warnings = [] } = earlierResults ?? {};
  const { outputs = [] } = platformIds;
  return {
    key,
    source: source.path,
    modelId,
    templateId,
    projectId,
    jobId,
    variantIds: variants,
    variantName,
    productionFile: sheet?.fileId && { id: sheet.fileId, name: sheet.name },
    outputs: outputs.slice(0, maxOutputsListed),
    outputsTotal: outputs.length,
    files: files.map(({ key: _key, ...file }) => file),
    filesTotal,
    warnings,
  };
}

/** Hashes the notified state: the source and the platform resources. If it has not changed, no notice is due. */
function hashNoticeContent({ source, platformIds }: StepAsset): string {
  const { modelId = null, projectId = null, jobId = null, variants = [], sheet } = platformIds;
  return computeShortSha256([
    source.version,
    modelId,
    projectId,
    jobId,
    variants,
    sheet?.fileId ?? null,
  ]);
}
