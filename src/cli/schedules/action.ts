// Translates a declared schedule for Temporal: its times, what it starts, and its texts for people.
import type { ScheduleOptions, ScheduleOverlapPolicy } from '@temporalio/client';
import type { Limits } from '../../compile/pipeline.ts';
import { describeTimes, type ScheduleDeclaration, scheduleName } from '../../compile/schedule.ts';
import { type RunStart, workflowNames } from '../../plan/contract.ts';
import { memoOf } from '../../plan/run-memo.ts';
import type { Plan } from '../../plan/types.ts';
import { shownName, shownPlan } from '../../temporal/private-names.ts';
import { searchAttributeKeys } from '../../temporal/search-attributes.ts';
import { detailsOf, summaryOf } from '../runs/start-run.ts';

/** Marks a schedule as ours. The server cannot change a schedule's memo, so it holds nothing else. */
export const scheduleMark = 'renderline/schedule/v1';

/** A schedule as its file declares it. */
export interface Wanted {
  declaration: ScheduleDeclaration;
  /** Path of its file. */
  path: string;
  plan: Plan;
  limits: Limits;
  taskQueue: string;
  /** Search attributes are registered on this server. */
  searchable: boolean;
  unsearched?: readonly string[];
  searchesColorways?: boolean;
  /** Nothing that Temporal shows without a key tells a name. */
  hidesNames?: boolean;
}

/** Memo of the started runs, for comparing the schedule with its file. */
export interface ActionMemo {
  /** Reason with which the file paused the schedule. */
  pausedByFile: string | null;
  /** Path of the file that wrote it; absent where an earlier version did. */
  path?: string;
  /** Its name, where Temporal shows another one. */
  schedule?: string;
}

export interface Pause {
  paused: boolean;
  note: string;
}

/** Options of `create` and `update`. Each run carries the plan as compiled now. */
export function scheduleOptions(
  wanted: Wanted,
  state: Pause,
): ScheduleOptions & { scheduleId: string } {
  const { declaration, limits, taskQueue, searchable, unsearched, searchesColorways } = wanted;
  const { cron, interval, timezone, jitterMs, catchUpMs, overlap } = declaration;
  const plan = shownPlan(wanted.hidesNames === true, wanted.plan);
  const named = scheduleName(plan.pipeline, declaration);
  const name = shownName(wanted.hidesNames === true, named);
  const capped = Object.keys(limits).length > 0;
  const start: RunStart = {
    plan,
    epoch: 0,
    searchable,
    ...(unsearched ? { unsearched } : {}),
    ...(searchesColorways && plan.discovery.colorways ? { searchesColorways } : {}),
    ...(capped ? { limits } : {}),
  };
  const actionMemo: ActionMemo = {
    pausedByFile: declaration.paused,
    path: wanted.path,
    ...(name === named ? {} : { schedule: named }),
  };
  const byPipeline = searchable
    ? {
        typedSearchAttributes: [
          { key: searchAttributeKeys.pipeline, value: plan.alias ?? plan.pipeline },
        ],
      }
    : {};
  return {
    scheduleId: name,
    spec: {
      // The server converts a cron to a calendar and keeps the text behind `#` as its comment.
      cronExpressions: cron.map((text) => `${text} #${text}`),
      intervals: interval === null ? [] : [{ every: interval.everyMs, offset: interval.offsetMs }],
      timezone,
      jitter: jitterMs,
    },
    action: {
      type: 'startWorkflow',
      workflowType: workflowNames.run,
      // The server appends the start time, which makes the run's id unique.
      workflowId: name,
      taskQueue,
      args: [start],
      memo: { renderline: memoOf(plan), renderlineSchedule: actionMemo },
      staticSummary: summaryOf(plan),
      staticDetails: detailsOf(plan),
      ...byPipeline,
    },
    policies: {
      overlap: overlapPolicies[overlap],
      catchupWindow: catchUpMs,
      pauseOnFailure: false,
    },
    memo: { renderline: { schema: scheduleMark } },
    state,
    ...byPipeline,
  };
}

const overlapPolicies = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  allow_all: 'ALLOW_ALL',
  cancel_other: 'CANCEL_OTHER',
  terminate_other: 'TERMINATE_OTHER',
} as const satisfies Record<ScheduleDeclaration['overlap'], ScheduleOverlapPolicy>;

/** Note beside a schedule that is not paused. */
export function noteOf({ declaration, plan, hidesNames }: Wanted): string {
  const times = describeTimes(declaration);
  return hidesNames ? times : `${plan.file}: ${times}`;
}
