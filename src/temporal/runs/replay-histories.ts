// Replays workflow histories against workflow code, one at a time.

import type { Client } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { callWithTimeout, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { openOfType } from './open-workflows.ts';

export interface HistorySource {
  workflowId: string;
  workflowType: string;
  /** The file of the history. Null if the history is from the server. */
  file: string | null;
  read: () => Promise<unknown>;
}

export interface ReplayResult {
  workflowId: string;
  workflowType: string;
  file: string | null;
  /** Why the history does not replay. Null if it does. */
  problem: string | null;
}

/** Yields histories of open workflows of one type, newest first. @param where further query condition, may be empty */
export async function* openHistories(
  client: Client,
  workflowType: string,
  { where, limit }: { where: string; limit: number },
): AsyncGenerator<HistorySource> {
  const query = openQuery(workflowType, where);
  let remainingCount = limit;
  for await (const { workflowId, runId } of listWorkflows(client, { query })) {
    if (remainingCount === 0) return;
    remainingCount -= 1;
    yield {
      workflowId,
      workflowType,
      file: null,
      read: () =>
        callWithTimeout(client, responseTimeoutMs.usual, () =>
          client.workflow.getHandle(workflowId, runId).fetchHistory(),
        ),
    };
  }
}

export function openQuery(workflowType: string, condition: string): string {
  const baseQuery = openOfType(workflowType);
  return condition === '' ? baseQuery : `${baseQuery} AND (${condition})`;
}

/**
 * Replays the histories in order. Each is read only when it is needed, so that few are in memory. An unreadable history
 * is reported as one that does not replay.
 */
export async function* replayHistories(
  workflows: Pick<
    WorkerOptions,
    'workflowBundle' | 'workflowsPath' | 'interceptors' | 'dataConverter'
  >,
  sources: AsyncIterator<HistorySource>,
): AsyncGenerator<ReplayResult> {
  // The worker is imported lazily, because it loads the native part of the SDK.
  const { Worker } = await import('@temporalio/worker');
  let isExhausted = false;
  let current: HistorySource | null = null;
  async function* histories() {
    for (;;) {
      const next = await sources.next();
      if (next.done === true) {
        isExhausted = true;
        return;
      }
      current = next.value;
      yield { workflowId: current.workflowId, history: await current.read() };
    }
  }
  while (!isExhausted) {
    try {
      for await (const { error } of Worker.runReplayHistories(workflows, histories())) {
        if (current !== null) yield toReplayResult(current, error?.message ?? null);
        current = null;
      }
    } catch (error) {
      // Without a current history, the listing itself has failed.
      if (current === null) throw error;
      yield toReplayResult(current, error instanceof Error ? error.message : String(error));
      current = null;
    }
  }
}

function toReplayResult(
  { workflowId, workflowType, file }: HistorySource,
  problem: string | null,
): ReplayResult {
  return { workflowId, workflowType, file, problem: problem && formatReplayProblem(problem) };
}

/** Extracts the message from the SDK core's error, which dumps the whole failure. */
export function formatReplayProblem(problem: string): string {
  const [, message] = /Failure \{ message: "((?:[^"\\]|\\.)*)"/.exec(problem) ?? [];
  return (message ?? problem).slice(0, 600);
}
