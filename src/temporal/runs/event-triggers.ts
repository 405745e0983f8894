// Lists, starts, updates, signals and stops event triggers: workflows that start runs of a pipeline on platform events.

import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import {
  type TriggerEvent,
  type TriggerInput,
  type TriggerMemo,
  type TriggerPlan,
  triggerMemo,
  triggerMemoField,
  workflowIds,
  workflowNames,
} from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows, type UnreadableNote } from '../codec/tolerant-reader.ts';
import { hasPrivateNames, toTemporalName, toTemporalPlan } from '../private-names.ts';
import { isOpenStatus, openAtQueue, openOfType } from './open-workflows.ts';

/** Timeout for signals about a notification. It is shorter than usual, because the sender of the webhook waits. */
const signalTimeoutMs = 4_000;

export interface OpenEventTrigger extends TriggerMemo {
  taskQueue: string;
  /** Depends on `RENDERLINE_PRIVATE_NAMES` where the trigger was started, so it may differ from `eventTriggerIdOf`. */
  workflowId: string;
}

export interface ListedEventTriggers {
  /** Event triggers with a readable memo, sorted by pipeline. */
  readable: OpenEventTrigger[];
  /** Event triggers whose memo cannot be decrypted here. */
  unreadable: { pipeline: string; taskQueue: string; unreadable: UnreadableNote }[];
}

/** Returns the event triggers of one or all task queues. A trigger that was started a moment ago may be missing. */
export async function listEventTriggers(
  client: Client,
  taskQueue?: string,
): Promise<ListedEventTriggers> {
  const type = workflowNames.eventTrigger;
  const query = taskQueue === undefined ? openOfType(type) : openAtQueue(type, taskQueue);
  const triggers: ListedEventTriggers = { readable: [], unreadable: [] };
  for await (const workflow of listWorkflows(client, { query })) {
    const { workflowId, unreadable } = workflow;
    if (unreadable === null) triggers.readable.push(...openTriggerOf(workflow));
    else {
      const pipeline = workflowId.slice(workflowIds.eventTrigger('').length);
      triggers.unreadable.push({ pipeline, taskQueue: workflow.taskQueue, unreadable });
    }
  }
  triggers.readable.sort((a, b) => (a.pipeline < b.pipeline ? -1 : 1));
  return triggers;
}

/** Returns the event trigger of a pipeline, or null if none is open. */
export function findEventTrigger(
  client: Client,
  pipeline: string,
): Promise<OpenEventTrigger | null> {
  return callWithTimeout(client, responseTimeoutMs.usual, async () => {
    const handle = client.workflow.getHandle(eventTriggerIdOf(client, pipeline));
    const workflow = await handle.describe().catch(ignoreNotFound);
    return workflow && isOpenStatus(workflow.status) ? (openTriggerOf(workflow)[0] ?? null) : null;
  });
}

function openTriggerOf({
  memo,
  taskQueue,
  workflowId,
}: Pick<WorkflowExecutionInfo, 'memo' | 'taskQueue' | 'workflowId'>): OpenEventTrigger[] {
  // The cast is needed because memos are untyped. Only `triggerMemo` writes this field.
  const trigger = memo?.[triggerMemoField] as TriggerMemo | undefined;
  return trigger === undefined ? [] : [{ ...trigger, taskQueue, workflowId }];
}

/** Starts the pipeline's event trigger, or updates an open one to the current file. */
export async function applyEventTrigger(
  client: Client,
  sourcePlan: TriggerPlan,
  {
    taskQueue,
    ...search
  }: { taskQueue: string } & Pick<TriggerInput, 'searchable' | 'missingSearchAttributes'>,
): Promise<void> {
  const plan = toTemporalPlan(hasPrivateNames(client), sourcePlan.plan);
  const { pipeline, alias, file, eventTrigger } = plan;
  const triggerPlan: TriggerPlan = { ...sourcePlan, plan, ...(alias ? { runName: alias } : {}) };
  const input: TriggerInput = { triggerPlan, ...search };
  await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow.signalWithStart(workflowNames.eventTrigger, {
      workflowId: eventTriggerIdOf(client, pipeline),
      taskQueue,
      args: [input],
      signal: messages.updateTriggerPlan,
      signalArgs: [triggerPlan],
      memo: triggerMemo(triggerPlan),
      staticSummary: `${pipeline} (${file}) on ${eventTrigger?.event ?? ''}`.slice(0, 190),
    }),
  );
}

/** Sends events to a trigger. Settles when the events are in its history. Events for a closed trigger are dropped. */
export async function signalEventTrigger(
  client: Client,
  workflowId: string,
  events: readonly TriggerEvent[],
): Promise<void> {
  const signal = async () => {
    const handle = client.workflow.getHandle(workflowId);
    await handle.signal(messages.platformEvents, events).catch(ignoreNotFound);
  };
  await callWithTimeout(client, signalTimeoutMs, signal);
}

/** Stops the event trigger, if it is still open. Runs that it has started continue. */
export async function stopEventTrigger(client: Client, workflowId: string): Promise<void> {
  await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow.getHandle(workflowId).cancel().catch(ignoreNotFound),
  );
}

/** Returns the id of the pipeline's event trigger under this client's setting of `RENDERLINE_PRIVATE_NAMES`. */
export function eventTriggerIdOf(client: Client, pipeline: string): string {
  return workflowIds.eventTrigger(toTemporalName(hasPrivateNames(client), pipeline));
}
