// Terminates or resets workflows directly in Temporal, not through the product, while a creating call is in flight.
import { setTimeout as delay } from 'node:timers/promises';
import { connectTemporal, type TemporalConnection } from '../../src/temporal/connect.ts';
import type { Victims } from './nemesis.ts';
import type { PipelinePlan, Press } from './plan.ts';
import { type Commands, runningOf } from './runs.ts';
import { keysOf } from './sources.ts';

/** A busy machine may take this long until the call comes. */
const mostWaitMs = 90_000;
/** Interval between checks that a run which may send the call still exists. The run starts before the first check. */
const pieceMs = 9_000;

/** @returns whether the call came and a run was there to terminate or reset */
export async function press(
  action: Press,
  pipeline: PipelinePlan,
  { proxy, commands, temporal, signal }: Victims,
): Promise<boolean> {
  const { next, thenMs, forMs } = action;
  const vain = new AbortController();
  const call = await Promise.race([
    proxy.hold(action, vain.signal).catch(() => null),
    untilVain(pipeline, commands, signal),
  ]).finally(() => vain.abort());
  if (!call) return false;
  try {
    const run = await runningOf(commands, pipeline);
    if (run === null) return false;
    const connection = await connectTemporal({ env: temporal.env });
    try {
      await pressAt(run, action, connection);
    } finally {
      await connection.close();
    }
    await delay(thenMs, undefined, { signal });
    const some = keysOf(pipeline).slice(action.without);
    await Promise.all(next.map((what) => begin(what, { run, pipeline, some, commands })));
    await delay(forMs, undefined, { signal });
    return true;
  } catch (error) {
    signal.throwIfAborted();
    // Temporal may be down at this moment. The action then counts as not done.
    if (error instanceof Error) return false;
    throw error;
  } finally {
    call.release();
  }
}

/** Resolves when no running run is left that could send the call. */
async function untilVain(pipeline: PipelinePlan, commands: Commands, signal: AbortSignal) {
  for (let ms = 0; ms < mostWaitMs; ms += pieceMs) {
    await delay(pieceMs, undefined, { signal });
    if ((await runningOf(commands, pipeline)) === null) return null;
  }
  return null;
}

function begin(
  what: Press['next'][number],
  on: { run: string; pipeline: PipelinePlan; some: readonly string[]; commands: Commands },
) {
  const { run, pipeline, some, commands } = on;
  if (what === 'run') return commands.start(pipeline);
  if (what === 'some') {
    return commands.start(pipeline, ...some.flatMap((key) => ['--only', key]));
  }
  return commands.run('rerun', run, '--with', 'pinned', '--yes');
}

async function pressAt(run: string, action: Press, connection: TemporalConnection): Promise<void> {
  const shards = action.of === 'run' ? [] : await openShards(run, connection);
  for (const workflowId of [...shards, ...(action.of === 'shards' ? [] : [run])]) {
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
