// Finds out why nobody goes on with a workflow: its build has no workers, or the deployed code does not fit its history.
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
/** A task may fail once or twice while workers are replaced. */
export const attemptsBorne = 3;
/** Events that are looked through for the failure, latest first. */
const eventsRead = 20;

export interface Standstill {
  /** In words, without the workflow's id. */
  why: string;
  /** What a person does, with the commands. */
  fix: string;
  /** It is pinned to a build without workers. */
  isStranded: boolean;
}

/** Attempts of the workflow's task so far, the one that is due included; 0: it has none, or is not there any more. */
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

/** Null where somebody goes on with the workflow, or the reason is unknown. Nothing of it is lost meanwhile. */
export async function standstillOf(client: Client, workflowId: string): Promise<Standstill | null> {
  return client.withDeadline(Date.now() + answerMs, async () => {
    const described = await describeWorkflow(client, workflowId);
    const pin = await pinOf(client, described);
    if (pin !== null && !pin.hasWorkers) return stranded(pin);
    const attempt = described.raw.pendingWorkflowTask?.attempt ?? 0;
    if (attempt < attemptsBorne) return null;
    const fails = `fail on it again and again (attempt ${attempt})${await lastFailure(client, workflowId)}`;
    return pin === null ? unpinned(fails, described) : pinned(fails, pin);
  });
}

function stranded(pin: Pin): Standstill {
  const { buildId } = pin.version;
  const since = pin.silentMs === null ? 'minutes' : coarseTime(pin.silentMs);
  return {
    why: `${pinWords(pin)}, and no worker of that build has asked for work for ${since}: stranded. It does not go on by itself`,
    fix: `Start workers of build ${buildId} again, or see that another build goes on with it (renderline replay) and move it: ${moveCommands(pin)}`,
    isStranded: true,
  };
}

function pinned(fails: string, pin: Pin): Standstill {
  const { buildId } = pin.version;
  return {
    why: `the workers of build ${buildId} ${fails}. ${pinWords(pin)}, which a rollback does not change: it does not go on by itself`,
    fix: `See that another build goes on with it (renderline replay), and move it: ${moveCommands(pin)}`,
    isStranded: false,
  };
}

/** What is not pinned goes to the workers that the queue has. */
function unpinned(fails: string, { raw }: WorkflowExecutionDescription): Standstill {
  const isVersioned = Boolean(raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion);
  const back = isVersioned
    ? 'Go back to the build of before: renderline deployments rollback; or'
    : 'Go back to the workers of before, or';
  return {
    why: `its workers ${fails}`,
    fix: `Nothing is lost. ${back} mend these, and it goes on by itself`,
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
