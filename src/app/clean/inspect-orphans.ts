// Finds the resources that can be deleted, that is, those that exist on the platform but that no record uses.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { compileFile } from '../../compile/compile.ts';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { openConnector } from '../../connectors/index.ts';
import { checkOrphans } from '../../engine/cleaning/check-orphans.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { CheckedOrphans } from '../../engine/feature.ts';
import { createConnectorResolver } from '../../features/discovery-source.ts';
import { openPlanGrid } from '../../features/grid/dimensions.ts';
import { features } from '../../features/index.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import {
  findOrphans,
  type Orphan,
  type OrphanSearchResult,
} from '../../store/search/find-orphans.ts';
import { type PlanUsage, RecordUsage } from '../../store/search/record-usage.ts';
import type { App } from '../app.ts';
import { locateRecords, type PipelineRecords } from '../find/record-locations.ts';
import { openPlanStore } from '../plan/open-plan-store.ts';
import { createProgressNote } from '../progress-note.ts';

export interface OrphanInspection extends CheckedOrphans {
  /** Number of orphans that are too recent to be deleted. */
  tooRecent: number;
  /** Orphans that no longer exist on the platform. */
  missing: Orphan[];
}

/** Searches the records. The search can be repeated. @param readOpenRuns reads the ids of the runs that are open */
export type OrphanSearch = (
  readOpenRuns: () => Promise<ReadonlySet<string>>,
) => Promise<OrphanSearchResult>;

/** Returns a search of all known record locations, because other pipelines may use resources of this pipeline. */
export async function createOrphanSearch(
  app: App,
  plan: Plan,
  knownLocations: readonly PipelineRecords[],
  { file, removedColorways }: { file: string; removedColorways: boolean },
): Promise<OrphanSearch> {
  const { pipeline, records } = plan;
  const { locations, unlocated } = await locateRecords(app, knownLocations, undefined);
  const unlocatedNames = unlocated.filter((name) => name !== plan.file).join(', ');
  if (unlocatedNames !== '') {
    app.note(
      `The record locations of these files are unknown (the files need parameters or are invalid), so only their use in runs known to Temporal is checked: ${unlocatedNames}`,
    );
  }
  const others = new Map(
    locations.map((location) => [specKeyOf(location.records), location.records]),
  );
  others.delete(specKeyOf(records));
  const connectors: [Connector, ...Connector[]] = [
    openConnector(records),
    ...[...others.values()].map((spec) => openConnector(spec)),
  ];
  const formatProgress = (read: number) => `${pipeline}: ${formatCount(read, 'call')} searched`;
  return async (readOpenRuns) =>
    findOrphans({
      pipeline,
      connectors,
      openRuns: readOpenRuns,
      usage: await readRecordUsage(app, file, plan),
      includesRemoved: removedColorways,
      signal: app.signal,
      onProgress: createProgressNote(app, formatProgress),
    });
}

/** Checks on the platform the orphans that are old enough. */
export async function inspectOrphans(
  app: App,
  client: Client,
  orphans: readonly Orphan[],
  { olderThanMs, requests }: { olderThanMs: number; requests: RequestCounter },
): Promise<OrphanInspection> {
  // Calls are dated by the platform's clock. An orphan is therefore kept if it is too recent by either clock.
  const createdBeforeMs = Math.min(app.now(), client.now()) - olderThanMs;
  const oldOrphans = orphans.filter(({ createdAt }) => Date.parse(createdAt) <= createdBeforeMs);
  const { signal } = app;
  const cleaners = features.flatMap(({ cleaner }) => cleaner ?? []);
  const checkResult = await checkOrphans(client, oldOrphans, cleaners, {
    requestCounter: requests,
    signal,
  });
  const existingOrphans = new Set([
    ...checkResult.existing,
    ...checkResult.inUse.map(({ orphan }) => orphan),
  ]);
  return {
    ...checkResult,
    tooRecent: orphans.length - oldOrphans.length,
    missing: oldOrphans.filter((orphan) => !existingOrphans.has(orphan)),
  };
}

function specKeyOf(spec: ConnectorSpec): string {
  return JSON.stringify(spec);
}

/** Finds which recipes and cells are in use. Reads tables on each call, because they may change. */
async function readRecordUsage(app: App, file: string, plan: Plan): Promise<RecordUsage> {
  const store = openPlanStore(plan);
  const plans = await compileKnownPlans(app, file, plan, store);
  // Each table is read in its own process, so only a few are read at a time.
  const planUsages = plans && (await mapBounded(plans, readPlanUsage, { maxConcurrent: 2 }));
  return new RecordUsage(planUsages ?? [usageOf(plan, 'unknown')], await store.recipes.readKnown());
}

/** Compiles the file with each known set of parameters that still compiles. Returns null if the sets are unknown. */
async function compileKnownPlans(
  app: App,
  file: string,
  plan: Plan,
  store: RunStore,
): Promise<Plan[] | null> {
  const parameterSets = await store.parameterSets.all(app.signal);
  if (parameterSets === null) return null;
  const settings = await app.compileSettings();
  const plans = new Map([[plan.hash, plan]]);
  for (const set of parameterSets) {
    // If a set does not compile, it is compiled again without parameters that the file no longer has.
    const declaredEntries = Object.entries(set).filter(([name]) => name in plan.parameters);
    for (const candidateParameters of [set, Object.fromEntries(declaredEntries)]) {
      const parameters = { ...plan.parameters, ...candidateParameters };
      const { plan: other } = await compileFile(file, { ...settings, parameters });
      if (other === null) continue;
      plans.set(other.hash, other);
      break;
    }
  }
  return [...plans.values()];
}

function usageOf({ recipe, stages }: Plan, grid: PlanUsage['grid']): PlanUsage {
  return { recipe, stages, grid };
}

async function readPlanUsage(plan: Plan): Promise<PlanUsage> {
  const { parameters, discovery } = plan;
  try {
    const getConnector = createConnectorResolver(plan, openConnector);
    return usageOf(plan, await openPlanGrid(discovery, { parameters, getConnector }));
  } catch (error) {
    // Without the table, it is unknown which cells are in use, so all of them count as used.
    if (!(error instanceof ConnectorError || error instanceof RunCauseError)) throw error;
    return usageOf(plan, 'unknown');
  }
}
