// Records what a person does to a schedule, an intake, a deployment or leftovers, where no run's history tells of it.
import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { looseFields } from '../../api/loose-fields.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { FailedAct, RecordedAct } from '../../plan/audit-contract.ts';
import { workflowIds, workflowNames } from '../../plan/contract.ts';
import { messages } from '../../plan/messages.ts';

/** The record comes before the act, so nothing was done. */
export class NotRecordedError extends Error {
  override name = 'NotRecordedError';
  readonly failure = commandFailures.NOT_RECORDED;
  readonly fix = commandFailures.NOT_RECORDED.fix;
}

export interface AuditLogPlace {
  client: Client;
  /** Queue of the workers that the act is about; they keep the log. */
  taskQueue: string;
}

const answerMs = 10_000;

/**
 * Records the act, then does it. Where it fails, that is recorded too.
 * @throws NotRecordedError before anything was done; what `work` throws
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
      `Nothing was done, since the audit log of ${place.taskQueue} did not take it: ${told(error)}.`,
      { cause: error },
    );
  });
  try {
    return await work();
  } catch (error) {
    // The act stands in the log already; its error must not be hidden by another one.
    await tell(place, { id, failed: short(told(error)) }).catch(() => undefined);
    throw error;
  }
}

/** Starts the log where there is none yet. Needs no worker. */
async function tell({ client, taskQueue }: AuditLogPlace, act: RecordedAct | FailedAct) {
  await client.withDeadline(Date.now() + answerMs, () =>
    client.workflow.signalWithStart(workflowNames.audit, {
      workflowId: workflowIds.audit(taskQueue),
      taskQueue,
      args: [],
      signal: messages.act,
      signalArgs: [act],
      staticSummary: 'What people did to schedules, intakes, deployments and leftovers',
    }),
  );
}

/** The client wraps the transport's error, which has the server's words. */
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

/** Details are words about the act, not the things themselves: a file of a schedule may have large parameters. */
function shortTexts(details: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const text = JSON.stringify(details, (_key, value: unknown) => {
    if (Array.isArray(value)) return value.slice(0, itemsAtMost);
    return typeof value === 'string' ? short(value) : value;
  });
  const parsed: unknown = JSON.parse(text);
  return looseFields(parsed);
}
