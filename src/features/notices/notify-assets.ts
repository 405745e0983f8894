// Notifies a receiver about assets that have reached a node: one notice for all assets of an activity call.
import { idempotencyKey } from '../../api/requests/idempotency.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { fail } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { assetNoticeBody, hashNoticeContent } from './asset-notice.ts';
import { assetsMessage, chatBody } from './chat.ts';
import { NoticeError, noticeDelayMs, type Receiver, sendNotice } from './send-notice.ts';

/**
 * If the receiver does not accept the notice, the activity attempt fails and is retried. The assets fail in the last
 * attempt, or if a retry would not help.
 */
export async function notifyAssets(
  target: Receiver,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const isNotified = (asset: StepAsset) => isAlreadyNotified(asset, context.step.node);
  const notified = assets.filter(isNotified);
  const pending = assets.filter((asset) => !isNotified(asset));
  return [
    ...notified.map(({ key }): AssetResult => ({ key, outcome: 'done' })),
    ...(pending.length > 0 ? await notifyReceiver(target, pending, context) : []),
  ];
}

async function notifyReceiver(
  target: Receiver,
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { attempt, run, step } = context;
  const id = noticeId(assets, context);
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
  const { run: name, pipeline } = run;
  const occasion = { run: name, pipeline, node: step.node };
  const { format } = target;
  const body =
    format === undefined
      ? assetNoticeBody(assets, { ...occasion, atMs: attempt.firstAtMs })
      : chatBody(format, assetsMessage(assets, { ...occasion, temporalUi: context.temporalUi }));
  try {
    const { guard, signal } = context;
    const status = await sendNotice({ id, target, body }, guard, context.now(), signal);
    return assets.map((asset): AssetResult => {
      return { key: asset.key, outcome: 'done', platformIds: deliveryIds(asset, status) };
    });
  } catch (error) {
    if (!(error instanceof NoticeError) || !isLastAttempt(error, context)) throw error;
    const { failure, message, status } = error;
    const attempts = attempt.number;
    return assets.map((asset): AssetResult => {
      const platformIds = deliveryIds(asset, status);
      return fail(failure, asset.key, message, { attempts, platformIds });
    });
  }
}

function isLastAttempt(error: NoticeError, context: NodeContext): boolean {
  const { number, untilMs } = context.attempt;
  return error.isPermanent || context.runNow() + noticeDelayMs(error, number) > untilMs;
}

/** Every attempt has the same id, also after a workflow reset that groups the same assets. */
function noticeId(assets: readonly StepAsset[], { run, step }: NodeContext): string {
  return idempotencyKey({
    lineage: run.lineage,
    step: `${step.id}/notice`,
    assets: assets.map((asset) => `${asset.key}@${hashNoticeContent(asset)}`),
    epoch: run.epoch,
  });
}

/** True if the receiver accepted a notice about the asset, in this run or an earlier one, and nothing has changed since. */
function isAlreadyNotified(asset: StepAsset, node: string): boolean {
  const { status = null, about } = asset.platformIds.notices?.[node] ?? {};
  return status !== null && status < 300 && about === hashNoticeContent(asset);
}
