// Translates a declared schedule into Temporal's schedule options: times, the workflow that it starts, and a note.
import {
  type CalendarSpec,
  DAYS_OF_WEEK,
  MONTHS,
  type ScheduleOptions,
  type ScheduleOverlapPolicy,
} from '@temporalio/client';
import type { Limits } from '../../compile/pipeline.ts';
import { describeTimes, type ScheduleDeclaration, scheduleName } from '../../compile/schedule.ts';
import type { Day } from '../../language/calendar/days.ts';
import { type CronTimes, everyValue } from '../../language/cron.ts';
import { type RunStart, workflowNames } from '../../plan/contract/contract.ts';
import { runMemoOf } from '../../plan/run/run-memo.ts';
import { hasSearchablePositions } from '../../plan/search-attributes.ts';
import type { Plan } from '../../plan/types.ts';
import { toTemporalName, toTemporalPlan } from '../../temporal/private-names.ts';
import { searchAttributeKeys } from '../../temporal/search-attributes.ts';
import { formatDetails, type SearchAttributeSupport, summaryOf } from '../runs/start-run.ts';
import type { AppliedDays, CalendarFile } from './calendars.ts';

/** Marks a schedule as created by Renderline. Temporal cannot update a schedule's memo, so it contains nothing else. */
export const scheduleMemoSchema = 'renderline/schedule/v1';

export interface DeclaredSchedule extends AppliedDays, SearchAttributeSupport {
  declaration: ScheduleDeclaration;
  /** Absolute path of the pipeline file. */
  path: string;
  plan: Plan;
  limits: Limits;
  taskQueue: string;
  /** True if names are hashed wherever Temporal would show them unencrypted. */
  areNamesHidden?: boolean;
}

/** Memo of the started runs. `apply` reads it to compare the schedule with its file. */
export interface ActionMemo {
  /** Reason for the pause that the file declares. Null if it declares none. */
  pausedByFile: string | null;
  /** Path of the file that the schedule was applied from. */
  path: string;
  /** Declared name of the schedule, if Temporal shows a hash instead. */
  schedule?: string;
  /** Where the days of the schedule come from. Absent if none are computed in advance. */
  days?: { calendars: readonly CalendarFile[]; knownTo: Day };
}

/** Prefix of the comment on a calendar for an added start. No cron expression has this prefix. */
export const extraMark = 'added: ';

export interface PauseState {
  paused: boolean;
  note: string;
}

/** Returns options for `create` and `update`. Each run that the schedule starts uses the plan as compiled now. */
export function scheduleOptions(
  declaredSchedule: DeclaredSchedule,
  state: PauseState,
): ScheduleOptions & { scheduleId: string } {
  const { declaration, limits, taskQueue, searchable, areNamesHidden = false } = declaredSchedule;
  const { missingSearchAttributes, hasPositionAttribute } = declaredSchedule;
  const { cron, interval, timezone, jitterMs, catchUpMs, overlap } = declaration;
  const { startAtMs, endAtMs, skip, extra, instantsMs, knownTo } = declaredSchedule.days;
  const plan = toTemporalPlan(areNamesHidden, declaredSchedule.plan);
  const declaredName = scheduleName(plan.pipeline, declaration);
  const name = toTemporalName(areNamesHidden, declaredName);
  const start: RunStart = {
    plan,
    epoch: 0,
    searchable,
    ...(missingSearchAttributes ? { missingSearchAttributes } : {}),
    ...(hasPositionAttribute && hasSearchablePositions(plan) ? { hasPositionAttribute } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
  };
  const actionMemo: ActionMemo = {
    pausedByFile: declaration.paused,
    path: declaredSchedule.path,
    ...(name === declaredName ? {} : { schedule: declaredName }),
    ...(knownTo === null ? {} : { days: { calendars: declaredSchedule.calendars, knownTo } }),
  };
  const pipelineAttribute = {
    key: searchAttributeKeys.pipeline,
    value: plan.alias ?? plan.pipeline,
  };
  const searchAttributes = searchable ? { typedSearchAttributes: [pipelineAttribute] } : {};
  return {
    scheduleId: name,
    spec: {
      // Temporal converts a cron expression to a calendar and keeps the text after `#` as the calendar's comment.
      cronExpressions: cron.map((text) => `${text} #${text}`),
      calendars: extra.map(({ times, reason }) => calendarOf(times, extraMark + reason)),
      skip: skip.map((times) => calendarOf(times)),
      intervals: [
        ...(interval === null ? [] : [{ every: interval.everyMs, offset: interval.offsetMs }]),
        ...instantsMs.map((ms) => ({ every: ms })),
      ],
      ...(startAtMs === null ? {} : { startAt: new Date(startAtMs) }),
      ...(endAtMs === null ? {} : { endAt: new Date(endAtMs) }),
      timezone,
      jitter: jitterMs,
    },
    action: {
      type: 'startWorkflow',
      workflowType: workflowNames.run,
      // Temporal appends the start time, so each run gets its own id.
      workflowId: name,
      taskQueue,
      args: [start],
      memo: { renderline: runMemoOf(plan), renderlineSchedule: actionMemo },
      staticSummary: summaryOf(plan),
      staticDetails: formatDetails(plan),
      ...searchAttributes,
    },
    policies: {
      overlap: overlapPolicies[overlap],
      catchupWindow: catchUpMs,
      pauseOnFailure: false,
    },
    memo: { renderline: { schema: scheduleMemoSchema } },
    state,
    ...searchAttributes,
  };
}

/**
 * Minimum length of an interval that stands for a single instant. An interval whose length is the time from 1970 to an
 * instant first ends at that instant. Its next end is half a century later.
 */
export const minInstantMs = 10 * 366 * 86_400_000;

function calendarOf(times: CronTimes, comment = ''): CalendarSpec {
  const formatField = <Value>(field: keyof CronTimes, convert: (value: number) => Value) =>
    times[field].length === everyValue[field].length ? '*' : times[field].map(convert);
  const number = (value: number) => value;
  return {
    second: formatField('second', number),
    minute: formatField('minute', number),
    hour: formatField('hour', number),
    dayOfMonth: formatField('dayOfMonth', number),
    month: formatField('month', (month) => MONTHS[month - 1] ?? 'JANUARY'),
    year: formatField('year', number),
    dayOfWeek: formatField('dayOfWeek', (day) => DAYS_OF_WEEK[day] ?? 'SUNDAY'),
    comment,
  };
}

const overlapPolicies = {
  skip: 'SKIP',
  buffer_one: 'BUFFER_ONE',
  allow_all: 'ALLOW_ALL',
  cancel_other: 'CANCEL_OTHER',
  terminate_other: 'TERMINATE_OTHER',
} as const satisfies Record<ScheduleDeclaration['overlap'], ScheduleOverlapPolicy>;

/** Formats the note of a schedule that is not paused: when runs start and, unless names are hidden, of which file. */
export function formatUnpausedNote({
  declaration,
  plan,
  areNamesHidden,
}: DeclaredSchedule): string {
  const times = describeTimes(declaration);
  return areNamesHidden ? times : `${plan.file}: ${times}`;
}
