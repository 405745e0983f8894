// What the status pollers of one worker share: client, clock, wake-ups and the lag of polls.
import type { Client } from '../../api/client.ts';
import { monotonicMs } from '../../api/clock.ts';
import { Hints } from './hints.ts';
import { LateLooks } from './lateness.ts';

export interface Lookout {
  readonly client: Client;
  /** Monotonic clock, ms, so that setting the machine's clock does not disturb polling. For durations only. */
  readonly now: () => number;
  readonly hints: Hints;
  /** Collects how late the polls of this context are. */
  readonly late: LateLooks;
  /** The context without named paths, with which this one shares everything else; null if this is that context. */
  readonly plain: Lookout | null;
  /** Only in the context of urgent runs: the usual context, with which it shares cached names. */
  readonly usual?: Lookout;
}

export function createLookout(client: Client, now: () => number = monotonicMs): Lookout {
  return { client, now, hints: new Hints(now), late: new LateLooks(), plain: null };
}

/** The same context for a client that calls some operations by paths that a pipeline file names. */
export function lookoutWith(client: Client, plain: Lookout): Lookout {
  return { ...plain, client, late: new LateLooks(), plain };
}

/** The context of urgent runs, whose items are polled separately. */
export function urgentLookout(client: Client, usual: Lookout): Lookout {
  return { ...usual, client, late: new LateLooks(), usual };
}

/**
 * A value that all users of one poller context share, created at its first use.
 * @param byNamedPaths the value uses operations whose paths pipeline files may name, so each client needs its own value
 * @param alsoUrgent the value serves no waits, so urgent runs share it with the others
 */
export function shared<T>(
  open: (lookout: Lookout) => T,
  { byNamedPaths = false, alsoUrgent = false } = {},
): (lookout: Lookout) => T {
  const opened = new WeakMap<Lookout, T>();
  return (lookout) => {
    const home = byNamedPaths ? lookout : (lookout.plain ?? lookout);
    const eyes = alsoUrgent ? (home.usual ?? home) : home;
    const known = opened.get(eyes);
    if (known !== undefined) return known;
    const made = open(eyes);
    opened.set(eyes, made);
    return made;
  };
}
