// Finds the objects for which an event trigger must start runs: the objects of events, and those that a sweep lists.
import type { EventObject, FilteredEvents } from '../../plan/contract/filter-contract.ts';
import type { OwnObjects } from '../../store/calls/own-objects.ts';
import { type DiscoverySource, previewDiscovery } from '../../store/discovery/discover-run.ts';
import type { ListedSource } from '../../store/discovery/listed-source.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import {
  filterCreatedByOthers,
  filterEventsOfOthers,
  type OwnershipCheck,
  type OwnershipContext,
} from './ownership-check.ts';

/** Maximum difference between the clocks of the platform, of Temporal and of the worker. */
const maxClockSkewMs = 60_000;
/** Maximum number of ids in the result of a sweep, because the result is part of a workflow history. */
const maxIds = 2_000;

export interface SweepContext extends OwnershipContext {
  /** Reads what runs of the workspace have created. */
  readonly ownObjects: () => Promise<OwnObjects>;
  /** True to include objects created by our own runs. */
  readonly includesOwn: boolean;
  /** Checks that recognize our own objects. The first check that does not return null decides. */
  readonly checks: readonly OwnershipCheck[];
}

/**
 * Filters the objects of events. Objects that were already processed are included, because the event is new.
 * @param receivedAtMs when all events had arrived, epoch ms
 * @returns null if a call that began earlier may have created one of the objects, but its response is not stored yet
 */
export async function filterEventObjects(
  events: readonly EventObject[],
  receivedAtMs: number,
  context: SweepContext,
): Promise<FilteredEvents | null> {
  if (context.includesOwn) return { ids: events.map(({ id }) => id), needsAnotherSweep: false };
  const ownObjects = await context.ownObjects();
  const relevantEvents = filterEventsOfOthers(events, context.checks, ownObjects, context);
  const { openSinceMs } = ownObjects;
  const isPending = openSinceMs !== null && openSinceMs - maxClockSkewMs <= receivedAtMs;
  if (isPending && relevantEvents.length > 0) return null;
  return { ids: relevantEvents.map(({ id }) => id), needsAnotherSweep: false };
}

/** Lists objects, even without an event. Omits those already processed, because each sweep lists the same objects. */
export async function sweep(
  source: DiscoverySource,
  store: RunStore,
  context: SweepContext,
): Promise<FilteredEvents> {
  const { sources } = await source.lister.list(context.signal);
  if (sources.length === 0) return { ids: [], needsAnotherSweep: false };
  // Our calls are read after the list, so that a call that created a listed object is either finished or still open.
  const { relevantSources, needsAnotherSweep } = context.includesOwn
    ? { relevantSources: sources, needsAnotherSweep: false }
    : await filterCreatedElsewhere(sources, await context.ownObjects(), context);
  if (relevantSources.length === 0) return { ids: [], needsAnotherSweep };
  const lister = { list: async () => ({ sources: relevantSources, failures: [] }) };
  const { assets } = await previewDiscovery(store, { ...source, lister });
  const openAssets = assets.filter(({ reason }) => reason !== 'retry');
  // Ids are deduplicated, because several assets of a grid share a model.
  const ids = [...new Set(openAssets.flatMap(({ source: { id } }) => id ?? []))];
  // The next sweep finds the rest, once runs have processed these ids.
  return { ids: ids.slice(0, maxIds), needsAnotherSweep: needsAnotherSweep || ids.length > maxIds };
}

async function filterCreatedElsewhere(
  sources: readonly ListedSource[],
  ownObjects: OwnObjects,
  context: SweepContext,
): Promise<{ relevantSources: ListedSource[]; needsAnotherSweep: boolean }> {
  const foreign = await filterCreatedByOthers(sources, context.checks, ownObjects, context);
  const { openSinceMs } = ownObjects;
  if (openSinceMs === null) return { relevantSources: foreign, needsAnotherSweep: false };
  // An object without a date counts as new, because an open call may have created it.
  const wasBefore = ({ madeAtMs = Number.POSITIVE_INFINITY }: ListedSource) =>
    madeAtMs < openSinceMs - maxClockSkewMs;
  const earlierSources = foreign.filter(wasBefore);
  return {
    relevantSources: earlierSources,
    needsAnotherSweep: earlierSources.length < foreign.length,
  };
}
