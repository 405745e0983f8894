// Polls the library items of a shard once and reports which are ready, failed or overdue.

import { idFields } from '../../api/things.ts';
import { fail } from '../../failures/fail.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { handOn, overdue, readyResults } from '../../machinery/watch/waits.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { libraryFailures } from './failures.ts';
import {
  type ItemLook,
  isItemOver,
  libraryLooks,
  type WatchedItem,
  watchedItemId,
} from './library-board.ts';
import { itemIdOf, kindOf } from './library-kinds.ts';

export async function awaitLibrary(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const nowMs = context.runNow();
  const open = assets.flatMap((asset) => watched(asset) ?? []);
  const seen = await libraryLooks(context.lookout).ask(open, context);
  const found = assets.flatMap((asset) => {
    const item = watched(asset);
    const { look, sinceMs } = (item && seen.get(watchedItemId(item))) ?? {};
    const what = 'its library item was not ready';
    const late = overdue(asset, nowMs, {
      failure: libraryFailures.LIBRARY_TIMEOUT,
      what,
      status: look?.status,
    });
    return readyResults(asset, judge(asset, look), late, { times: context, sinceMs });
  });
  return handOn(found, assets.length, context);
}

/** The item to poll; undefined if it was ready as soon as it was confirmed. */
function watched({ source, refs }: StepAsset): WatchedItem | undefined {
  const id = itemIdOf(source, refs);
  return id === undefined || refs.itemReady ? undefined : { kind: kindOf(source), id };
}

function judge(asset: StepAsset, look: ItemLook | undefined): AssetResult | null {
  const { key, source, refs } = asset;
  if (refs.itemReady) return { key, outcome: 'done' };
  const kind = kindOf(source);
  const what = `${kind} ${itemIdOf(source, refs) ?? '(none)'}`;
  const forget = [idFields[kind]];
  if (look === null || itemIdOf(source, refs) === undefined) {
    const message = `${what} is not in the workspace; it was deleted or never created`;
    return fail(libraryFailures.LIBRARY_ITEM_NOT_FOUND, key, message, { forget, missing: true });
  }
  if (look === undefined || !isItemOver(look)) return null;
  if (look.status.toLowerCase() === 'ready') return { key, outcome: 'done' };
  const message = look.error ?? `${what} failed; the platform gives no reason`;
  return fail(libraryFailures.LIBRARY_ITEM_FAILED, key, message, { forget });
}
