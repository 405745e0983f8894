// Plans changes to event triggers, which are workflows that start runs of a pipeline on platform events.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { formatDuration } from '../../language/duration.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import type { Plan } from '../../plan/types.ts';
import {
  applyEventTrigger,
  eventTriggerIdOf,
  findEventTrigger,
  listEventTriggers,
  stopEventTrigger,
} from '../../temporal/runs/event-triggers.ts';
import { RenderlineError } from '../renderline-error.ts';
import { slug } from '../runs/run-id.ts';
import { type Facts, formatPlanFacts } from '../schedules/schedule-facts.ts';
import type { AppliedFiles, CompiledFile } from './applied-files.ts';
import {
  compareWithFile,
  type PlannedChange,
  planUndeclared,
  type UndeclaredPolicy,
} from './planned-change.ts';

/** @throws RenderlineError if the trigger belongs to another task queue, from which it cannot move */
export async function planEventTrigger(
  client: Client,
  { file, path, plan, limits }: CompiledFile,
  target: Parameters<typeof applyEventTrigger>[2],
): Promise<PlannedChange> {
  const { pipeline } = plan;
  const live = await findEventTrigger(client, pipeline);
  if (live !== null && live.taskQueue !== target.taskQueue)
    throw new RenderlineError(
      commandFailures.FOREIGN_EVENT_TRIGGER,
      `"${pipeline}" already has an event trigger on task queue ${live.taskQueue}.`,
    );
  const facts = { ...formatEventFacts(plan.eventTrigger), ...formatPlanFacts({ plan, limits }) };
  // A trigger counts as unchanged if only the path of its file has changed.
  const { path: owner = null, ...liveFacts } = live?.facts ?? {};
  const change = compareWithFile(live && { facts: liveFacts, owner }, { file, path, facts });
  const capped = Object.keys(limits).length > 0 ? { limits } : {};
  const memo = { renderline: runMemoOf(plan) };
  const triggerPlan = {
    plan,
    runName: slug(pipeline),
    memo,
    facts: { ...facts, path },
    ...capped,
  };
  return {
    change: { pipeline, ...change },
    make: (writer) => applyEventTrigger(writer, triggerPlan, target),
  };
}

function formatEventFacts(rules: CompiledFile['plan']['eventTrigger']): Facts {
  if (rules === undefined) return {};
  const { event, batchWindowMs, batchSize, sweepIntervalMs, includesOwn } = rules;
  return {
    on: event,
    gather: `${formatDuration(batchWindowMs)}, up to ${batchSize}`,
    sweep: formatDuration(sweepIntervalMs),
    own: includesOwn ? 'yes' : 'no',
  };
}

/** Plans changes to open triggers on this task queue that no applied file declares. Ignores unreadable triggers. */
export async function planUndeclaredTriggers(
  client: Client,
  {
    eventTriggered,
    pipelines,
  }: Pick<AppliedFiles, 'pipelines'> & {
    eventTriggered: readonly { plan: Pick<Plan, 'pipeline'> }[];
  },
  taskQueue: string,
  policy: UndeclaredPolicy,
): Promise<PlannedChange[]> {
  const { readable } = await listEventTriggers(client, taskQueue);
  const declaredIds = new Set(
    eventTriggered.map(({ plan }) => eventTriggerIdOf(client, plan.pipeline)),
  );
  return readable.flatMap(({ pipeline, workflowId, facts }) => {
    if (declaredIds.has(workflowId)) return [];
    const { path: owner = null } = facts;
    // A trigger of one of the files may have an earlier name of the file's pipeline.
    const isOfFiles = pipelines.some(
      (applied) => applied.pipeline === pipeline || applied.path === owner,
    );
    const change = planUndeclared(owner, null, isOfFiles, policy);
    if (change === null) return [];
    const make = (writer: Client) => stopEventTrigger(writer, workflowId);
    return { change: { pipeline, ...change }, make };
  });
}
