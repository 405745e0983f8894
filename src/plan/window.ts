// How many assets a run has in flight. Shards whose assets only wait for the platform make room for others, so that
// the total follows from how long things take, within what the allowance, the memory and the file leave. Pure.
import { grouped } from './count.ts';

/** How hard a worker is at work, from 0 to 1. */
export interface Load {
  /** Share of the platform's allowance that is spent. */
  pressure: number;
  /** Share of the memory that the worker may use. */
  memory: number;
  /** Time between two looks as a share of what the things take that they look for; nothing where it is 0. */
  late?: number;
}

export const noLoad: Load = { pressure: 0, memory: 0 };

/** Above these no shard more is begun than the window has. */
const pressureAtMost = 0.9;
const memoryAtMost = 0.7;
/** Assets beyond these wait longer to be noticed than for the platform. */
const lateAtMost = 0.5;
/** Shards in flight, whatever they do: a workflow may have 2,000 children and as many signals under way. */
export const shardsAtMost = 1_000;
/** Assets in flight where the file does not say. */
export const inFlightUnlessSaid = 25_000;

/** Share of a shard's assets that wait from which on it makes room, and below which it does so no more. */
const waitsFrom = 0.9;
const waitsDownTo = 0.5;

/** The assets of a shard that have not ended, and those among them that are at calls. */
export interface ShardWork {
  open: number;
  atCalls: number;
}

/** True where nearly all that is left of a shard waits for the platform. @param waited what was said before */
export function mostlyWaits({ open, atCalls }: ShardWork, waited: boolean): boolean {
  return open > 0 && open - atCalls >= open * (waited ? waitsDownTo : waitsFrom);
}

/** What keeps a run from beginning another shard: `work` are shards at calls, as many as the window has. */
export type HeldBy = 'nothing' | 'work' | 'allowance' | 'looks' | 'memory' | 'limit';

export interface InFlight {
  /** Shards that have not ended. */
  shards: number;
  /** Those that only have steps aside left. */
  parked: number;
  /** Those whose assets wait. */
  waiting: number;
  /** Assets of all shards that are not parked. */
  assets: number;
}

export interface WindowBounds {
  /** Shards that may be at calls at once; so many are begun whatever the load is. */
  window: number;
  /** Assets in flight. */
  atMost: number;
  load: Load;
}

/** @param next assets of the shard that would be begun */
export function windowHeldBy(now: InFlight, next: number, bounds: WindowBounds): HeldBy {
  const { window, atMost, load } = bounds;
  const busy = now.shards - now.parked;
  const isScarce = load.pressure >= pressureAtMost;
  if (now.shards >= shardsAtMost) return 'limit';
  if (busy > 0 && now.assets + next > atMost) return 'limit';
  if (busy < window) return 'nothing';
  if (busy - now.waiting >= window) return isScarce ? 'allowance' : 'work';
  if (load.memory >= memoryAtMost) return 'memory';
  if (isScarce) return 'allowance';
  return (load.late ?? 0) >= lateAtMost ? 'looks' : 'nothing';
}

/** A bar that only another look at the load lifts, where no shard tells of it. */
export function isByLoad(heldBy: HeldBy): boolean {
  return heldBy === 'allowance' || heldBy === 'looks' || heldBy === 'memory';
}

/** What a run says of its assets in flight. */
export interface FlightProgress {
  assets: number;
  atMost: number;
  heldBy: HeldBy;
}

const heldWords: Readonly<Record<HeldBy, string>> = {
  nothing: 'nothing',
  work: 'work at hand',
  allowance: 'the allowance',
  looks: 'looks that would come too late',
  memory: 'memory',
  limit: 'limit',
};

/** One line for people: `in flight 12,500 of at most 25,000; window held by nothing`. */
export function flightWords({ assets, atMost, heldBy }: FlightProgress): string {
  return `in flight ${grouped(assets)} of at most ${grouped(atMost)}; window held by ${heldWords[heldBy]}`;
}
