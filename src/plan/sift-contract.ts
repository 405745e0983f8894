// What an intake asks about the objects that events told of. Types only.
import type { Delivery } from './deliveries.ts';
import type { RunContext } from './run-context.ts';
import type { EventRules, Plan } from './types.ts';

/** A platform object that an event told of. */
export interface ToldOf {
  id: string;
  /** The render job that made it; only of finished outputs. */
  job?: string;
}

export interface SiftInput {
  context: RunContext;
  discovery: Plan['discovery'];
  /** See DiscoverInput. */
  deliveries?: Delivery[];
  intake: EventRules;
  /** Objects that events told of; null: all since `sinceMs`. */
  told: ToldOf[] | null;
  sinceMs: number | null;
}

/** Objects that a run is to be started for. */
export interface Sifted {
  ids: string[];
  /** A call of ours is under way that may be making some of it, so another look is due soon. */
  again: boolean;
}
