// Polls the library items of a shard once and reports which are ready, failed or overdue.

import { idFields } from '../../api/resources.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { awaitItems } from '../../engine/wait-results.ts';
import { fail } from '../../failures/fail.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { libraryFailures } from './failures.ts';
import { itemIdOf, kindOf } from './library-kinds.ts';
import {
  type ItemPollResult,
  isItemFinished,
  libraryStatusPoller,
  type WatchedItem,
} from './library-status-poller.ts';

export function awaitLibrary(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return awaitItems(assets, context, {
    poller: libraryStatusPoller(context.pollerContext),
    itemOf: watchedItem,
    resultOf: toResult,
    timeout: { failure: libraryFailures.LIBRARY_TIMEOUT, what: 'its library item was not ready' },
    canEndAtOnce: true,
  });
}

/** The item to poll; null if the asset has none, or if the item was ready as soon as it was confirmed. */
function watchedItem({ source, platformIds }: StepAsset): WatchedItem | null {
  const id = itemIdOf(source, platformIds);
  return id === undefined || platformIds.itemReady ? null : { kind: kindOf(source), id };
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
