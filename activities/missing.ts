// Looks again for what earlier runs paid for and did not find: a platform that lags may show it by now.
import type { CallOptions, Client } from '../src/api/client.ts';
import { capabilities } from '../src/capabilities/index.ts';
import { nullWhenGone } from '../src/machinery/null-when-gone.ts';
import { orUnreadable } from '../src/machinery/unreadable.ts';
import { isYoung } from '../src/machinery/visibility.ts';
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

/** How the platform is asked what it has. */
interface Looks {
  client: Client;
  options: CallOptions;
}

function looksOf(deps: Deps, context: RunContext): Looks {
  const { client } = deps.platformOf(context);
  return { client, options: { priority: 'status', scope: deps.requestsOf(context.run) } };
}

/** A request for each asset that has missed something; the others cost none. */
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

const reads = capabilities.flatMap((capability) => capability.reads ?? []);

type Reading = (typeof reads)[number];

/** Assets of a shard whose earlier work is looked at in any run; of more, a run that is no rerun looks at as many. */
const sampled = 5;

/**
 * Assets without what earlier runs have made for them and the platform does not have any more, from the last stage that
 * still stands. A rerun looks at each, by a request or two; other runs look at a few, and at all where one of them has
 * lost something: what a backup lacks it lacks for many. What the run was to take from the platform is not looked at.
 */
export async function withoutGone<A extends Asset>(
  assets: readonly A[],
  deps: Deps,
  context: RunContext,
): Promise<A[]> {
  const looks = looksOf(deps, context);
  const isRerun = context.epoch > 0;
  const built = assets.filter(
    (asset) =>
      readsOf(asset).length > 0 &&
      !isYoung(asset.refs, { client: looks.client, now: deps.now }) &&
      // What stands is taken where it was delivered, as far as it lies there.
      (isRerun || !asset.refs.stands),
  );
  const standing = new Map<A, A>();
  const look = (some: readonly A[]) =>
    mapBounded(
      some.filter((asset) => !standing.has(asset)),
      async (asset) => {
        standing.set(asset, { ...asset, refs: await standingRefs(asset, looks) });
      },
      { atOnce },
    );
  const every = Math.ceil(built.length / sampled);
  await look(isRerun ? built : built.filter((_, index) => index % every === 0));
  const isAnyGone = [...standing].some(([before, { refs }]) => sizeOf(refs) < sizeOf(before.refs));
  if (isAnyGone) await look(built);
  return assets.map((asset) => standing.get(asset) ?? asset);
}

/** A render that is there shows that its project is. */
const shownBy: { [Field in keyof Refs]?: keyof Refs } = { projectId: 'jobId' };

/** The refs without what is gone. */
async function standingRefs(asset: Pick<Asset, 'refs' | 'source'>, looks: Looks): Promise<Refs> {
  const { refs } = asset;
  let standing = refs;
  for (const reading of readsOf(asset)) {
    const [field, , forget] = reading;
    const inner = shownBy[field];
    if (inner !== undefined && standing[inner] !== undefined) continue;
    if (await isThere(reading, refs, looks)) continue;
    const { stands: _stands, ...left } = withoutForgotten(standing, forget);
    standing = left;
  }
  return standing;
}

/** Reads of what a rerun looks for, the innermost first; models are looked at many at once (`withoutLost`). */
function readsOf({ refs, source: { id } }: Pick<Asset, 'refs' | 'source'>): Reading[] {
  // The project of a render that the run was to take was there before it.
  if (id !== undefined && id !== refs.modelId && id !== refs.projectId) return [];
  const made = reads.filter(
    ([field, , forget]) => forget !== undefined && refs[field] !== undefined && refs[field] !== id,
  );
  return made.reverse();
}

function sizeOf(refs: Refs): number {
  return Object.keys(refs).length;
}

async function showsAgain(
  looks: Looks,
  refs: Refs,
  missing: readonly (keyof Refs)[],
): Promise<boolean> {
  const known = reads.find(([field]) => missing.includes(field) && refs[field] !== undefined);
  return known !== undefined && (await isThere(known, refs, looks));
}

async function isThere(
  [, read]: Reading,
  refs: Refs,
  { client, options }: Looks,
): Promise<boolean> {
  // An answer that cannot be read is one about something.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}
