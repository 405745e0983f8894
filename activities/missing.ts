// Looks again for what earlier runs paid for and did not find: a platform that lags may show it by now.
import type { CallOptions, Client } from '../src/api/client.ts';
import { capabilities } from '../src/capabilities/index.ts';
import { nullWhenGone } from '../src/machinery/null-when-gone.ts';
import { orUnreadable } from '../src/machinery/unreadable.ts';
import type { Refs } from '../src/plan/refs.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Asset } from '../src/plan/types.ts';
import { mapBounded } from '../src/store/objects/bounded.ts';
import { withoutForgotten } from '../src/store/runs/asset-sheets.ts';
import type { Deps } from './deps.ts';

const atOnce = 8;

/**
 * Assets whose earlier work the platform does not have any more are taken up again from their files: it was
 * deleted, or the records come from another workspace. What the run was to take is not adopted.
 */
export async function withoutLost<A extends Asset>(
  assets: A[],
  deps: Deps,
  run: string,
): Promise<A[]> {
  // What stands is delivered again, and needs its model no more.
  const adopted = assets.filter(({ source, refs }) => source.id === undefined && !refs.stands);
  const context = { lookout: deps.lookout, requests: deps.requestsOf(run), now: deps.now };
  const lost = new Set<A>();
  for (const capability of capabilities) {
    for (const asset of (await capability.lost?.(adopted, context)) ?? []) lost.add(asset);
  }
  return assets.map((asset) => (lost.has(asset) ? { ...asset, refs: {} } : asset));
}

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
    return { ...asset, refs: isThere ? refs : withoutForgotten(refs, missing) };
  };
  return mapBounded(assets, work, { atOnce });
}

const reads = capabilities.flatMap((capability) => capability.reads ?? []);

async function showsAgain(
  client: Client,
  refs: Refs,
  missing: readonly (keyof Refs)[],
  options: CallOptions,
): Promise<boolean> {
  const known = reads.find(([field]) => missing.includes(field) && refs[field] !== undefined);
  if (known === undefined) return false;
  const [, read] = known;
  // An answer that cannot be read is one about something.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}
