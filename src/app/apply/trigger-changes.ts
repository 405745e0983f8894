// Plans and applies changes to event triggers, which are workflows that start runs of a pipeline on platform events.
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { formatDuration } from '../../language/duration.ts';
import type { TriggerPlan } from '../../plan/contract/contract.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import {
  applyEventTrigger,
  eventTriggerIdOf,
  findEventTrigger,
  listEventTriggers,
  stopEventTrigger,
} from '../../temporal/runs/event-triggers.ts';
import { RenderlineError } from '../renderline-error.ts';
import { slug } from '../runs/run-id.ts';
import { compareFacts, type Facts, formatPlanFacts } from '../schedules/schedule-facts.ts';
import type { CompiledFile } from './applied-files.ts';
import { applyAndRecord, type Change, type PlannedChange } from './apply-and-record.ts';
import { findOtherOwner } from './schedule-changes.ts';

/** A change of the event trigger or of the HTTP start of a pipeline. */
export interface PipelineChange extends Change {
  pipeline: string;
}

/** `write` is the input of the trigger's workflow, and `remove` the workflow id. */
export type PlannedTriggerChange = PlannedChange<PipelineChange, TriggerPlan>;

export async function planEventTrigger(
  client: Client,
  { file, path, plan, limits }: CompiledFile,
  taskQueue: string,
): Promise<PlannedTriggerChange> {
  const { pipeline } = plan;
  const live = await findEventTrigger(client, pipeline);
  // A trigger cannot move from one task queue to another.
  if (live !== null && live.taskQueue !== taskQueue)
    throw new RenderlineError(
      commandFailures.FOREIGN_EVENT_TRIGGER,
      `"${pipeline}" already has an event trigger on task queue ${live.taskQueue}.`,
    );
  const facts = { ...formatEventFacts(plan.eventTrigger), ...formatPlanFacts({ plan, limits }) };
  // A trigger counts as unchanged if only the path of its file has changed.
  const { path: owner = null, ...liveFacts } = live?.facts ?? {};
  const fields = compareFacts(liveFacts, facts);
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  const capped = Object.keys(limits).length > 0 ? { limits } : {};
  const memo = { renderline: runMemoOf(plan) };
  return {
    change: {
      pipeline,
      change,
      file,
      fields,
      takenFrom: change === 'update' ? findOtherOwner(owner, path) : null,
    },
    write:
      change === 'unchanged'
        ? null
        : { plan, runName: slug(pipeline), memo, facts: { ...facts, path }, ...capped },
    remove: null,
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

/**
 * Plans changes to open triggers on this task queue that no applied file declares. Ignores unreadable triggers.
 * @returns the changes, each with the path of the file that the trigger was applied from, or null if it is unknown
 */
export async function planUndeclaredTriggers(
  client: Client,
  declaredPipelines: ReadonlySet<string>,
  taskQueue: string,
  prune: boolean,
): Promise<(PlannedTriggerChange & { owner: string | null })[]> {
  const { readable } = await listEventTriggers(client);
  const declaredIds = new Set(
    [...declaredPipelines].map((pipeline) => eventTriggerIdOf(client, pipeline)),
  );
  return readable
    .filter((trigger) => trigger.taskQueue === taskQueue && !declaredIds.has(trigger.workflowId))
    .map(({ pipeline, workflowId, facts }) => {
      const change = prune ? 'remove' : 'undeclared';
      return {
        owner: facts['path'] ?? null,
        change: { pipeline, change, file: null, fields: [], takenFrom: null },
        write: null,
        remove: prune ? workflowId : null,
      };
    });
}

/** @throws NotRecordedError before anything is changed, if the audit log cannot be written */
export async function applyTriggerChange(
  client: Client,
  planned: PlannedTriggerChange,
  target: Parameters<typeof applyEventTrigger>[2],
  reason?: string,
): Promise<void> {
  const { pipeline } = planned.change;
  const { taskQueue } = target;
  const subject = { subject: 'event-trigger', name: pipeline, pipeline } as const;
  await applyAndRecord({ client, taskQueue }, subject, planned, reason, {
    write: (triggerPlan) => applyEventTrigger(client, triggerPlan, target),
    remove: (workflowId) => stopEventTrigger(client, workflowId),
  });
}
