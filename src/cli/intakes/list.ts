// Lists the intakes in Temporal: the event that starts their runs, and any problem.
import type { Client } from '@temporalio/client';
import { count } from '../../plan/count.ts';
import { listIntakes } from '../../temporal/event-intakes.ts';
import { type IntakeTrouble, troubleOf } from '../../temporal/intake-trouble.ts';
import type { Paint } from '../color.ts';

export interface ListedIntake {
  intake: string;
  event: string;
  taskQueue: string;
  trouble: IntakeTrouble | null;
}

export async function listedIntakes(client: Client): Promise<ListedIntake[]> {
  const running = await listIntakes(client);
  return Promise.all(
    running.map(async ({ pipeline, event, taskQueue }) => {
      const trouble = await troubleOf(client, pipeline);
      return { intake: pipeline, event, taskQueue, trouble };
    }),
  );
}

export function intakeLines({ intake, event, trouble }: ListedIntake, paint: Paint): string[] {
  return [
    `${paint('bold', intake)}  on ${event}`,
    ...(trouble === null ? [] : [`  ${paint('yellow', 'failing')}  ${troubleText(trouble)}`]),
  ];
}

export function troubleText({ message, attempts }: IntakeTrouble): string {
  return attempts === null ? message : `${message} (${count(attempts, 'time')}, tried again)`;
}
