// Lists the event triggers in Temporal, with the events that start their runs and with any problems.
import type { Client } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import {
  type EventTriggerProblem,
  readTriggerProblem,
} from '../../temporal/runs/event-trigger-problem.ts';
import { listEventTriggers as readEventTriggers } from '../../temporal/runs/event-triggers.ts';

export interface ListedEventTrigger {
  pipeline: string;
  event: string | null;
  taskQueue: string;
  trouble: EventTriggerProblem | null;
  /** Why the trigger cannot be decoded here. `event` is then null. Null if it can be decoded. */
  unreadable: UnreadableNote | null;
}

/** Lists all event triggers. The entry of a trigger that makes no progress contains the reason. */
export async function listEventTriggers(client: Client): Promise<ListedEventTrigger[]> {
  const { readable, unreadable } = await readEventTriggers(client);
  const listedTriggers = await mapBounded(
    readable,
    async (trigger): Promise<ListedEventTrigger> => {
      const { pipeline, event, taskQueue, workflowId } = trigger;
      const trouble = await readTriggerProblem(client, workflowId);
      return { pipeline, event, taskQueue, trouble, unreadable: null };
    },
  );
  const others = unreadable.map(({ pipeline, ...trigger }) => {
    return { ...trigger, pipeline, event: null, trouble: null };
  });
  return [...listedTriggers, ...others];
}

/** Formats a problem, for example `the platform refuses the key (3 attempts, retrying)`. */
export function describeTrouble({ message, attempts }: EventTriggerProblem): string {
  return attempts === null ? message : `${message} (${formatCount(attempts, 'attempt')}, retrying)`;
}
