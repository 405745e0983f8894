// How soon the tasks of a run are taken up, and between which pipelines worker slots are shared. Pure.
import { textBytes } from './bytes.ts';
import type { RunContext } from './run-context.ts';
import { shortHash } from './short-hash.ts';
import type { PriorityName } from './types.ts';

/** A run that finds so few assets, which fill one call, is urgent unless somebody says otherwise. */
export const urgentAtMost = 50;

/** Temporal's keys go from 1, soonest, to 5; 3 is that of tasks without one. */
const keys: Readonly<Record<PriorityName, number>> = { urgent: 1, normal: 3, bulk: 5 };
/** What Temporal takes as a fairness key, in bytes. */
const fairnessBytes = 64;

/** Temporal's priority of a run's tasks. Pipelines share the slots evenly, however many tasks each has. */
export function priorityOf({
  pipeline,
  alias = pipeline,
  urgent,
  priority,
}: Pick<RunContext, 'pipeline' | 'alias' | 'urgent' | 'priority'>): {
  priorityKey: number;
  fairnessKey: string;
} {
  return {
    priorityKey: keys[urgent ? 'urgent' : (priority ?? 'normal')],
    fairnessKey: textBytes(alias) <= fairnessBytes ? alias : shortHash(alias),
  };
}

/** The context of a run that has found so many assets to do. @param isAll it lists no more */
export function withToDo(context: RunContext, toDo: number, isAll: boolean): RunContext {
  // A run that is still listing is none that somebody waits for.
  const isUrgent = isAll && context.priority === undefined && toDo <= urgentAtMost;
  return { ...context, toDo, ...(isUrgent ? { urgent: true } : {}) };
}
