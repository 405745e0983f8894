// Reads the states of the assets of an activity from the records store, and writes the activity's updates.
import { Context } from '@temporalio/activity';
import type { ShardOf } from '../src/plan/step-contract.ts';
import { type AssetSheet, assetSheets } from '../src/store/runs/asset-sheets.ts';
import type { AssetPatch } from '../src/store/runs/shard-pages.ts';
import type { Deps } from './deps.ts';

interface Asked extends ShardOf {
  assets: readonly number[];
  pages: readonly string[];
}

export async function readSheets(
  { context, shard, assets, pages }: Asked,
  deps: Deps,
  signal?: AbortSignal,
): Promise<AssetSheet[]> {
  const store = deps.store(context);
  const [page, known] = await Promise.all([
    store.manifest.page(shard),
    store.pages(shard).read(pages, signal),
  ]);
  return assetSheets(page, known, assets, store.refs);
}

/**
 * @returns the names of the written pages
 * @param node of the pipeline file; empty if there is none
 * @param part tells the pages of one attempt apart
 */
export function writePatches(
  { context, shard }: ShardOf,
  { node, part = '' }: { node: string; part?: string },
  patches: readonly AssetPatch[],
  deps: Deps,
): Promise<string[]> {
  return deps.store(context).pages(shard).write(`${pageName()}${part}`, node, patches);
}

/** Unique among all attempts of all activities, also after the workflow was reset. */
function pageName(): string {
  const { workflowExecution, activityId, attempt } = Context.current().info;
  return `${workflowExecution?.runId.slice(-12) ?? ''}-${activityId}-${attempt}`;
}
