// The context shared by the status pollers of one worker: client, clock, wake-ups and the lag of polls.
import type { Client } from '../../api/client.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import { memoizeByObject } from '../../plan/helpers/memoize.ts';
import { WakeUps } from './wake-ups.ts';

export interface PollerContext {
  readonly client: Client;
  /** Monotonic clock in ms, so that setting the machine's clock does not disturb polling. For durations only. */
  readonly monotonicNow: () => number;
  readonly wakeUps: WakeUps;
  /** The lag of each status poller of this context, 0 to 1. */
  readonly lags: (() => number)[];
  /** The context whose client has no operations from a pipeline file. Null if it is this context. */
  readonly base: PollerContext | null;
  /** Set only in the context of urgent runs: the context of other runs, for values without `isUrgentApart`. */
  readonly nonUrgent?: PollerContext;
}

export function createPollerContext(
  client: Client,
  now: () => number = readMonotonicMs,
): PollerContext {
  return { client, monotonicNow: now, wakeUps: new WakeUps(now), lags: [], base: null };
}

/** Creates a context for a client with operations from a pipeline file. Most values are still shared with `base`. */
export function createRoutedContext(client: Client, base: PollerContext): PollerContext {
  return { ...base, client, lags: [], base };
}

/** Creates the context of urgent runs, whose items are polled separately. */
export function createUrgentContext(client: Client, nonUrgent: PollerContext): PollerContext {
  return { ...nonUrgent, client, lags: [], nonUrgent };
}

/** Returns the lag of the slowest status poller, 0 to 1. */
export function computePollLag({ lags }: Pick<PollerContext, 'lags'>): number {
  return Math.max(0, ...lags.map((lag) => lag()));
}

export interface SharingOptions {
  /** The value uses operations whose paths pipeline files may define, so each client needs its own value. */
  byNamedPaths?: boolean;
  /** Urgent runs have a value of their own, as for status pollers. */
  isUrgentApart?: boolean;
}

/** Shares a value among all users of one poller context. The value is created at its first use. */
export function sharePerPoller<T>(
  createValue: (pollerContext: PollerContext) => T,
  { byNamedPaths = false, isUrgentApart = false }: SharingOptions = {},
): (pollerContext: PollerContext) => T {
  const valueOf = memoizeByObject(createValue);
  return (pollerContext) => {
    const base = byNamedPaths ? pollerContext : (pollerContext.base ?? pollerContext);
    return valueOf(isUrgentApart ? base : (base.nonUrgent ?? base));
  };
}
