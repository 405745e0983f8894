// Plays a pipeline that begins with events: its intake listens, somebody uploads models, and runs start by themselves.
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

/** So much later the sweep has begun that finds what no event told of. */
const afterSweepMs = 60_000;
/** Time is not skipped before the intake has begun. */
const settlesMs = 1_000;
const firstSliceMs = 2_000;
const longestSliceMs = 60_000;

/** Gives the runs that events started, all of which have ended. */
export async function playEvents(
  stage: Stage,
  { plan, limits, upload }: { plan: Plan; limits: Limits; upload: () => Promise<void> },
): Promise<RunSnapshot[]> {
  const { temporal, pass, now, broken } = stage;
  const { pipeline, intake } = plan;
  if (intake === undefined) throw new TypeError(`${pipeline} does not begin with events`);
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
  // What is older than the intake's first task is not swept, and a busy worker takes that up late.
  await pass(settlesMs);
  await upload();
  const sweepMs = now() + intake.sweepMs;
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.3, longestSliceMs)) {
    await Promise.race([pass(sliceMs), broken]);
    if (now() < sweepMs + afterSweepMs) continue;
    // From the history of the intake, since the server has no list of workflows.
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
  /** Ids of the runs that have started. */
  started: string[];
  /** When the last sweep began that has ended. */
  lastSweepMs: number;
  /** Has not drawn its conclusions from all that it knows, or is starting a run. */
  isBusy: boolean;
}

type HistoryEvent = temporal.api.history.v1.IHistoryEvent;

/** What an intake has done, by its history. */
export function storyOf(events: readonly HistoryEvent[]): Story {
  const begun = new Map<string, number>();
  const started: string[] = [];
  let lastSweepMs = 0;
  let asked = 0;
  let hasNews = false;
  for (const event of events) {
    // News is written together with the workflow task that takes it up.
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
