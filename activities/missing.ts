// What earlier runs have paid for and then not found: a platform that lags may show it by now.
import type { CallOptions, Client } from '../src/api/client.ts';
import { nullWhenGone } from '../src/engine/null-when-gone.ts';
import { orUnreadable } from '../src/engine/unreadable.ts';
import type { RunContext } from '../src/plan/contract.ts';
import type { Asset, Refs } from '../src/plan/types.ts';
import { mapBounded } from '../src/store/bounded.ts';
import type { Deps } from './deps.ts';

type Read = (client: Client, refs: Refs, options: CallOptions) => Promise<unknown>;

/**
 * By what an asset names, the outermost first: who has no project any more has no use for its renders. Models are
 * looked at in any case.
 */
const reads: readonly [keyof Refs, Read][] = [
  [
    'projectId',
    (client, { projectId = '' }, options) => client.getProject({ params: { projectId } }, options),
  ],
  [
    'jobId',
    (client, { jobId = '' }, options) => client.getRenderJob({ params: { jobId } }, options),
  ],
  [
    'colorway',
    (client, { colorway }, options) =>
      client.getColorwayBatch({ params: { batchId: colorway?.batchId ?? '' } }, options),
  ],
  [
    'sheet',
    (client, { sheet }, options) =>
      client.getProductionFileExport({ params: { exportId: sheet?.exportId ?? '' } }, options),
  ],
  ['propId', (client, { propId = '' }, options) => client.getProp({ params: { propId } }, options)],
  [
    'decalId',
    (client, { decalId = '' }, options) => client.getDecal({ params: { decalId } }, options),
  ],
  [
    'materialId',
    (client, { materialId = '' }, options) =>
      client.getMaterial({ params: { materialId } }, options),
  ],
];
const atOnce = 8;

/** A request for each asset that has missed something; the others cost none. */
export function withoutMissing<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  context: RunContext,
): Promise<A[]> {
  const { client } = deps.platformOf(context);
  const options = { priority: 'status', scope: deps.requestsOf(context.run) } as const;
  const work = async (asset: A): Promise<A> => {
    const { missing, ...refs } = asset.refs;
    if (missing === undefined) return asset;
    const isThere = await showsAgain(client, refs, missing, options);
    return { ...asset, refs: isThere ? refs : without(refs, missing) };
  };
  return mapBounded(assets, work, { atOnce });
}

async function showsAgain(
  client: Client,
  refs: Refs,
  missing: readonly (keyof Refs)[],
  options: CallOptions,
): Promise<boolean> {
  if (missing.includes('modelId')) return true;
  const read = reads.find(([name]) => missing.includes(name) && refs[name] !== undefined)?.[1];
  if (read === undefined) return false;
  // An answer that cannot be read is one about something.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}

function without(refs: Refs, names: readonly (keyof Refs)[]): Refs {
  const gone = new Set<string>(names);
  return Object.fromEntries(Object.entries(refs).filter(([name]) => !gone.has(name)));
}
