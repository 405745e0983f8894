// Finds the resources that can be deleted: they exist on the platform, and the records show that nothing uses them.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import type { Connector } from '../../connectors/connector.ts';
import { openConnector } from '../../connectors/index.ts';
import { checkOrphans } from '../../engine/cleaning/check-orphans.ts';
import type { CheckedOrphans } from '../../engine/feature.ts';
import { features } from '../../features/index.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';
import { resourceId } from '../../store/records/resource-id.ts';
import {
  findOrphans,
  type Orphan,
  type OrphanSearchResult,
} from '../../store/search/find-orphans.ts';
import type { App } from '../app.ts';
import { locateRecords, type PipelineRecords } from '../find/record-locations.ts';
import { createProgressNote } from '../progress-note.ts';
import { readPlansInUse } from './plans-in-use.ts';

/** What Temporal knows about runs. */
export interface RunLookup {
  /** Record locations of the known runs. */
  locations: readonly PipelineRecords[];
  /** Reads the ids of the runs that are open now. */
  readOpen: () => Promise<ReadonlySet<string>>;
}

export interface OrphanInspection extends CheckedOrphans {
  /** Number of orphans that are too recent to be deleted. */
  tooRecent: number;
  /** Orphans that are no longer on the platform. */
  missing: Orphan[];
}

/** Searches the records; can be repeated. */
export type OrphanSearch = (readOpenRuns: RunLookup['readOpen']) => Promise<OrphanSearchResult>;

/** Returns a search of all record locations, because other pipelines may use resources that this pipeline created. */
export async function createOrphanSearch(
  app: App,
  plan: Plan,
  known: RunLookup['locations'],
  { file, removedColorways }: { file: string; removedColorways: boolean },
): Promise<OrphanSearch> {
  const { pipeline, records } = plan;
  const { locations, unlocated } = await locateRecords(app, known, undefined);
  const unknown = unlocated.filter((name) => name !== plan.file).join(', ');
  if (unknown !== '') {
    app.note(
      `The record locations of these files are not known (they need parameters, or are not valid), so only their use in runs known to Temporal is checked: ${unknown}`,
    );
  }
  const others = distinct(locations.map((place) => place.records)).filter(
    (spec) => specKey(spec) !== specKey(records),
  );
  const connectors: [Connector, ...Connector[]] = [
    openConnector(records),
    ...others.map((spec) => openConnector(spec)),
  ];
  const formatProgress = (read: number) => `${pipeline}: ${formatCount(read, 'call')} searched`;
  return async (readOpenRuns) =>
    findOrphans({
      pipeline,
      connectors,
      openRuns: readOpenRuns,
      usage: await readPlansInUse(app, file, plan),
      includesRemoved: removedColorways,
      signal: app.signal,
      onProgress: createProgressNote(app, formatProgress),
    });
}

/** Looks up on the platform the orphans that are old enough. */
export async function inspectOrphans(
  app: App,
  client: Client,
  orphans: readonly Orphan[],
  { olderThanMs, requests }: { olderThanMs: number; requests: RequestCounter },
): Promise<OrphanInspection> {
  // Calls are dated by the platform's clock. An orphan stays if it is too recent by either clock.
  const createdBeforeMs = Math.min(app.now(), client.now()) - olderThanMs;
  const oldEnough = orphans.filter(({ createdAt }) => Date.parse(createdAt) <= createdBeforeMs);
  const { signal } = app;
  const cleaners = features.flatMap(({ cleaner }) => cleaner ?? []);
  const checked = await checkOrphans(client, oldEnough, cleaners, { scope: requests, signal });
  const existing = new Set([...checked.existing, ...checked.inUse.map(({ orphan }) => orphan)]);
  return {
    ...checked,
    tooRecent: orphans.length - oldEnough.length,
    missing: oldEnough.filter((orphan) => !existing.has(orphan)),
  };
}

/** Orphans that are still orphans in a second search. */
export function confirmOrphans(
  candidates: readonly Orphan[],
  { orphans }: OrphanSearchResult,
): Orphan[] {
  const orphanIds = new Set(orphans.map(resourceId));
  return candidates.filter((orphan) => orphanIds.has(resourceId(orphan)));
}

function distinct(specs: readonly ConnectorSpec[]): ConnectorSpec[] {
  return [...new Map(specs.map((spec) => [specKey(spec), spec])).values()];
}

function specKey(spec: ConnectorSpec): string {
  return JSON.stringify(spec);
}
