// Input and result of the activity that filters platform objects for an event trigger. Types only.
import type { Delivery } from '../run/deliveries.ts';
import type { RunContext } from '../run/run-context.ts';
import type { EventRules, Plan } from '../types.ts';

export interface EventObject {
  id: string;
  /** The render job that created the object. Set only for finished outputs. */
  job?: string;
}

export interface FilterEventsInput {
  context: RunContext;
  discovery: Plan['discovery'];
  stages: Plan['stages'];
  deliveries: Delivery[];
  eventTrigger: EventRules;
  /** Objects of events. Null for a sweep, which takes all objects created since `sinceMs`. */
  objects: EventObject[] | null;
  sinceMs: number | null;
}

export interface FilteredEvents {
  ids: string[];
  /** Another sweep is due soon: it left out objects that an unfinished call of Renderline may have created. */
  needsAnotherSweep: boolean;
}
