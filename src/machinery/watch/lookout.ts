// Looks that all waits of one worker share.
import type { Client } from '../../api/client.ts';
import { Hints } from './hints.ts';

export interface Lookout {
  readonly client: Client;
  readonly now: () => number;
  readonly hints: Hints;
  /** The eyes that these share all but named paths with; null: they are those. */
  readonly plain: Lookout | null;
}

export function createLookout(client: Client, now: () => number = Date.now): Lookout {
  return { client, now, hints: new Hints(now), plain: null };
}

/** The same eyes for a client that reaches some operations by paths of its own. */
export function lookoutWith(client: Client, plain: Lookout): Lookout {
  return { ...plain, client, plain };
}

/**
 * A value that all users of one lookout share, made when somebody first asks for it.
 * @param byNamedPaths its reads go by paths that pipeline files may name, so each client has one of its own
 */
export function shared<T>(
  open: (lookout: Lookout) => T,
  { byNamedPaths = false } = {},
): (lookout: Lookout) => T {
  const opened = new WeakMap<Lookout, T>();
  return (lookout) => {
    const eyes = byNamedPaths ? lookout : (lookout.plain ?? lookout);
    const known = opened.get(eyes);
    if (known !== undefined) return known;
    const made = open(eyes);
    opened.set(eyes, made);
    return made;
  };
}
