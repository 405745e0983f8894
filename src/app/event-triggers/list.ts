// Lists the event triggers in Temporal: the event that starts their runs, and any trouble.
import type { Client } from '@temporalio/client';
import type { Paint } from '../../cli/color.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import type { UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import {
  type EventTriggerTrouble,
  readTriggerTrouble,
} from '../../temporal/runs/event-trigger-trouble.ts';
import { listEventTriggers } from '../../temporal/runs/event-triggers.ts';
import { formatUnreadable } from '../unreadable-note.ts';

export interface ListedEventTrigger {
  pipeline: string;
  event: string | null;
  taskQueue: string;
  trouble: EventTriggerTrouble | null;
  /** Why the trigger cannot be decoded here; null if it can. Otherwise `event` is null. */
  unreadable: UnreadableNote | null;
}

export async function describeEventTriggers(client: Client): Promise<ListedEventTrigger[]> {
  const { readable, unreadable } = await listEventTriggers(client);
  const known = readable.map(async ({ pipeline, event, taskQueue }) => {
    const trouble = await readTriggerTrouble(client, pipeline);
    return { pipeline, event, taskQueue, trouble, unreadable: null };
  });
  const others = unreadable.map(({ pipeline, ...one }) => {
    return { ...one, pipeline, event: null, trouble: null };
  });
  return [...(await Promise.all(known)), ...others];
}

export function formatEventTrigger(one: ListedEventTrigger, paint: Paint): string[] {
  const { pipeline, event, trouble, unreadable } = one;
  return [
    `${paint('bold', pipeline)}  ${unreadable === null ? `on ${event}` : formatUnreadable(unreadable)}`,
    ...(trouble === null
      ? []
      : [`  ${paint('yellow', 'failing')}  ${formatTriggerTrouble(trouble)}`]),
  ];
}

export function formatTriggerTrouble({ message, attempts }: EventTriggerTrouble): string {
  return attempts === null ? message : `${message} (${formatCount(attempts, 'attempt')}, retrying)`;
}
