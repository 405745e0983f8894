// The intakes of pipelines that begin with events: started or brought up to date, and told of events.
import type { Client } from '@temporalio/client';
import {
  type IntakeEvent,
  type IntakeInput,
  type IntakePlan,
  messages,
  workflowIds,
  workflowNames,
} from '../plan/contract.ts';

/** How long a notification may wait for the Temporal server; its sender waits too. */
const signalMs = 4_000;

export interface Intakes {
  client: Client;
  taskQueue: string;
  searchable: boolean;
}

/** Starts the pipeline's intake, or gives the one that runs the file as it is now. */
export function applyIntake(intakes: Intakes, made: IntakePlan): Promise<unknown> {
  return send(intakes, made, messages.intakePlan, made);
}

/** Settles when the events are in the intake's history. */
export function tellIntake(
  intakes: Intakes,
  made: IntakePlan,
  events: readonly IntakeEvent[],
): Promise<unknown> {
  return send(intakes, made, messages.platformEvents, events);
}

function send(
  { client, taskQueue, searchable }: Intakes,
  made: IntakePlan,
  signal: string,
  payload: unknown,
): Promise<unknown> {
  const input: IntakeInput = { made, searchable };
  const { pipeline, file, intake } = made.plan;
  return client.withDeadline(Date.now() + signalMs, () =>
    client.workflow.signalWithStart(workflowNames.intake, {
      workflowId: workflowIds.intake(pipeline),
      taskQueue,
      args: [input],
      signal,
      signalArgs: [payload],
      staticSummary: `${pipeline} (${file}) on ${intake?.event ?? ''}`.slice(0, 190),
    }),
  );
}
