// Tests an event-started pipeline: starts its event trigger, uploads models, and waits for the runs that events start.
import type { temporal } from '@temporalio/proto';
import type { Limits } from '../../compile/pipeline.ts';
import { type TriggerPlan, workflowIds } from '../../plan/contract/contract.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import type { Plan } from '../../plan/types.ts';
import {
  applyEventTrigger,
  eventTriggerIdOf,
  signalEventTrigger,
} from '../../temporal/runs/event-triggers.ts';
import { subjectsOf } from '../events/event-dispatcher.ts';
import { slug } from '../runs/run-id.ts';
import { type RunSnapshot, readSnapshot } from '../runs/run-snapshot.ts';
import type { TestBed } from './workers/test-bed.ts';
import { taskQueue } from './workers/test-worker.ts';

/** By this time, the sweep that finds models without an event has certainly started. */
const sweepGraceMs = 60_000;
/** Time allowed for the event trigger to start before time is skipped. */
const triggerStartMs = 1_000;
const firstSliceMs = 2_000;
const maxSliceMs = 60_000;

/** @returns the runs that events started, all of which have closed */
export async function executeEventRuns(
  testBed: TestBed,
  { plan, limits, upload }: { plan: Plan; limits: Limits; upload: () => Promise<void> },
): Promise<RunSnapshot[]> {
  const { temporal, advanceTime, now, workerFailure } = testBed;
  const { pipeline, eventTrigger } = plan;
  if (eventTrigger === undefined) throw new TypeError(`${pipeline} is not started by events`);
  const triggerPlan: TriggerPlan = {
    plan,
    runName: slug(pipeline),
    memo: { renderline: runMemoOf(plan) },
    facts: {},
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
  await applyEventTrigger(temporal, triggerPlan, { taskQueue, searchable: false });
  testBed.onEvent.keep = async (event) => {
    if (event.name !== eventTrigger.event) return;
    const { name, at } = event;
    const triggerEvent = { name, at, objects: subjectsOf(event) };
    await signalEventTrigger(temporal, eventTriggerIdOf(temporal, pipeline), [triggerEvent]);
  };
  // The sweep ignores models older than the trigger's first task, which a busy worker may process late.
  await advanceTime(triggerStartMs);
  await upload();
  const sweepAtMs = now() + eventTrigger.sweepIntervalMs;
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.3, maxSliceMs)) {
    await Promise.race([advanceTime(sliceMs), workerFailure]);
    if (now() < sweepAtMs + sweepGraceMs) continue;
    // The test server cannot list workflows, so the runs are read from the trigger's history.
    const handle = temporal.workflow.getHandle(workflowIds.eventTrigger(pipeline));
    const { events } = await handle.fetchHistory();
    const { startedRuns, lastSweepAtMs, isBusy } = readTriggerHistory(events ?? []);
    if (lastSweepAtMs < sweepAtMs || isBusy) continue;
    const runs = await Promise.all(startedRuns.map((run) => readSnapshot(temporal, run)));
    if (runs.some(({ status }) => status === 'running')) continue;
    await handle.terminate();
    return runs;
  }
}

interface TriggerHistory {
  startedRuns: string[];
  /** Start time of the last finished sweep. */
  lastSweepAtMs: number;
  /** True if the trigger has unprocessed events or is starting a run. */
  isBusy: boolean;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads from the trigger's history what an event trigger has done. */
export function readTriggerHistory(events: readonly HistoryEvent[]): TriggerHistory {
  const sweepStarts = new Map<string, number>();
  const startedRuns: string[] = [];
  let lastSweepAtMs = 0;
  let requestedRuns = 0;
  let hasPendingTask = false;
  for (const event of events) {
    // Each signal or result schedules a workflow task, which then processes it.
    if (event.workflowTaskScheduledEventAttributes) hasPendingTask = true;
    if (event.workflowTaskCompletedEventAttributes) hasPendingTask = false;
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    if (scheduled?.activityType?.name === 'filterEvents') {
      sweepStarts.set(String(event.eventId), Number(event.eventTime?.seconds ?? 0) * 1_000);
    }
    const completedId = event.activityTaskCompletedEventAttributes?.scheduledEventId;
    if (completedId) lastSweepAtMs = sweepStarts.get(String(completedId)) ?? lastSweepAtMs;
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) requestedRuns += 1;
    const run = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    if (run) startedRuns.push(run);
  }
  const isBusy = hasPendingTask || requestedRuns > startedRuns.length;
  return { startedRuns, lastSweepAtMs, isBusy };
}
