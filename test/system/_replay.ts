// Replays histories with the workflows as they are now.

import type { WorkflowHandle } from '@temporalio/client';
import { Worker, type WorkflowBundleOption } from '@temporalio/worker';

/** A history as the client decodes it. */
export type ReplayHistory = Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;

export interface Replayed {
  name: string;
  /** null when the history replays. */
  problem: string | null;
}

/** Replays all of them; a history that does not replay is told with its reason. */
export async function replayAll(
  workflowBundle: WorkflowBundleOption,
  recordings: readonly { name: string; history: ReplayHistory }[],
): Promise<Replayed[]> {
  const histories = recordings.map(({ name, history }) => ({ workflowId: name, history }));
  const replayed: Replayed[] = [];
  for await (const { workflowId, error } of Worker.runReplayHistories(
    { workflowBundle },
    histories,
  )) {
    replayed.push({ name: workflowId, problem: error ? error.message : null });
  }
  return replayed;
}
