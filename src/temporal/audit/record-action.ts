// Records what a person does to a schedule, an event trigger, a deployment or superseded objects, because no run's
// history contains it.

import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { truncate } from '../../api/responses/plain-text.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { commandFailures } from '../../failures/commands.ts';
import { findGrpcStatus } from '../../failures/grpc-status.ts';
import type { FailedAction, RecordedAction } from '../../plan/contract/audit-contract.ts';
import { workflowIds, workflowNames } from '../../plan/contract/contract.ts';
import { messages } from '../../plan/contract/messages.ts';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';

/** Thrown if the audit log did not accept an entry. The entry precedes the action, so nothing was changed. */
export class NotRecordedError extends Error {
  override name = 'NotRecordedError';
  readonly failure = commandFailures.NOT_RECORDED;
  readonly fix = commandFailures.NOT_RECORDED.fix;
}

export interface AuditLog {
  client: Client;
  /** Task queue that the action concerns. Its workers run the log's workflow. */
  taskQueue: string;
}

/**
 * Records the action, then calls `task`. If `task` fails, the failure is recorded too.
 * @throws NotRecordedError before `task` is called; any error of `task`
 */
export async function withAuditRecord<T>(
  log: AuditLog,
  act: Omit<RecordedAction, 'id'>,
  task: () => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  const { reason, details, ...fields } = act;
  const record = {
    ...fields,
    id,
    ...(reason ? { reason: truncate(reason, maxTextLength) } : {}),
    ...(details ? { details: truncateDetails(details) } : {}),
  };
  await signalAuditLog(log, record).catch((error: unknown) => {
    throw new NotRecordedError(
      `Nothing was changed, because the audit log of ${log.taskQueue} did not accept the record: ${errorMessageOf(error)}.`,
      { cause: error },
    );
  });
  try {
    return await task();
  } catch (error) {
    // The action is in the log already. An error of the log must not hide the error of the action.
    await signalAuditLog(log, { id, failed: truncate(errorMessageOf(error), maxTextLength) }).catch(
      () => undefined,
    );
    throw error;
  }
}

/** Signals the log's workflow, and starts the workflow if it is not open. Needs no running worker. */
async function signalAuditLog({ client, taskQueue }: AuditLog, act: RecordedAction | FailedAction) {
  await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow.signalWithStart(workflowNames.audit, {
      workflowId: workflowIds.audit(taskQueue),
      taskQueue,
      args: [],
      signal: messages.action,
      signalArgs: [act],
      staticSummary:
        'Changes that people made to schedules, event triggers, deployments and superseded objects',
    }),
  );
}

function errorMessageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return (findGrpcStatus(error)?.details || error.message).replace(/\.$/u, '');
}

const maxTextLength = 500;
const maxItems = 50;

/** Shortens long strings and lists, because the parameters of a schedule's file may be large. */
function truncateDetails(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(details, (_key, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, maxItems);
    return typeof value === 'string' ? truncate(value, maxTextLength) : value;
  });
  const copy: unknown = JSON.parse(text);
  return asRecord(copy);
}
