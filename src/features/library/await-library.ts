// Polls the library items of a shard once and reports which are ready, failed or overdue.

import { idFields } from '../../api/resources.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { failIfOverdue, takeReadyResults, toReadyResults } from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { libraryFailures } from './failures.ts';
import { itemIdOf, kindOf } from './library-kinds.ts';
import {
  type ItemPollResult,
  isItemFinished,
  libraryStatusPoller,
  type WatchedItem,
  watchedItemId,
} from './library-status-poller.ts';

export async function awaitLibrary(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const open = assets.flatMap((asset) => watchedItem(asset) ?? []);
  const seen = await libraryStatusPoller(context.pollerContext).poll(open, context);
  const found = assets.flatMap((asset) => {
    const item = watchedItem(asset);
    const { status, sinceMs } = (item && seen.get(watchedItemId(item))) ?? {};
    const what = 'its library item was not ready';
    const late = failIfOverdue(asset, nowMs, {
      failure: libraryFailures.LIBRARY_TIMEOUT,
      what,
      status: status?.status,
    });
    return toReadyResults(asset, toResult(asset, status), late, { times: context, sinceMs });
  });
  return takeReadyResults(found, assets.length, context);
}

/** The item to poll; undefined if it was ready as soon as it was confirmed. */
function watchedItem({ source, platformIds }: StepAsset): WatchedItem | undefined {
  const id = itemIdOf(source, platformIds);
  return id === undefined || platformIds.itemReady ? undefined : { kind: kindOf(source), id };
}

function toResult(asset: StepAsset, polled: ItemPollResult | undefined): AssetResult | null {
  const { key, source, platformIds } = asset;
  if (platformIds.itemReady) return { key, outcome: 'done' };
  const kind = kindOf(source);
  const what = `${kind} ${itemIdOf(source, platformIds) ?? '(none)'}`;
  const forget = [idFields[kind]];
  if (polled === null || itemIdOf(source, platformIds) === undefined) {
    const message = `${what} is not in the workspace; it was deleted or never created`;
    return fail(libraryFailures.LIBRARY_ITEM_NOT_FOUND, key, message, {
      forgetIds: forget,
      missing: true,
    });
  }
  if (polled === undefined || !isItemFinished(polled)) return null;
  if (polled.status.toLowerCase() === 'ready') return { key, outcome: 'done' };
  const message = polled.error ?? `${what} failed; the platform gives no reason`;
  return fail(libraryFailures.LIBRARY_ITEM_FAILED, key, message, { forgetIds: forget });
}
