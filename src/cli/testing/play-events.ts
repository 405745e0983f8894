// Tests an event-started pipeline: starts its event trigger, uploads models, and waits for the runs that events start.
import type { temporal } from '@temporalio/proto';
import type { Limits } from '../../compile/pipeline.ts';
import { type IntakePlan, workflowIds } from '../../plan/contract.ts';
import { memoOf } from '../../plan/run-memo.ts';
import type { Plan } from '../../plan/types.ts';
import { applyIntake, tellIntake } from '../../temporal/event-intakes.ts';
import { aboutOf } from '../event-pipelines.ts';
import { slug } from '../runs/run-id.ts';
import { type RunSnapshot, readSnapshot } from '../runs/run-snapshot.ts';
import type { Stage } from './stage.ts';
import { taskQueue } from './test-worker.ts';

/** Time after which the sweep, which finds models without an event, has certainly started. */
const afterSweepMs = 60_000;
/** Time for the event trigger to start before time is skipped. */
const settlesMs = 1_000;
const firstSliceMs = 2_000;
const longestSliceMs = 60_000;

/** @returns the runs that events started, all of them closed */
export async function playEvents(
  stage: Stage,
  { plan, limits, upload }: { plan: Plan; limits: Limits; upload: () => Promise<void> },
): Promise<RunSnapshot[]> {
  const { temporal, pass, now, broken } = stage;
  const { pipeline, intake } = plan;
  if (intake === undefined) throw new TypeError(`${pipeline} is not started by events`);
  const made: IntakePlan = {
    plan,
    runName: slug(pipeline),
    memo: { renderline: memoOf(plan) },
    facts: {},
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
  await applyIntake(temporal, made, { taskQueue, searchable: false });
  stage.onEvent.keep = async (event) => {
    if (event.name !== intake.event) return;
    const { name, at } = event;
    await tellIntake(temporal, pipeline, [{ name, at, about: aboutOf(event) }]);
  };
  // The sweep ignores models older than the trigger's first task, which a busy worker may process late.
  await pass(settlesMs);
  await upload();
  const sweepMs = now() + intake.sweepMs;
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.3, longestSliceMs)) {
    await Promise.race([pass(sliceMs), broken]);
    if (now() < sweepMs + afterSweepMs) continue;
    // The test server cannot list workflows, so the runs are read from the trigger's history.
    const handle = temporal.workflow.getHandle(workflowIds.intake(pipeline));
    const { started, lastSweepMs, isBusy } = storyOf((await handle.fetchHistory()).events ?? []);
    if (lastSweepMs < sweepMs || isBusy) continue;
    const runs = await Promise.all(started.map((run) => readSnapshot(temporal, run)));
    if (runs.some(({ status }) => status === 'running')) continue;
    await handle.terminate();
    return runs;
  }
}

interface Story {
  /** Ids of the started runs. */
  started: string[];
  /** Start time of the last finished sweep. */
  lastSweepMs: number;
  /** Whether the trigger has unprocessed events, or is starting a run. */
  isBusy: boolean;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** Reads from its history what an event trigger has done. */
export function storyOf(events: readonly HistoryEvent[]): Story {
  const begun = new Map<string, number>();
  const started: string[] = [];
  let lastSweepMs = 0;
  let asked = 0;
  let hasNews = false;
  for (const event of events) {
    // Each signal or result schedules a workflow task, which processes it.
    if (event.workflowTaskScheduledEventAttributes) hasNews = true;
    if (event.workflowTaskCompletedEventAttributes) hasNews = false;
    const { activityTaskScheduledEventAttributes: scheduled } = event;
    if (scheduled?.activityType?.name === 'sift_events') {
      begun.set(String(event.eventId), Number(event.eventTime?.seconds ?? 0) * 1_000);
    }
    const ended = event.activityTaskCompletedEventAttributes?.scheduledEventId;
    if (ended) lastSweepMs = begun.get(String(ended)) ?? lastSweepMs;
    if (event.startChildWorkflowExecutionInitiatedEventAttributes) asked += 1;
    const run = event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId;
    if (run) started.push(run);
  }
  return { started, lastSweepMs, isBusy: hasNews || asked > started.length };
}
