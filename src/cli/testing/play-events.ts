// Plays a pipeline that begins with events: its intake listens, somebody uploads models, and runs start by themselves.
import type { Limits } from '../../compile/pipeline.ts';
import { type IntakePlan, workflowIds, workflowNames } from '../../plan/contract.ts';
import type { Plan } from '../../plan/types.ts';
import { applyIntake, tellIntake } from '../../temporal/event-intakes.ts';
import { aboutOf } from '../event-pipelines.ts';
import { slug } from '../runs/run-id.ts';
import { type RunSnapshot, readSnapshot } from '../runs/run-snapshot.ts';
import { memoOf } from '../runs/start-run.ts';
import type { Stage } from './stage.ts';
import { taskQueue } from './test-worker.ts';

/** Events are taken for so long after the sweep that finds what none told of. */
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
  const untilMs = now() + intake.sweepMs + afterSweepMs;
  for (let sliceMs = firstSliceMs; ; sliceMs = Math.min(sliceMs * 1.3, longestSliceMs)) {
    await Promise.race([pass(sliceMs), broken]);
    if (now() < untilMs) continue;
    const runs = await startedBy(stage, pipeline);
    if (runs.some(({ status }) => status === 'running')) continue;
    await temporal.workflow.getHandle(workflowIds.intake(pipeline)).terminate();
    return runs;
  }
}

/** The server has no list of workflows, so the history of the intake is read. */
async function startedBy({ temporal }: Stage, pipeline: string): Promise<RunSnapshot[]> {
  const { events } = await temporal.workflow.getHandle(workflowIds.intake(pipeline)).fetchHistory();
  const started = (events ?? []).flatMap(
    ({ childWorkflowExecutionStartedEventAttributes: child }) =>
      child?.workflowType?.name === workflowNames.run
        ? (child.workflowExecution?.workflowId ?? [])
        : [],
  );
  return Promise.all(started.map((run) => readSnapshot(temporal, run)));
}
