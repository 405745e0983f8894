// Lists the event triggers in Temporal, with the event that starts their runs and any trouble.
import type { Client } from '@temporalio/client';
import { formatCount } from '../../plan/helpers/format-count.ts';
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
  /** Why the trigger cannot be decoded here. Null if it can. Otherwise `event` is null. */
  unreadable: UnreadableNote | null;
}

/** Lists all event triggers. If a trigger makes no progress, its entry contains the reason. */
export async function listEventTriggers(client: Client): Promise<ListedEventTrigger[]> {
  const { readable, unreadable } = await readEventTriggers(client);
  const listedTriggers = readable.map(async ({ pipeline, event, taskQueue, workflowId }) => {
    const trouble = await readTriggerProblem(client, workflowId);
    return { pipeline, event, taskQueue, trouble, unreadable: null };
  });
  const others = unreadable.map(({ pipeline, ...trigger }) => {
    return { ...trigger, pipeline, event: null, trouble: null };
  });
  return [...(await Promise.all(listedTriggers)), ...others];
}

/** Formats a problem, for example `the platform refuses the key (3 attempts, retrying)`. */
export function describeTrouble({ message, attempts }: EventTriggerProblem): string {
  return attempts === null ? message : `${message} (${formatCount(attempts, 'attempt')}, retrying)`;
}
