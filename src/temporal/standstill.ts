// Finds out why a workflow makes no progress: its build has no workers, or the deployed code does not fit its history.
import {
  type Client,
  type WorkflowExecutionDescription,
  WorkflowNotFoundError,
} from '@temporalio/client';
import { coarseTime } from '../plan/coarse-time.ts';
import { failureMessage } from './codec/decoded.ts';
import { describeWorkflow } from './codec/tolerant-reader.ts';
import { moveCommands, type Pin, pinOf } from './deployments/stranded.ts';

const answerMs = 5_000;
/** From this attempt on a workflow task counts as failing. It may fail once or twice while workers are replaced. */
export const attemptsBorne = 3;
/** Number of history events that are searched for the failure, newest first. */
const eventsRead = 20;

export interface Standstill {
  /** The reason as text, without the workflow's id. */
  why: string;
  /** What a person can do, with the commands. */
  fix: string;
  /** The workflow is pinned to a build without workers. */
  isStranded: boolean;
}

/** Number of attempts of the pending workflow task, including the next one; 0 if no task is pending or the workflow is gone. */
export async function taskAttempts(client: Client, workflowId: string): Promise<number> {
  try {
    const { raw } = await client.withDeadline(Date.now() + answerMs, () =>
      describeWorkflow(client, workflowId),
    );
    return raw.pendingWorkflowTask?.attempt ?? 0;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return 0;
    throw error;
  }
}

/** Why the workflow makes no progress; null if it does, or if the reason is not known. Nothing is lost in the meantime. */
export async function standstillOf(client: Client, workflowId: string): Promise<Standstill | null> {
  return client.withDeadline(Date.now() + answerMs, async () => {
    const described = await describeWorkflow(client, workflowId);
    const pin = await pinOf(client, described);
    if (pin !== null && !pin.hasWorkers) return stranded(pin);
    const attempt = described.raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt < attemptsBorne) return null;
    const fails = `fail on its workflow task (attempt ${attempt})${await lastFailure(client, workflowId)}`;
    return pin === null ? unpinned(fails, described) : pinned(fails, pin);
  });
}

function stranded(pin: Pin): Standstill {
  const { buildId } = pin.version;
  const since = pin.silentMs === null ? 'minutes' : coarseTime(pin.silentMs);
  return {
    why: `${pinWords(pin)}, and no worker of that build has polled for ${since}: it is stranded and does not continue by itself`,
    fix: `Start workers of build ${buildId} again, or check that another build can continue it (renderline replay) and move it: ${moveCommands(pin)}`,
    isStranded: true,
  };
}

function pinned(fails: string, pin: Pin): Standstill {
  const { buildId } = pin.version;
  return {
    why: `the workers of build ${buildId} ${fails}. ${pinWords(pin)}, which a rollback does not change: it does not continue by itself`,
    fix: `Check that another build can continue it (renderline replay), then move it: ${moveCommands(pin)}`,
    isStranded: false,
  };
}

/** A workflow that is not pinned gets whichever workers poll its task queue. */
function unpinned(fails: string, { raw }: WorkflowExecutionDescription): Standstill {
  const isVersioned = Boolean(raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion);
  const back = isVersioned
    ? 'Roll back to the previous build (renderline deployments rollback), or'
    : 'Roll back to the previous workers, or';
  return {
    why: `its workers ${fails}`,
    fix: `Nothing is lost. ${back} fix the workers; then it continues by itself`,
    isStranded: false,
  };
}

function pinWords({ version: { deployment, buildId } }: Pin): string {
  return `it is pinned to build ${buildId} of deployment ${deployment}`;
}

async function lastFailure(client: Client, workflowId: string): Promise<string> {
  const { history } = await client.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: client.options.namespace,
    execution: { workflowId },
    maximumPageSize: eventsRead,
  });
  const failed = history?.events?.find((event) => event.workflowTaskFailedEventAttributes);
  const { failure } = failed?.workflowTaskFailedEventAttributes ?? {};
  const why = await failureMessage(client.options, failure);
  return why === '' ? '' : `: ${why.slice(0, 400)}`;
}
