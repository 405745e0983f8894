// Finds out why a workflow makes no progress: its build has no workers, or the code does not match its history.

import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { formatCoarseTime } from '../../plan/helpers/format-coarse-time.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { decodeFailureMessage } from '../codec/decode-payload.ts';
import { describeWorkflow, findWorkflow } from '../codec/tolerant-reader.ts';
import { moveCommands, type Pin, readPin } from '../deployments/version-pin.ts';

/** From this attempt on, a workflow task counts as failing. It may fail once or twice while workers are replaced. */
export const toleratedAttempts = 3;
/** Number of history events that are searched for the failure, newest first. */
const maxEventsRead = 20;

export interface WorkflowStall {
  /** The reason as text, without the workflow's id. */
  why: string;
  /** What a person can do, with the commands. */
  fix: string;
  /** True if the workflow is pinned to a build without workers. */
  isStranded: boolean;
}

/** Counts the attempts of the pending workflow task, including the next one. Returns 0 without a task or a workflow. */
export async function countTaskAttempts(client: Client, workflowId: string): Promise<number> {
  const workflow = await findWorkflow(client, workflowId);
  return workflow?.raw.pendingWorkflowTask?.attempt ?? 0;
}

/**
 * Finds out why the workflow makes no progress. Null if it does, or if unknown. Nothing is lost in the meantime.
 */
export async function findWorkflowStall(
  client: Client,
  workflowId: string,
): Promise<WorkflowStall | null> {
  return callWithTimeout(client, responseTimeoutMs.usual, async () => {
    const workflow = await describeWorkflow(client, workflowId);
    const pin = await readPin(client, workflow);
    if (pin !== null && !pin.hasWorkers) return createStrandedStall(pin);
    const attempt = workflow.raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt < toleratedAttempts) return null;
    const failure = `fail on its workflow task (attempt ${attempt})${await readLastFailure(client, workflowId)}`;
    return pin === null ? createUnpinnedStall(failure, workflow) : createPinnedStall(failure, pin);
  });
}

function createStrandedStall(pin: Pin): WorkflowStall {
  const { buildId } = pin.version;
  const since = pin.silentMs === null ? 'minutes' : formatCoarseTime(pin.silentMs);
  return {
    why: `${formatPin(pin)}, and no worker of that build has polled for ${since}: it is stranded and does not continue on its own`,
    fix: `Start workers of build ${buildId} again, or check that another build can continue it (renderline replay) and move it: ${moveCommands(pin)}`,
    isStranded: true,
  };
}

function createPinnedStall(failure: string, pin: Pin): WorkflowStall {
  const { buildId } = pin.version;
  return {
    why: `the workers of build ${buildId} ${failure}; ${formatPin(pin)}, which a rollback does not change, so it does not continue on its own`,
    fix: `Check that another build can continue it (renderline replay), then move it: ${moveCommands(pin)}`,
    isStranded: false,
  };
}

/** Creates the stall of a workflow that is not pinned, so that any worker of its task queue may continue it. */
function createUnpinnedStall(
  failure: string,
  { raw }: WorkflowExecutionDescription,
): WorkflowStall {
  const isVersioned = Boolean(raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion);
  const rollback = isVersioned
    ? 'Roll back to the previous build (renderline deployments rollback), or'
    : 'Roll back to the previous workers, or';
  return {
    why: `its workers ${failure}`,
    fix: `${rollback} fix the workers; the workflow then continues, and nothing is lost`,
    isStranded: false,
  };
}

function formatPin({ version: { deployment, buildId } }: Pin): string {
  return `it is pinned to build ${buildId} of deployment ${deployment}`;
}

async function readLastFailure(client: Client, workflowId: string): Promise<string> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: maxEventsRead,
  });
  const failureEvent = history?.events?.find((event) => event.workflowTaskFailedEventAttributes);
  const { failure } = failureEvent?.workflowTaskFailedEventAttributes ?? {};
  const reason = await decodeFailureMessage(client.options, failure);
  return reason === '' ? '' : `: ${reason.slice(0, 400)}`;
}
