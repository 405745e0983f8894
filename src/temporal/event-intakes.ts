// Event triggers: workflows that start runs of a pipeline on platform events. Lists, starts, updates, signals and stops them.
import type { Client, WorkflowExecutionInfo, WorkflowHandle } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import {
  type IntakeEvent,
  type IntakeInput,
  type IntakeMemo,
  type IntakePlan,
  intakeMemo,
  intakeMemoField,
  workflowIds,
  workflowNames,
} from '../plan/contract.ts';
import { messages } from '../plan/messages.ts';
import { listWorkflows, type UnreadableNote } from './codec/tolerant-reader.ts';
import { hidesNames, shownName, shownPlan } from './private-names.ts';

/** Timeout of calls that a person waits for. */
const answerMs = 10_000;
/** Timeout of calls for a notification; shorter, because the sender of the webhook waits. */
const notificationMs = 4_000;

/** An open event trigger. */
export interface RunningIntake extends IntakeMemo {
  taskQueue: string;
}

export interface ListedIntakes {
  /** Sorted by pipeline. */
  readable: RunningIntake[];
  /** Event triggers whose memo cannot be decrypted here. */
  unreadable: { pipeline: string; taskQueue: string; unreadable: UnreadableNote }[];
}

/** Event triggers of a task queue, or of all. One that was started a moment ago may be missing. */
export function listIntakes(client: Client, taskQueue?: string): Promise<ListedIntakes> {
  return within(client, async () => {
    const open = `WorkflowType = '${workflowNames.intake}' AND ExecutionStatus = 'Running'`;
    const query = taskQueue === undefined ? open : `${open} AND TaskQueue = '${taskQueue}'`;
    const listed: ListedIntakes = { readable: [], unreadable: [] };
    for await (const one of listWorkflows(client, { query })) {
      const { workflowId, unreadable } = one;
      if (unreadable === null) listed.readable.push(...runningOf(one));
      else {
        const pipeline = workflowId.slice(workflowIds.intake('').length);
        listed.unreadable.push({ pipeline, taskQueue: one.taskQueue, unreadable });
      }
    }
    listed.readable.sort((a, b) => (a.pipeline < b.pipeline ? -1 : 1));
    return listed;
  });
}

/** The event trigger of a pipeline; null if none is open. */
export function findIntake(client: Client, pipeline: string): Promise<RunningIntake | null> {
  return within(client, async () => {
    try {
      const found = await handleOf(client, pipeline).describe();
      return found.status.name === 'RUNNING' ? (runningOf(found)[0] ?? null) : null;
    } catch (error) {
      if (error instanceof WorkflowNotFoundError) return null;
      throw error;
    }
  });
}

function runningOf({
  memo,
  taskQueue,
}: Pick<WorkflowExecutionInfo, 'memo' | 'taskQueue'>): RunningIntake[] {
  // Memos are untyped; only `intakeMemo` writes this field.
  const known = memo?.[intakeMemoField] as IntakeMemo | undefined;
  return known === undefined ? [] : [{ ...known, taskQueue }];
}

/** Starts the pipeline's event trigger, or updates an open one to the current file. */
export async function applyIntake(
  client: Client,
  given: IntakePlan,
  { taskQueue, ...search }: { taskQueue: string } & Pick<IntakeInput, 'searchable' | 'unsearched'>,
): Promise<void> {
  const plan = shownPlan(hidesNames(client), given.plan);
  const { pipeline, alias, file, intake } = plan;
  const made: IntakePlan = { ...given, plan, ...(alias ? { runName: alias } : {}) };
  const input: IntakeInput = { made, ...search };
  await within(client, () =>
    client.workflow.signalWithStart(workflowNames.intake, {
      workflowId: workflowIds.intake(shownName(hidesNames(client), pipeline)),
      taskQueue,
      args: [input],
      signal: messages.intakePlan,
      signalArgs: [made],
      memo: intakeMemo(made),
      staticSummary: `${pipeline} (${file}) on ${intake?.event ?? ''}`.slice(0, 190),
    }),
  );
}

/** Settles when the events are in the trigger's history. Events for a trigger that has closed are dropped. */
export async function tellIntake(
  client: Client,
  pipeline: string,
  events: readonly IntakeEvent[],
): Promise<void> {
  const tell = async () => {
    const handle = handleOf(client, pipeline);
    try {
      await handle.signal(messages.platformEvents, events);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error;
    }
  };
  await within(client, tell, notificationMs);
}

/** Stops the event trigger. Runs that it has started continue. */
export async function endIntake(client: Client, pipeline: string): Promise<void> {
  await within(client, async () => {
    await handleOf(client, pipeline).cancel();
  });
}

function handleOf(client: Client, pipeline: string): WorkflowHandle {
  return client.workflow.getHandle(workflowIds.intake(shownName(hidesNames(client), pipeline)));
}

function within<T>(client: Client, call: () => Promise<T>, ms = answerMs): Promise<T> {
  return client.withDeadline(Date.now() + ms, call);
}
