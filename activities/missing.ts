// Checks whether the platform still has what earlier runs paid for, and whether it now shows what earlier runs missed.
import { recordsBefore } from '../src/capabilities/delivery/replaced-pictures.ts';
import { isAnyAway } from '../src/capabilities/delivery/standing-files.ts';
import { connectorsOf } from '../src/capabilities/discovery-source.ts';
import { capabilities } from '../src/capabilities/index.ts';
import { type Looks, presentRefs, readsOf, showsAgain } from '../src/capabilities/present-refs.ts';
import { isYoung } from '../src/machinery/visibility.ts';
import type { Refs } from '../src/plan/refs.ts';
import type { RunContext } from '../src/plan/run-context.ts';
import type { Asset } from '../src/plan/types.ts';
import { mapBounded } from '../src/store/objects/bounded.ts';
import { withoutForgotten } from '../src/store/runs/asset-sheets.ts';
import type { Deps } from './deps.ts';

const atOnce = 8;

/**
 * Drops earlier work that the platform no longer has, because it was deleted or belongs to another workspace; these assets
 * start again from their files. Assets that the root took from the platform are not checked.
 */
export async function withoutLost<A extends Asset>(
  assets: A[],
  deps: Deps,
  run: string,
): Promise<A[]> {
  // Assets with reusable stages are only delivered again and do not need their model.
  const adopted = assets.filter(({ source, refs }) => source.id === undefined && !refs.stands);
  const context = { lookout: deps.lookout, requests: deps.requestsOf(run), now: deps.now };
  const lost = new Set<A>();
  for (const capability of capabilities) {
    for (const asset of (await capability.lost?.(adopted, context)) ?? []) lost.add(asset);
  }
  return assets.map((asset) => (lost.has(asset) ? { ...asset, refs: {} } : asset));
}

function looksOf(deps: Deps, context: RunContext): Looks {
  const { client } = deps.platformOf(context);
  return { client, options: { priority: 'status', scope: deps.requestsOf(context.run) } };
}

/** Sends one request for each asset with missing ids, and none for the others. */
export function withoutMissing<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  context: RunContext,
): Promise<A[]> {
  const looks = looksOf(deps, context);
  const work = async (asset: A): Promise<A> => {
    const { missing, ...refs } = asset.refs;
    if (missing === undefined) return asset;
    const isThere = await showsAgain(looks, refs, missing);
    return { ...asset, refs: isThere ? refs : withoutForgotten(refs, missing) };
  };
  return mapBounded(assets, work, { atOnce });
}

/** A run that is not a rerun checks the earlier work of about this many assets of a shard. */
const sampled = 5;

/**
 * Drops the ids of resources that the platform no longer has, back to the last stage that still exists.
 * A rerun checks every asset with one or two requests. Other runs check a sample, and all assets if one of the sample has
 * lost something, since a restored backup usually lacks many resources. Assets that the root took from the platform are not
 * checked. Assets that are only delivered again need nothing on the platform while their delivered files are in place.
 */
export async function withoutGone<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  on: { context: RunContext; shard: number },
): Promise<A[]> {
  const { context } = on;
  const looks = looksOf(deps, context);
  const isRerun = context.epoch > 0;
  const away =
    isRerun || context.rendersAgain ? await standingAway(assets, deps, on) : new Set<A>();
  const built = assets.filter(
    (asset) =>
      readsOf(asset).length > 0 &&
      !isYoung(asset.refs, { client: looks.client, now: deps.now }) &&
      (!asset.refs.stands || away.has(asset)),
  );
  const standing = new Map<A, A>();
  const look = (some: readonly A[]) =>
    mapBounded(
      some.filter((asset) => !standing.has(asset)),
      async (asset) => {
        standing.set(asset, { ...asset, refs: await presentRefs(asset, looks) });
      },
      { atOnce },
    );
  const every = Math.ceil(built.length / sampled);
  await look(built.filter((asset, index) => isRerun || away.has(asset) || index % every === 0));
  const isAnyGone = [...standing].some(([before, { refs }]) => sizeOf(refs) < sizeOf(before.refs));
  if (isAnyGone) await look(built);
  return assets.map((asset) => standing.get(asset) ?? asset);
}

/** Assets that are only delivered again, and of which a delivered file is missing. */
async function standingAway<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  { context, shard }: { context: RunContext; shard: number },
): Promise<Set<A>> {
  const standing = assets.filter(({ refs }) => refs.stands);
  if (standing.length === 0) return new Set();
  const store = deps.store(context);
  const known = await store.recipes.known();
  const { connectors } = context;
  const places = { connectors, connectorNamed: connectorsOf(context, deps.connector) };
  const looked = await mapBounded(
    standing,
    async (asset) => {
      const before = await recordsBefore({ store, shard }, asset.key);
      const record = before.moved ?? before.record;
      return record === null || (await isAnyAway(record, known, places)) ? [asset] : [];
    },
    { atOnce },
  );
  return new Set(looked.flat());
}

function sizeOf(refs: Refs): number {
  return Object.keys(refs).length;
}
