// Finds out why the intake of a pipeline that begins with events makes no progress.
import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { workflowIds } from '../plan/contract.ts';
import { messages } from '../plan/messages.ts';
import { isUnreadable } from './codec/codec-errors.ts';
import { failureMessage } from './codec/decoded.ts';
import { hidesNames, shownName } from './private-names.ts';

export interface IntakeTrouble {
  message: string;
  /** Tries so far of what fails; null where the intake itself counts none. */
  attempts: number | null;
}

/** The server gives up on a worker that is slow to answer; people do not wait longer. */
const answerMs = 4_000;

/** null while all is well. Events and sweeps are only late: what fails is tried again. */
export async function troubleOf(client: Client, pipeline: string): Promise<IntakeTrouble | null> {
  const handle = client.workflow.getHandle(
    workflowIds.intake(shownName(hidesNames(client), pipeline)),
  );
  const within = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + answerMs, call);
  const { raw } = await within(() => handle.describe());
  const failing = await failingActivity(client.options, raw);
  if (failing !== null) return failing;
  try {
    const told = await within(() => handle.query<string>(messages.trouble));
    return told === '' ? null : { message: told, attempts: null };
  } catch (error) {
    if (isUnreadable(error)) return { message: error.message, attempts: null };
    // Queries are answered by workers: none, a busy one and a starting one look alike from here.
    return { message: 'no worker of its task queue answers', attempts: null };
  }
}

/** Of failures that only say that it was too early, as Temporal's API numbers them. */
const benign = 1;

/** An activity that is being retried because it fails, as Temporal describes it. */
export async function failingActivity(
  converting: Pick<Client['options'], 'loadedDataConverter'>,
  { pendingActivities }: Pick<WorkflowExecutionDescription['raw'], 'pendingActivities'>,
): Promise<IntakeTrouble | null> {
  for (const { attempt, lastFailure } of pendingActivities ?? []) {
    if (lastFailure?.applicationFailureInfo?.category === benign) continue;
    const message = await failureMessage(converting, lastFailure);
    if (message !== '') return { message, attempts: (attempt ?? 1) - 1 };
  }
  return null;
}
