// Finds what can be deleted: orphans according to the records that still exist on the platform.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { capabilities } from '../../capabilities/index.ts';
import type { Connector } from '../../connectors/connector.ts';
import { openConnector } from '../../connectors/index.ts';
import type { LookedAtOrphans } from '../../machinery/capability.ts';
import { lookAtOrphans } from '../../machinery/cleaning/look-at-orphans.ts';
import { count } from '../../plan/count.ts';
import type { ConnectorSpec, Plan } from '../../plan/types.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import { thingId } from '../../store/records/thing-id.ts';
import {
  findOrphans,
  type Orphan,
  type OrphanSearchResult,
} from '../../store/search/find-orphans.ts';
import { type PipelineRecords, placesAtHand } from '../find/places.ts';
import { nowAndThen } from '../now-and-then.ts';
import type { Session } from '../session.ts';
import { fileInUse } from './files-in-use.ts';

/** What Temporal knows about runs. */
export interface Runs {
  /** Record locations of the known runs. */
  places: readonly PipelineRecords[];
  /** Reads the ids of the runs that are open now. */
  open: () => Promise<ReadonlySet<string>>;
}

/** Record of a colorway that the file or its table no longer has. */
export interface RemovedCell {
  key: string;
  model: string;
  colorway: string;
  projectId: string | null;
  /** Number of delivered files, which are kept. */
  files: number;
}

export interface Look extends LookedAtOrphans {
  pipeline: string;
  /** Minimum age as given on the command line. */
  olderThan: string;
  /** Number of orphans that are too recent to be deleted. */
  young: number;
  /** Cells whose colorway the pipeline no longer has. */
  removed: RemovedCell[];
  /** Orphans that are no longer on the platform. */
  gone: Orphan[];
  looked: Omit<OrphanSearchResult, 'orphans' | 'removed'>;
}

/** Searches the records; can be repeated. */
export type Search = () => Promise<OrphanSearchResult>;

/** Searches all record locations, because other pipelines may use resources that this one created. */
export async function searchOf(
  session: Session,
  plan: Plan,
  runs: Runs,
  { file, removedColorways }: { file: string; removedColorways: boolean },
): Promise<Search> {
  const { pipeline, records } = plan;
  const { places, unplaced } = await placesAtHand(session, runs.places, undefined);
  const unknown = unplaced.filter((name) => name !== plan.file).join(', ');
  if (unknown !== '') {
    session.output.note(
      `The record locations of these files are not known (they need parameters, or are not valid), so only their use in runs known to Temporal is checked: ${unknown}`,
    );
  }
  const others = distinct(places.map((place) => place.records)).filter(
    (spec) => textOf(spec) !== textOf(records),
  );
  const connectors: [Connector, ...Connector[]] = [
    openConnector(records),
    ...others.map((spec) => openConnector(spec)),
  ];
  const words = (read: number) => `${pipeline}: ${count(read, 'call')} searched`;
  return async () =>
    findOrphans({
      pipeline,
      places: connectors,
      openRuns: runs.open,
      inUse: await fileInUse(session, file, plan),
      takesRemoved: removedColorways,
      signal: session.io.interrupts.forced,
      onProgress: nowAndThen(session, words),
    });
}

export interface LookInput {
  pipeline: string;
  olderThan: string;
  olderThanMs: number;
  requests: RequestCounter;
}

/** Looks up on the platform the orphans that are old enough. */
export async function lookWith(
  session: Session,
  client: Client,
  { orphans, removed, ...looked }: OrphanSearchResult,
  { pipeline, olderThan, olderThanMs, requests }: LookInput,
): Promise<Look> {
  // Calls are dated by the platform's clock. An orphan stays if it is too recent by either clock.
  const bornBeforeMs = Math.min(session.io.now(), client.now()) - olderThanMs;
  const old = orphans.filter(({ madeAt }) => Date.parse(madeAt) <= bornBeforeMs);
  const signal = session.io.interrupts.forced;
  const cleaners = capabilities.flatMap(({ clean }) => clean ?? []);
  const answer = await lookAtOrphans(client, old, cleaners, { scope: requests, signal });
  const young = orphans.length - old.length;
  const isThere = new Set([...answer.there, ...answer.held.map(({ orphan }) => orphan)]);
  const gone = old.filter((orphan) => !isThere.has(orphan));
  return { pipeline, olderThan, young, looked, removed: removed.map(removedCell), gone, ...answer };
}

function removedCell({ key, source, refs, files }: AssetRecord): RemovedCell {
  const { model = key, name: colorway = '' } = source.colorway ?? {};
  return { key, model, colorway, projectId: refs.projectId ?? null, files: files.length };
}

/** Orphans that are still orphans in a second search. */
export function stillOrphans(there: readonly Orphan[], { orphans }: OrphanSearchResult): Orphan[] {
  const now = new Set(orphans.map(thingId));
  return there.filter((orphan) => now.has(thingId(orphan)));
}

function distinct(specs: readonly ConnectorSpec[]): ConnectorSpec[] {
  return [...new Map(specs.map((spec) => [textOf(spec), spec])).values()];
}

function textOf(spec: ConnectorSpec): string {
  return JSON.stringify(spec);
}
