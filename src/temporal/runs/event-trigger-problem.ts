// Finds out why the event trigger of a pipeline makes no progress.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import type { ActivityWait } from '../../plan/contract/activity-wait.ts';
import { messages } from '../../plan/contract/messages.ts';
import { callWithTimeout } from '../call-with-timeout.ts';
import { isUnreadableError } from '../codec/codec-errors.ts';
import { decodeFailureMessage, tryDecodeValue } from '../codec/decode-payload.ts';

export interface EventTriggerProblem {
  message: string;
  /** Number of failed attempts so far. Null if it is not known, or if nothing has failed. */
  attempts: number | null;
  /** Number of requests that the worker of the last attempt had sent and not reported. Absent if there are none. */
  requests?: number;
}

/** The server gives up on slow workers after about this time, and people should not wait longer. */
const triggerTimeoutMs = 4_000;

/** Finds out why the trigger makes no progress. Null if it does. Events and sweeps are only delayed and are retried. */
export async function readTriggerProblem(
  client: Client,
  workflowId: string,
): Promise<EventTriggerProblem | null> {
  const handle = client.workflow.getHandle(workflowId);
  const { raw } = await callWithTimeout(client, triggerTimeoutMs, () => handle.describe());
  const failing = await readFailingActivity(client.options, raw);
  if (failing !== null) return failing;
  try {
    const message = await callWithTimeout(client, triggerTimeoutMs, () =>
      handle.query<string>(messages.triggerError),
    );
    return message === '' ? null : { message, attempts: null };
  } catch (error) {
    if (isUnreadableError(error)) return { message: error.message, attempts: null };
    // Workers handle queries. A missing, a busy and a starting worker cannot be distinguished here.
    return { message: 'no worker of its task queue responds', attempts: null };
  }
}

/** Types of failures that report no problem: a poll found nothing new, or a stopping worker hands its activity over. */
const expectedTypes: ReadonlySet<unknown> = new Set(['NOT_YET', 'HANDED_OVER']);

/** Value of temporal.api.enums.v1.PendingActivityState. */
const startedState = 2;

/** Returns why a pending activity is retried, or else what a running one waits for. Null if there is no such activity. */
export async function readFailingActivity(
  converterOptions: Pick<Client['options'], 'loadedDataConverter'>,
  { pendingActivities }: Pick<WorkflowExecutionDescription['raw'], 'pendingActivities'>,
): Promise<EventTriggerProblem | null> {
  for (const { attempt, lastFailure } of pendingActivities ?? []) {
    if (expectedTypes.has(lastFailure?.applicationFailureInfo?.type)) continue;
    const message = await decodeFailureMessage(converterOptions, lastFailure);
    if (message === '') continue;
    const report = lastFailure?.applicationFailureInfo?.details?.payloads?.at(-1);
    const { requests } = asRecord(await tryDecodeValue(converterOptions, report));
    const counts = Object.values(asRecord(requests)).filter((count) => typeof count === 'number');
    const sum = counts.reduce((total, count) => total + count, 0);
    return { message, attempts: (attempt ?? 1) - 1, ...(sum > 0 ? { requests: sum } : {}) };
  }
  for (const { state, heartbeatDetails } of pendingActivities ?? []) {
    // A waiting retry keeps the details of its last attempt.
    if (state !== startedState) continue;
    const details = await tryDecodeValue(converterOptions, heartbeatDetails?.payloads?.[0]);
    const { wait } = asRecord(details) as Partial<ActivityWait>;
    if (wait !== undefined) return { message: wait, attempts: null };
  }
  return null;
}
