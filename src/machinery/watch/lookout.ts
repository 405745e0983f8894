// Looks that all waits of one worker share.
import type { Client } from '../../api/client.ts';
import { monotonicMs } from '../../api/clock.ts';
import { Hints } from './hints.ts';
import { LateLooks } from './lateness.ts';

export interface Lookout {
  readonly client: Client;
  /** Monotonic, so that setting the machine's clock neither stops looks nor hastens them: for durations alone. */
  readonly now: () => number;
  readonly hints: Hints;
  /** How late its looks come. */
  readonly late: LateLooks;
  /** The eyes that these share all but named paths with; null: they are those. */
  readonly plain: Lookout | null;
  /** Of urgent runs: the eyes that they share what is known of names with. */
  readonly usual?: Lookout;
}

export function createLookout(client: Client, now: () => number = monotonicMs): Lookout {
  return { client, now, hints: new Hints(now), late: new LateLooks(), plain: null };
}

/** The same eyes for a client that reaches some operations by paths of its own. */
export function lookoutWith(client: Client, plain: Lookout): Lookout {
  return { ...plain, client, late: new LateLooks(), plain };
}

/** Eyes of urgent runs, whose waits are looked for apart. */
export function urgentLookout(client: Client, usual: Lookout): Lookout {
  return { ...usual, client, late: new LateLooks(), usual };
}

/**
 * A value that all users of one lookout share, made when somebody first asks for it.
 * @param byNamedPaths its reads go by paths that pipeline files may name, so each client has one of its own
 * @param alsoUrgent it looks for no waits, so urgent runs need none of their own
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
