// Present progress of a run: its own figures, with those of its open shards in place of what they
// reported last. Reports add history, so they are rare.
import type { Client } from '@temporalio/client';
import { type OpenShard, type RunProgress, workflowIds } from '../../plan/contract.ts';
import { count } from '../../plan/count.ts';
import { addWait, type ShardProgress, type StepCount, type StepWait } from '../../plan/totals.ts';
import { failingActivity } from '../../temporal/intake-trouble.ts';
import { type Standstill, standstillOf } from '../../temporal/standstill.ts';
import { answerMs, queryProgress, queryShards } from './run-snapshot.ts';

/** Most shards that are queried; a run has few in its window, and many only where they wait for receivers of notices. */
const shardsAsked = 40;
/** Most shards that are checked for failing workers. */
const shardsDescribed = 8;

/** null when no worker answers in time. */
export async function freshProgress(client: Client, run: string): Promise<RunProgress | null> {
  const progress = await queryProgress(client, run);
  if (progress === null || progress.openShards.length === 0) return progress;
  const open = progress.openShards.slice(0, shardsAsked).map(({ shard }) => shard);
  return refreshed(progress, await queryShards(client, run, open));
}

/** The run, or a shard of it, that nobody goes on with. */
export interface Silence extends Standstill {
  workflowId: string;
}

/** Why a running run, or a shard of it, does not answer; null where it does, or the reason is unknown. */
export async function silenceOf(
  client: Client,
  progress: RunProgress | null,
  run: string,
): Promise<Silence | null> {
  const shards = progress?.openShards.slice(0, shardsDescribed) ?? [];
  const ids = progress ? shards.map(({ shard }) => workflowIds.shard(run, shard)) : [run];
  const found = ids.map(async (workflowId) => {
    const standstill = await standstillOf(client, workflowId).catch(() => null);
    return standstill && { workflowId, ...standstill };
  });
  return (await Promise.all(found)).find((one) => one !== null) ?? null;
}

/** In one line. */
export function silenceWords({ workflowId, why, fix }: Silence): string {
  return `${workflowId}: ${why}. ${fix}`;
}

/** What a run tries again and again, with the reason of its last try; null where nothing fails, or nobody can tell. */
export async function waitOf(client: Client, progress: RunProgress, run: string) {
  const shards = progress.openShards.slice(0, shardsDescribed);
  const ids = [run, ...shards.map(({ shard }) => workflowIds.shard(run, shard))];
  const failing = await Promise.all(ids.map((id) => failingOf(client, id).catch(() => null)));
  const trouble = failing.find((one) => one !== null);
  if (!trouble) return null;
  return `waits and tries again (${count(trouble.attempts ?? 1, 'time')} so far): ${trouble.message}`;
}

async function failingOf(client: Client, workflowId: string) {
  const { raw } = await client.withDeadline(Date.now() + answerMs, () =>
    client.workflow.getHandle(workflowId).describe(),
  );
  return failingActivity(client.options, raw);
}

/** @param shards present figures of open shards; those that did not answer are left out */
export function refreshed(progress: RunProgress, shards: readonly ShardProgress[]): RunProgress {
  const waits: Record<string, StepWait> = {};
  const fresh: RunProgress = {
    ...progress,
    totals: { ...progress.totals },
    steps: { ...progress.steps },
    requests: { ...progress.requests },
    failures: [...progress.failures],
    waits,
  };
  for (const now of shards) {
    const open = progress.openShards.find(({ shard }) => shard === now.shard);
    if (open) bringUpToDate(fresh, open.counted, now);
    for (const [step, wait] of Object.entries(now.waits ?? {})) {
      addWait(waits, step, wait);
    }
  }
  return fresh;
}

/** @param counted figures of the shard that are in the run's */
function bringUpToDate(
  fresh: RunProgress,
  counted: OpenShard['counted'],
  { totals, steps, failures, requests = {}, historyEvents = 0 }: ShardProgress,
): void {
  // A shard's assets are all counted, even before it has opened.
  for (const outcome of ['complete', 'failed', 'skipped'] as const) {
    fresh.totals[outcome] += totals[outcome] - (counted.totals?.[outcome] ?? 0);
  }
  for (const [id, now] of Object.entries(steps)) {
    fresh.steps[id] = replaced(fresh.steps[id], counted.steps?.[id], now);
  }
  for (const [operation, now] of Object.entries(requests)) {
    const before = counted.requests?.[operation] ?? 0;
    fresh.requests[operation] = (fresh.requests[operation] ?? 0) + now - before;
  }
  fresh.historyEvents += historyEvents - (counted.historyEvents ?? 0);
  const known = new Set(fresh.failures.map(({ key }) => key));
  fresh.failures.push(...failures.filter(({ key }) => !known.has(key)));
}

const none: StepCount = { waiting: 0, running: 0, done: 0, failed: 0 };

function replaced(
  sum: StepCount = none,
  counted: StepCount = none,
  now: StepCount = none,
): StepCount {
  return {
    waiting: sum.waiting - counted.waiting + now.waiting,
    running: sum.running - counted.running + now.running,
    done: sum.done - counted.done + now.done,
    failed: sum.failed - counted.failed + now.failed,
  };
}

/** Rows in the order of the plan; without a plan, of the run's figures. */
export function stepRows(
  progress: RunProgress | null,
  order: readonly string[],
): { id: string; count: StepCount }[] {
  const steps = progress?.steps ?? {};
  const ids = order.length > 0 ? order : Object.keys(steps);
  return ids.flatMap((id) => {
    const count = steps[id];
    return count ? [{ id, count }] : [];
  });
}
