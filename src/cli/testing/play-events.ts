// Plays a pipeline that begins with events: its intake listens, somebody uploads models, and runs start by themselves.
import type { Limits } from '../../compile/pipeline.ts';
import { type IntakePlan, workflowIds } from '../../plan/contract.ts';
import type { Plan } from '../../plan/types.ts';
import { applyIntake, tellIntake } from '../../temporal/event-intakes.ts';
import { aboutOf } from '../event-pipelines.ts';
import { slug } from '../runs/run-id.ts';
import { type RunSnapshot, readSnapshot } from '../runs/run-snapshot.ts';
import { memoOf } from '../runs/start-run.ts';
import type { Stage } from './stage.ts';
import { taskQueue } from './test-worker.ts';

/** So much later the sweep has begun that finds what no event told of. */
const afterSweepMs = 60_000;
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
  await upload();
  const sweepMs = now() + intake.sweepMs;
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.3, longestSliceMs)) {
    await Promise.race([pass(sliceMs), broken]);
    if (now() < sweepMs + afterSweepMs) continue;
    const { runs, lastSweepMs, isStarting } = await storyOf(stage, pipeline);
    if (lastSweepMs < sweepMs || isStarting) continue;
    if (runs.some(({ status }) => status === 'running')) continue;
    await temporal.workflow.getHandle(workflowIds.intake(pipeline)).terminate();
    return runs;
  }
}

interface Story {
  runs: RunSnapshot[];
  /** When the last sweep began that has ended. */
  lastSweepMs: number;
  isStarting: boolean;
}

/** From the history of the intake, since the server has no list of workflows. */
async function storyOf({ temporal }: Stage, pipeline: string): Promise<Story> {
  const { events } = await temporal.workflow.getHandle(workflowIds.intake(pipeline)).fetchHistory();
  const begun = new Map<string, number>();
  const started: string[] = [];
  let lastSweepMs = 0;
  let asked = 0;
  for (const event of events ?? []) {
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
  const runs = await Promise.all(started.map((run) => readSnapshot(temporal, run)));
  return { runs, lastSweepMs, isStarting: asked > started.length };
}
