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
  // A run that a schedule started takes its names from its workflow id, so a replay needs the real one.
  const histories = recordings.map(({ name, history }) => {
    const [started] = history.events ?? [];
    const workflowId = started?.workflowExecutionStartedEventAttributes?.workflowId;
    return { workflowId: workflowId ?? name, history };
  });
  const replayed: Replayed[] = [];
  // One at a time and in order.
  for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
    const name = recordings[replayed.length]?.name ?? '';
    replayed.push({ name, problem: error ? error.message : null });
  }
  return replayed;
}
