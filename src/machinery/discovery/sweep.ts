// Finds the objects that a pipeline should run for: those that events told of, and those that a sweep finds.
import type { Sifted, ToldOf } from '../../plan/sift-contract.ts';
import type { OwnObjects } from '../../store/calls/own-objects.ts';
import { type DiscoverySource, previewDiscovery } from '../../store/discovery/discover-run.ts';
import type { ListedSource } from '../../store/discovery/lister.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { madeByOthers, type OwnCheck, type OwnContext, toldByOthers } from './own-check.ts';

/** How far the clocks of platform and worker may be apart. */
const clocksApartMs = 60_000;
/** The answer of a sweep goes into a history and must stay small. */
const idsAtMost = 2_000;

export interface SweepContext extends OwnContext {
  /** What runs of the workspace have made. */
  readonly ownObjects: () => Promise<OwnObjects>;
  /** Takes objects that our own runs have made, too. */
  readonly own: boolean;
  /** What tells its own things from others; the first that knows decides. */
  readonly checks: readonly OwnCheck[];
}

/** An event is news of itself, so its objects are taken, whatever was done with them before. */
export async function siftTold(told: readonly ToldOf[], context: SweepContext): Promise<Sifted> {
  const taken = context.own
    ? told
    : toldByOthers(told, context.checks, await context.ownObjects(), context);
  return { ids: taken.map(({ id }) => id), again: false };
}

/** A sweep finds the same things again and again, so those that were taken up before are passed over, however they ended. */
export async function sweep(
  source: DiscoverySource,
  store: RunStore,
  context: SweepContext,
): Promise<Sifted> {
  const { found } = await source.lister.list(context.signal);
  if (found.length === 0) return { ids: [], again: false };
  // Read after the list: calls of ours that made some of it have been answered by then, or are still open.
  const { taken, again } = context.own
    ? { taken: found, again: false }
    : await foreignOf(found, await context.ownObjects(), context);
  if (taken.length === 0) return { ids: [], again };
  const lister = { list: async () => ({ found: taken, refused: [] }) };
  const { assets } = await previewDiscovery(store, { ...source, lister });
  const open = assets.filter(({ reason }) => reason !== 'retry');
  // Several assets of a grid have the same model.
  const ids = [...new Set(open.flatMap(({ source: { id } }) => id ?? []))];
  // The rest is found again, once runs have taken up these.
  return { ids: ids.slice(0, idsAtMost), again: again || ids.length > idsAtMost };
}

async function foreignOf(
  found: readonly ListedSource[],
  own: OwnObjects,
  context: SweepContext,
): Promise<{ taken: ListedSource[]; again: boolean }> {
  const foreign = await madeByOthers(found, context.checks, own, context);
  const { openSinceMs } = own;
  if (openSinceMs === null) return { taken: foreign, again: false };
  // An object without a date may have been made by the open call.
  const wasBefore = ({ madeAtMs = Number.POSITIVE_INFINITY }: ListedSource) =>
    madeAtMs < openSinceMs - clocksApartMs;
  const taken = foreign.filter(wasBefore);
  return { taken, again: taken.length < foreign.length };
}
