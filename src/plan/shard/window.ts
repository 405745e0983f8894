// Limits how many assets a run has in flight. A shard whose assets only wait for the platform lets the run start
// another one, until the load of the workers is too high, or too many assets or shards are in flight. Pure.
import { formatCount, formatNumber } from '../helpers/format-count.ts';

/** Load of a worker. Each value is from 0 to 1. */
export interface Load {
  /** Used share of the platform's rate limit. */
  pressure: number;
  /** Used share of the memory that the worker may use. */
  memory: number;
  /** Poll interval as a share of the average duration of the polled work. Absent if it is 0. */
  pollLag?: number;
}

export const noLoad: Load = { pressure: 0, memory: 0 };

/** At or above these values, no shard beyond the window is started. */
const maxPressure = 0.9;
const maxMemory = 0.7;
/**
 * At or above this value, no shard beyond the window is started either, because more assets would wait longer for their
 * next poll than for the platform.
 */
const maxPollLag = 0.5;
/** Maximum number of shards in flight. A workflow may have 2,000 children, and as many pending signals. */
export const maxShards = 1_000;
/** Maximum number of assets in flight if the file sets none. */
export const defaultInFlight = 25_000;

/** From the first share of waiting assets, a shard leaves the window. Below the second, it counts again. */
const waitingShareToDetach = 0.9;
const waitingShareToAttach = 0.5;

/** Numbers of a shard's assets that have not finished (`open`), and of those that are in calls (`inCalls`). */
export interface ShardWork {
  open: number;
  inCalls: number;
}

/** True if nearly all open assets of a shard wait for the platform or a hold. @param wasWaiting for hysteresis */
export function isMostlyWaiting({ open, inCalls }: ShardWork, wasWaiting: boolean): boolean {
  return (
    open > 0 && open - inCalls >= open * (wasWaiting ? waitingShareToAttach : waitingShareToDetach)
  );
}

/** What keeps a run from starting another shard. `work`: as many shards are making calls as the window allows. */
export type HeldBy = 'nothing' | 'work' | 'allowance' | 'polling' | 'memory' | 'limit';

export interface InFlight {
  /** Number of shards that have not finished. */
  shards: number;
  /** Number of shards with only side steps left. */
  detached: number;
  /** Number of shards whose assets mostly wait (see `isMostlyWaiting`). */
  waiting: number;
  /** Number of unfinished assets of all shards that are not detached. */
  assets: number;
}

export interface WindowBounds {
  /** Number of shards that may make calls at once. Load limits only shards beyond it. */
  window: number;
  /** Maximum number of assets in flight. */
  maxAssets: number;
  load: Load;
}

/** Finds what keeps a run from starting another shard. @param next number of assets of that shard */
export function findWindowHold(current: InFlight, next: number, bounds: WindowBounds): HeldBy {
  const { window, maxAssets, load } = bounds;
  const busyShards = current.shards - current.detached;
  const isScarce = load.pressure >= maxPressure;
  if (current.shards >= maxShards) return 'limit';
  if (busyShards > 0 && current.assets + next > maxAssets) return 'limit';
  if (busyShards < window) return 'nothing';
  if (busyShards - current.waiting >= window) return isScarce ? 'allowance' : 'work';
  if (load.memory >= maxMemory) return 'memory';
  if (isScarce) return 'allowance';
  return (load.pollLag ?? 0) >= maxPollLag ? 'polling' : 'nothing';
}

/** True if the limit depends on the load, which must be read again if no shard reports a lower one. */
export function isLoadLimit(heldBy: HeldBy): boolean {
  return heldBy === 'allowance' || heldBy === 'polling' || heldBy === 'memory';
}

export interface FlightProgress {
  assets: number;
  max: number;
  heldBy: HeldBy;
}

const limitNames: Readonly<Record<Exclude<HeldBy, 'nothing'>, string>> = {
  work: 'shards that make calls',
  allowance: 'the rate limit',
  polling: 'delayed polls',
  memory: 'memory',
  limit: 'assets to finish',
};

/** Formats a summary: `12,500 of at most 25,000 assets in flight; the next shard waits for the rate limit`. */
export function formatInFlight({ assets, max, heldBy }: FlightProgress): string {
  const next = heldBy === 'nothing' ? '' : `; the next shard waits for ${limitNames[heldBy]}`;
  return `${formatNumber(assets)} of at most ${formatCount(max, 'asset')} in flight${next}`;
}
