// Records what a person does to a schedule, an event trigger, a deployment or superseded objects, because no run's history
// contains it.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { looseFields } from '../../api/loose-fields.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { FailedAct, RecordedAct } from '../../plan/audit-contract.ts';
import { workflowIds, workflowNames } from '../../plan/contract.ts';
import { messages } from '../../plan/messages.ts';

/** The audit log did not take the record. The record comes before the act, so nothing was changed. */
export class NotRecordedError extends Error {
  override name = 'NotRecordedError';
  readonly failure = commandFailures.NOT_RECORDED;
  readonly fix = commandFailures.NOT_RECORDED.fix;
}

export interface AuditLogPlace {
  client: Client;
  /** Task queue that the act is about; its workers run the log's workflow. */
  taskQueue: string;
}

const answerMs = 10_000;

/**
 * Records the act, then calls `work`. If `work` fails, the failure is recorded too.
 * @throws NotRecordedError before `work` is called; any error of `work`
 */
export async function recorded<T>(
  place: AuditLogPlace,
  act: Omit<RecordedAct, 'id'>,
  work: () => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  const { reason, details, ...named } = act;
  const given = {
    ...named,
    id,
    ...(reason ? { reason: short(reason) } : {}),
    ...(details ? { details: shortTexts(details) } : {}),
  };
  await tell(place, given).catch((error: unknown) => {
    throw new NotRecordedError(
      `Nothing was changed, because the audit log of ${place.taskQueue} did not accept the record: ${told(error)}.`,
      { cause: error },
    );
  });
  try {
    return await work();
  } catch (error) {
    // The act is in the log already. An error of the log must not hide the error of the act.
    await tell(place, { id, failed: short(told(error)) }).catch(() => undefined);
    throw error;
  }
}

/** Signals the log's workflow, and starts the workflow if it is not open. Needs no running worker. */
async function tell({ client, taskQueue }: AuditLogPlace, act: RecordedAct | FailedAct) {
  await client.withDeadline(Date.now() + answerMs, () =>
    client.workflow.signalWithStart(workflowNames.audit, {
      workflowId: workflowIds.audit(taskQueue),
      taskQueue,
      args: [],
      signal: messages.act,
      signalArgs: [act],
      staticSummary:
        'What people did to schedules, event triggers, deployments and superseded objects',
    }),
  );
}

/** The client wraps the gRPC error, whose details have the server's message. */
function told(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { details } = looseFields(error.cause);
  const words = typeof details === 'string' && details !== '' ? details : error.message;
  return words.replace(/\.$/u, '');
}

const textAtMost = 500;
const itemsAtMost = 50;

function short(text: string): string {
  return text.length > textAtMost ? `${text.slice(0, textAtMost)}…` : text;
}

/** Shortens long texts and lists, because the parameters of a schedule's file may be large. */
function shortTexts(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(details, (_key, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, itemsAtMost);
    return typeof value === 'string' ? short(value) : value;
  });
  const parsed: unknown = JSON.parse(text);
  return looseFields(parsed);
}
