// Reads and writes the general pause. The pause is an open workflow of the audit log's type. Its memo says who paused
// what and why. The pause needs no worker. The signals in its history are the records of the audit log.
import { randomUUID } from 'node:crypto';
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import { firstStartField, type RecordedAction } from '../../plan/contract/audit-contract.ts';
import { workflowIds, workflowNames } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { GeneralPause, PauseScope } from '../../plan/run/general-pause.ts';
import { callWithTimeout, ignoreNotFound, responseTimeoutMs } from '../call-with-timeout.ts';
import { findWorkflow, listWorkflows } from '../codec/tolerant-reader.ts';
import { hasPrivateNames, toTemporalName } from '../private-names.ts';
import { isOpenStatus, openOfType } from './open-workflows.ts';

const memoField = 'renderlinePause';

/** Starts the pause, or keeps one that is already in force. @returns the pause that is in force */
export async function beginGeneralPause(
  client: Client,
  { taskQueue, pipeline }: PauseScope,
  reason: string,
): Promise<GeneralPause> {
  const scope = { taskQueue, pipeline };
  const memo = { ...scope, reason, by: client.options.identity };
  for (;;) {
    await callWithTimeout(client, responseTimeoutMs.usual, () =>
      client.workflow.signalWithStart(workflowNames.audit, {
        workflowId: generalPauseIdOf(client, scope),
        taskQueue,
        args: [],
        signal: messages.action,
        signalArgs: [toRecord('paused', scope, reason)],
        memo: { [memoField]: memo },
        staticSummary:
          pipeline === null
            ? 'Everything is paused until `renderline resume --all`'
            : 'A pipeline is paused until `renderline resume --all --pipeline NAME`',
      }),
    );
    const pause = await readGeneralPause(client, scope);
    // The pause is returned only if it still exists, because somebody may have ended it at this moment.
    if (pause !== null) return pause;
  }
}

/** Ends the pause. Does nothing if somebody else has ended it. */
export async function endGeneralPause(
  client: Client,
  scope: PauseScope,
  reason: string | undefined,
): Promise<void> {
  const handle = client.workflow.getHandle(generalPauseIdOf(client, scope));
  await callWithTimeout(client, responseTimeoutMs.usual, async () => {
    await handle.signal(messages.action, toRecord('resumed', scope, reason));
    await handle.terminate(`resumed by ${client.options.identity}`);
  }).catch(ignoreNotFound);
}

/** Returns the pause of exactly this scope, or null if there is none. */
export async function readGeneralPause(
  client: Client,
  scope: PauseScope,
): Promise<GeneralPause | null> {
  const workflow = await findWorkflow(client, generalPauseIdOf(client, scope));
  return workflow && isOpenStatus(workflow.status) ? pauseOf(workflow, scope) : null;
}

/** Finds the pause that applies to a pipeline: that of its task queue, or its own. Null if neither exists. */
export async function findGeneralPause(
  client: Client,
  taskQueue: string,
  pipeline: string,
): Promise<GeneralPause | null> {
  const [queuePause, pipelinePause] = await Promise.all([
    readGeneralPause(client, { taskQueue, pipeline: null }),
    readGeneralPause(client, { taskQueue, pipeline }),
  ]);
  return queuePause ?? pipelinePause;
}

/** Lists all pauses of the namespace. A pause that has just started may be missing, and an ended one listed. */
export async function listGeneralPauses(client: Client): Promise<GeneralPause[]> {
  const query = openOfType(workflowNames.audit);
  const pauses: GeneralPause[] = [];
  for await (const workflow of listWorkflows(client, { query })) {
    const scope = parseScope(workflow.workflowId);
    if (scope !== null) pauses.push(pauseOf(workflow, scope));
  }
  return pauses;
}

export function generalPauseIdOf(client: Client, { taskQueue, pipeline }: PauseScope): string {
  const name = pipeline === null ? null : toTemporalName(hasPrivateNames(client), pipeline);
  return workflowIds.generalPause(taskQueue, name);
}

/** Returns the scope in the id of a pause's workflow, or null for other workflows. */
function parseScope(workflowId: string): PauseScope | null {
  const prefix = workflowIds.generalPause('', null);
  if (!workflowId.startsWith(prefix)) return null;
  const [taskQueue = '', pipeline = null] = workflowId.slice(prefix.length).split('//');
  return { taskQueue, pipeline };
}

/** Returns the pause of a workflow. Without a readable memo, only the scope and the last execution's start. */
function pauseOf(
  { memo, startTime }: Pick<WorkflowExecutionInfo, 'memo' | 'startTime'>,
  scope: PauseScope,
): GeneralPause {
  const memoFields = asRecord(memo?.[memoField]);
  const textOf = (field: string) =>
    typeof memoFields[field] === 'string' ? memoFields[field] : null;
  const firstStart = memo?.[firstStartField];
  return {
    taskQueue: scope.taskQueue,
    pipeline: scope.pipeline === null ? null : (textOf('pipeline') ?? scope.pipeline),
    by: textOf('by') ?? 'somebody',
    at: typeof firstStart === 'string' ? firstStart : startTime.toISOString(),
    reason: textOf('reason') ?? '(encrypted with a key that is not set here)',
  };
}

function toRecord(
  action: string,
  { taskQueue, pipeline }: PauseScope,
  reason: string | undefined,
): RecordedAction {
  const subject =
    pipeline === null
      ? ({ subject: 'workspace', name: taskQueue } as const)
      : ({ subject: 'pipeline', name: pipeline } as const);
  return { id: randomUUID(), what: action, ...subject, pipeline, ...omitUndefined({ reason }) };
}
