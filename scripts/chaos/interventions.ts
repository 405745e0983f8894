// Terminates or resets workflows while a creating call is in flight, directly in Temporal and not through the product.
import { setTimeout as delay } from 'node:timers/promises';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connection/connect.ts';
import type { RoundContext } from './fault-injector.ts';
import type { Intervention, PipelinePlan } from './plan.ts';
import { type Commands, findRunningRun } from './runs.ts';
import { keysOf } from './sources.ts';

/** Time limit for the call to arrive. It is long enough for a busy machine. */
const maxWaitMs = 90_000;
/** How often to check that some run that may send the call still exists. The run starts before the first check. */
const pollIntervalMs = 9_000;

/** Holds the call, terminates or resets the run, and starts the follow-ups. @returns whether all of this was done */
export async function intervene(
  action: Intervention,
  pipeline: PipelinePlan,
  { proxy, commands, temporal, signal }: RoundContext,
): Promise<boolean> {
  const { followUp: next, followUpDelayMs: thenMs, forMs } = action;
  const holdEnded = new AbortController();
  const call = await Promise.race([
    proxy.hold(action, holdEnded.signal).catch(() => null),
    waitUntilNoRun(pipeline, commands, signal),
  ]).finally(() => holdEnded.abort());
  if (!call) return false;
  try {
    const run = await findRunningRun(commands, pipeline);
    if (run === null) return false;
    const connection = await connectTemporal({ env: temporal.env });
    try {
      await terminateOrReset(run, action, connection);
    } finally {
      await connection.close();
    }
    await delay(thenMs, undefined, { signal });
    const keys = keysOf(pipeline).slice(action.skippedAssets);
    await Promise.all(
      next.map((followUp) => startFollowUp(followUp, { run, pipeline, keys, commands })),
    );
    await delay(forMs, undefined, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // Temporal may be down at this moment. The action then counts as not performed.
    if (error instanceof Error) return false;
    throw error;
  } finally {
    call.release();
  }
}

/** Resolves when no run that could send the call is running any more, or after `maxWaitMs`. */
async function waitUntilNoRun(pipeline: PipelinePlan, commands: Commands, signal: AbortSignal) {
  for (let ms = 0; ms < maxWaitMs; ms += pollIntervalMs) {
    await delay(pollIntervalMs, undefined, { signal });
    if ((await findRunningRun(commands, pipeline)) === null) return null;
  }
  return null;
}

function startFollowUp(
  followUp: Intervention['followUp'][number],
  on: { run: string; pipeline: PipelinePlan; keys: readonly string[]; commands: Commands },
) {
  const { run, pipeline, keys, commands } = on;
  if (followUp === 'run') return commands.start(pipeline);
  if (followUp === 'some') {
    return commands.start(pipeline, ...keys.flatMap((key) => ['--only', key]));
  }
  return commands.run('rerun', run, '--with', 'pinned', '--yes');
}

async function terminateOrReset(
  run: string,
  action: Intervention,
  connection: TemporalConnection,
): Promise<void> {
  const shards = action.target === 'run' ? [] : await openShards(run, connection);
  for (const workflowId of [...shards, ...(action.target === 'shards' ? [] : [run])]) {
    if (action.do === 'reset') await reset(workflowId, connection);
    else await connection.client.workflow.getHandle(workflowId).terminate('by hand');
  }
}

async function openShards(run: string, { client }: TemporalConnection): Promise<string[]> {
  const shards: string[] = [];
  for await (const { workflowId } of client.workflow.list({
    query: "ExecutionStatus = 'Running'",
  })) {
    if (workflowId.startsWith(`${run}/shard-`)) shards.push(workflowId);
  }
  return shards;
}

/** Resets to the first workflow task, so that everything is done again. */
async function reset(workflowId: string, { client, namespace }: TemporalConnection): Promise<void> {
  const handle = client.workflow.getHandle(workflowId);
  const { runId } = await handle.describe();
  const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  const task = (events ?? []).find((event) => event.workflowTaskCompletedEventAttributes);
  await client.workflowService.resetWorkflowExecution({
    namespace,
    workflowExecution: { workflowId, runId },
    reason: 'by hand',
    requestId: crypto.randomUUID(),
    workflowTaskFinishEventId: task?.eventId ?? null,
  });
}
