// Replays the workflow histories of a round and reports why, if any of them fails.
import type { WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import { connectTemporal } from '../../src/temporal/connection/connect.ts';
import { type Env, findBuiltFile } from './program.ts';

export interface Replayed {
  workflow: string;
  /** Number of events in the history. */
  events: number;
  /** Why the replay of the history fails. Null if it succeeds. */
  problem: string | null;
}

/** The end of the last replay. The native runtime shuts down after a replay, so only one may run at a time. */
let previousReplay: Promise<unknown> = Promise.resolve();

/** Replays every history on the server with the built workflow bundle. Concurrent rounds take turns. */
export function replayAll(env: Env): Promise<Replayed[]> {
  const replayed = previousReplay.then(() => replayHistories(env));
  previousReplay = replayed.catch(() => undefined);
  return replayed;
}

async function replayHistories(env: Env): Promise<Replayed[]> {
  const temporal = await connectTemporal({ env });
  try {
    const histories: {
      workflowId: string;
      history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
    }[] = [];
    for await (const { workflowId, runId } of temporal.client.workflow.list()) {
      const history = await temporal.client.workflow.getHandle(workflowId, runId).fetchHistory();
      histories.push({ workflowId, history });
    }
    const replayed: Replayed[] = [];
    const workflowBundle = { codePath: findBuiltFile('workflow-bundle.js') };
    // The results arrive one at a time, in the order of the histories.
    for await (const { error } of Worker.runReplayHistories({ workflowBundle }, histories)) {
      const execution = histories[replayed.length];
      replayed.push({
        workflow: execution?.workflowId ?? '',
        events: execution?.history.events?.length ?? 0,
        problem: error ? error.message : null,
      });
    }
    return replayed;
  } finally {
    await temporal.close();
  }
}
