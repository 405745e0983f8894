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
  /** Objects of events. Null for a sweep, which includes all objects created since `sinceMs`. */
  objects: EventObject[] | null;
  sinceMs: number | null;
}

export interface FilteredEvents {
  ids: string[];
  /** True if another sweep is due soon, because this one omitted objects that an unfinished call may have created. */
  needsAnotherSweep: boolean;
}
