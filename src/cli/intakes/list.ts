// Lists the event triggers in Temporal: the event that starts their runs, and any trouble.
import type { Client } from '@temporalio/client';
import { count } from '../../plan/count.ts';
import type { UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { listIntakes } from '../../temporal/event-intakes.ts';
import { type IntakeTrouble, troubleOf } from '../../temporal/intake-trouble.ts';
import type { Paint } from '../color.ts';
import { unreadableWords } from '../unreadable-note.ts';

export interface ListedIntake {
  intake: string;
  event: string | null;
  taskQueue: string;
  trouble: IntakeTrouble | null;
  /** Why the trigger cannot be decoded here; null if it can. Otherwise `event` is null. */
  unreadable: UnreadableNote | null;
}

export async function listedIntakes(client: Client): Promise<ListedIntake[]> {
  const { readable, unreadable } = await listIntakes(client);
  const known = readable.map(async ({ pipeline, event, taskQueue }) => {
    const trouble = await troubleOf(client, pipeline);
    return { intake: pipeline, event, taskQueue, trouble, unreadable: null };
  });
  const others = unreadable.map(({ pipeline: intake, ...one }) => {
    return { ...one, intake, event: null, trouble: null };
  });
  return [...(await Promise.all(known)), ...others];
}

export function intakeLines(one: ListedIntake, paint: Paint): string[] {
  const { intake, event, trouble, unreadable } = one;
  return [
    `${paint('bold', intake)}  ${unreadable === null ? `on ${event}` : unreadableWords(unreadable)}`,
    ...(trouble === null ? [] : [`  ${paint('yellow', 'failing')}  ${troubleText(trouble)}`]),
  ];
}

export function troubleText({ message, attempts }: IntakeTrouble): string {
  return attempts === null ? message : `${message} (${count(attempts, 'attempt')}, retrying)`;
}
