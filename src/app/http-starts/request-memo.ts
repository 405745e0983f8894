// Keeps the request that started a run in the memo of the run, so that a repeated request gets the same answer.
import { createHash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import type { RunPlan, RunRequest } from '../../receiver/runs/messages.ts';
import {
  callWithTimeout,
  nullIfMissing,
  responseTimeoutMs,
} from '../../temporal/call-with-timeout.ts';
import { slug } from '../runs/run-id.ts';

const requestMemoField = 'renderlineRequest';

export interface RequestMemo {
  /** Equal for requests with the same parameters and the same `only`. */
  fingerprint: string;
  plan: RunPlan;
}

/** The field of a memo that keeps the request. */
export function memoOfRequest(request: RequestMemo): Readonly<Record<string, RequestMemo>> {
  return { [requestMemoField]: request };
}

const digest = (parts: readonly unknown[]) =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex');

/** Hash of the parameters and of `only`. It does not depend on the order of the parameters. */
export function fingerprintOf({ parameters, only }: Omit<RunRequest, 'dryRun'>): string {
  const values = Object.entries(parameters).sort(([a], [b]) => (a < b ? -1 : 1));
  return digest([values, only ?? null]).slice(0, 32);
}

/**
 * The id of the run that a request with this idempotency key starts. Each receiver computes the same id, so Temporal
 * itself refuses a second run.
 * @param shown name of the pipeline as Temporal shows it
 */
export function requestedRunId(shown: string, taskQueue: string, key: string): string {
  return `${slug(shown)}-http-${digest([taskQueue, shown, key]).slice(0, 16)}`;
}

/** The request in the memo of the run; null if the run does not exist, or if no request started it. */
export async function readRequestMemo(client: Client, run: string): Promise<RequestMemo | null> {
  const found = await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.workflow.getHandle(run).describe().catch(nullIfMissing),
  );
  // Memos are untyped; only `memoOfRequest` writes this field.
  return (found?.memo?.[requestMemoField] as RequestMemo | undefined) ?? null;
}
