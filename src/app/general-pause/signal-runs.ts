// Sends signals to the open runs of a task queue, including runs that start in the meantime.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@temporalio/client';
import type { SignalNote } from '../../plan/contract/audit-contract.ts';
import { workflowNames } from '../../plan/contract/contract.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import { openAtQueue } from '../../temporal/runs/open-workflows.ts';
import { signalRun } from '../runs/control.ts';
import { toListedRun } from '../runs/listed-run.ts';

type OpenRun = ReturnType<typeof toListedRun>;

export interface RunSignal {
  action: 'pause' | 'resume';
  note: SignalNote;
}

export interface SignalRunsOptions {
  /** Returns the signal for a run, or null for none. @param isKnown true if an earlier listing contained the run */
  signalOf: (run: OpenRun, isKnown: boolean) => Promise<RunSignal | null>;
  /** Waits until runs that have just started are in Temporal's lists. Injected in tests. */
  settle?: () => Promise<void>;
  signal: AbortSignal;
}

/** Time within which Temporal's lists include a run that has just started. Usually, it takes about a second. */
const settleMs = 2_000;
const maxConcurrentSignals = 16;

/** Lists and signals runs until a listing contains no new run. @returns the number of runs that received each signal */
export async function signalOpenRuns(
  client: Client,
  taskQueue: string,
  { signalOf, settle = () => sleep(settleMs), signal }: SignalRunsOptions,
): Promise<Record<RunSignal['action'], number>> {
  const knownRuns = new Set<string>();
  const signaled = { pause: new Set<string>(), resume: new Set<string>() };
  for (let isFirst = true; ; isFirst = false) {
    const knownBefore = knownRuns.size;
    const send = async (openRun: OpenRun) => {
      const isKnown = knownRuns.has(openRun.run);
      knownRuns.add(openRun.run);
      const dueSignal = await signalOf(openRun, isKnown);
      if (dueSignal === null) return;
      await signalRun(client, dueSignal.action, openRun.run, dueSignal.note);
      signaled[dueSignal.action].add(openRun.run);
    };
    const openRuns = await listOpenRuns(client, taskQueue);
    await mapBounded(openRuns, send, { maxConcurrent: maxConcurrentSignals, signal });
    if (!isFirst && knownRuns.size === knownBefore)
      return { pause: signaled.pause.size, resume: signaled.resume.size };
    await settle();
  }
}

async function listOpenRuns(client: Client, taskQueue: string): Promise<OpenRun[]> {
  const runs: OpenRun[] = [];
  const listed = listWorkflows(client, {
    query: openAtQueue(workflowNames.run, taskQueue),
    pageSize: 500,
  });
  for await (const info of listed) runs.push(toListedRun(info));
  return runs;
}
