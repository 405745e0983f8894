// Flattens a declared schedule and a schedule in Temporal into comparable strings. If all are equal, nothing changes.

import { isDeepStrictEqual } from 'node:util';
import {
  type CalendarSpecDescription,
  DAYS_OF_WEEK,
  type IntervalSpecDescription,
  MONTHS,
  type Range,
  type ScheduleDescription,
} from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import { formatInterval } from '../../compile/schedule.ts';
import { type CronTimes, parseCron } from '../../language/cron.ts';
import { formatDuration } from '../../language/duration.ts';
import type { Interval, StartTimes } from '../../language/next-starts.ts';
import type { RunStart } from '../../plan/contract/contract.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { hasSearchablePositions } from '../../plan/search-attributes.ts';
import { readUnreadableNote, type UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import type { SearchAttributeSupport } from '../runs/start-run.ts';
import type { KnownDays } from './calendars.ts';
import { formatDayFacts } from './format-day-facts.ts';
import {
  type ActionMemo,
  type DeclaredSchedule,
  extraMark,
  formatUnpausedNote,
  minInstantMs,
  type PauseState,
} from './schedule-options.ts';

/** Strings by field name, in display order. */
export type Facts = Readonly<Record<string, string>>;

/** A field of a schedule or event trigger that differs from the file. */
export interface FieldChange {
  field: string;
  /** Value of the field in Temporal, as text. Null if the field is new. */
  was: string | null;
  is: string | null;
}

/** Parts of a schedule in Temporal. */
type Live<Field extends keyof ScheduleDescription> = Pick<ScheduleDescription, Field>;
const changedElsewhere = 'changed elsewhere';
const notPaused = 'no';

export function formatDeclaredFacts(declaredSchedule: DeclaredSchedule, pause: PauseState): Facts {
  const { declaration, plan, taskQueue, days, calendars } = declaredSchedule;
  const { cron, interval, timezone, overlap, catchUpMs, jitterMs } = declaration;
  return {
    ...formatTimeFacts(cron, interval === null ? [] : [interval], timezone),
    ...formatDayFacts({
      ...days,
      extra: days.extra.map(({ times }) => times),
      timezone,
      calendars,
    }),
    ...formatPolicyFacts(overlap, catchUpMs, jitterMs),
    paused: pause.paused ? pause.note : notPaused,
    ...formatPlanFacts(declaredSchedule),
    ...queueFacts(taskQueue, {
      ...declaredSchedule,
      hasPositionAttribute:
        declaredSchedule.hasPositionAttribute === true && hasSearchablePositions(plan),
    }),
  };
}

export function formatLiveFacts(live: ScheduleDescription): Facts {
  const { spec, action, policies } = live;
  const { jitter = 0 } = spec;
  const { calendars, intervals } = readSpec(spec);
  const start = findRunStart({ action });
  const { overlap = 'SKIP', catchupWindow } = policies;
  return {
    ...formatTimeFacts(calendars.map(formatCron), intervals, timeZoneOf(live)),
    ...formatLiveDayFacts(live),
    ...formatPolicyFacts(overlap.toLowerCase(), catchupWindow, jitter),
    paused: findPauseNote(live) ?? notPaused,
    ...(start === null
      ? { plan: changedElsewhere }
      : { ...formatPlanFacts(start), ...queueFacts(action.taskQueue, start) }),
  };
}

/** Returns the fields that applying the file would change. */
export function compareFacts(live: Facts | null, fileFacts: Facts): FieldChange[] {
  const fields = Object.keys({ ...fileFacts, ...live });
  return fields.flatMap((field) => {
    const was = live?.[field] ?? null;
    const is = fileFacts[field] ?? null;
    return was === is ? [] : [{ field, was, is }];
  });
}

/**
 * Returns the pause state of a schedule after the file is applied. A person's pause survives changes to the file. A
 * pause declared in the file ends when its line is removed.
 */
export function pauseStateAfterApply(
  declaredSchedule: DeclaredSchedule,
  live: ScheduleDescription | null,
): PauseState {
  const { paused } = declaredSchedule.declaration;
  if (paused !== null) return { paused: true, note: paused };
  if (live?.state.paused === true) {
    const note = live.state.note ?? '';
    if (readActionMemo(live)?.pausedByFile !== note) return { paused: true, note };
  }
  return { paused: false, note: formatUnpausedNote(declaredSchedule) };
}

/** Returns the reason for the pause of the schedule, or null if it is not paused. */
export function findPauseNote({ state }: Live<'state'>): string | null {
  return state.paused ? (state.note ?? '') : null;
}

/** Returns the path of the file that the schedule was applied from, or null if unknown. */
export function findOwnerPath(live: Live<'action'>): string | null {
  return readActionMemo(live)?.path ?? null;
}

/** Returns the name of the schedule in files and commands. */
export function scheduleNameOf(live: ScheduleDescription): string {
  return readActionMemo(live)?.schedule ?? live.scheduleId;
}

/** Returns why a schedule that a tolerant client read cannot be fully decoded here, or null if it can be. */
export function findUnreadableNote({ action }: Live<'action'>): UnreadableNote | null {
  const [start] = action.args ?? [];
  return readUnreadableNote(start) ?? readUnreadableNote(action.memo?.[memoField]);
}

const memoField = 'renderlineSchedule';

/** Reads the memo of the action. The cast is safe, because only `scheduleOptions` writes this field. */
function readActionMemo({ action }: Live<'action'>): ActionMemo | undefined {
  return action.memo?.[memoField] as ActionMemo | undefined;
}

/** Returns the workflow input of the schedule's runs. Null if somebody changed it elsewhere to start something else. */
export function findRunStart({ action }: Live<'action'>): RunStart | null {
  const [start]: readonly unknown[] = action.args ?? [];
  return isRunStart(start) ? start : null;
}

function isRunStart(start: unknown): start is RunStart {
  return asRecord(asRecord(start)['plan'])['hash'] !== undefined;
}

/** Returns the start times of a schedule in Temporal, even if it was changed outside Renderline. */
export function startTimesOf({ spec }: Live<'spec'>): StartTimes {
  const { calendars, extra, ...times } = readSpec(spec);
  const crons = [...calendars.map(cronTimesOf), ...extra];
  return { ...times, crons, timezone: timeZoneOf({ spec }) };
}

/** Returns the time zone, or UTC if it is empty, as it may be after a change outside Renderline. */
export function timeZoneOf({ spec }: Live<'spec'>): string {
  return spec.timezone || 'UTC';
}

/** Formats the start times of a schedule in Temporal, that is, its cron expressions and intervals. */
export function formatLiveTimes({ spec }: Live<'spec'>): string {
  const { calendars, intervals } = readSpec(spec);
  return [...new Set(calendars.map(formatCron)), ...intervals.map(formatInterval)].join(' and ');
}

/** Returns the run id of a start. @param startAtMs time of the start before jitter */
export function runIdOfStart(live: Live<'action' | 'scheduleId'>, startAtMs: number): string {
  const prefix = live.action.workflowId ?? live.scheduleId;
  return `${prefix}-${new Date(startAtMs).toISOString().slice(0, 19)}Z`;
}

export const maxStartsShown = 10;

/** Returns the next starts as the server reports them, including jitter. Returns none while the schedule is paused. */
export function nextStartsOf({ info, state }: ScheduleDescription): string[] {
  if (state.paused) return [];
  return info.nextActionTimes.slice(0, maxStartsShown).map((time) => time.toISOString());
}

/** Returns the calendars and computed days with which the schedule was applied. */
export function scheduleDaysOf(live: Live<'spec' | 'action'>): KnownDays {
  const { calendars = [], knownTo = null } = readActionMemo(live)?.days ?? {};
  const { endAt } = live.spec;
  return { timezone: timeZoneOf(live), calendars, knownTo, endAtMs: endAt?.getTime() ?? null };
}

/** Formats the facts about the days of a schedule in Temporal. */
export function formatLiveDayFacts(live: ScheduleDescription): Facts {
  const { calendars: _calendars, intervals: _intervals, ...times } = readSpec(live.spec);
  return formatDayFacts({ ...times, ...scheduleDaysOf(live) });
}

/** Separates regular times, added starts and skipped times. */
function readSpec(spec: ScheduleDescription['spec']) {
  const { calendars = [], intervals = [], skip = [], startAt, endAt } = spec;
  const isExtra = ({ comment }: CalendarSpecDescription) => comment?.startsWith(extraMark) === true;
  const isInstant = ({ every }: IntervalSpecDescription) => every >= minInstantMs;
  return {
    calendars: calendars.filter((calendar) => !isExtra(calendar)),
    extra: calendars.filter(isExtra).map(cronTimesOf),
    intervals: intervals
      .filter((interval) => !isInstant(interval))
      .map(({ every, offset }) => ({ everyMs: every, offsetMs: offset || 0 })),
    instantsMs: intervals.filter(isInstant).map(({ every }) => every),
    skip: skip.map(cronTimesOf),
    startAtMs: startAt?.getTime() ?? null,
    endAtMs: endAt?.getTime() ?? null,
  };
}

function formatTimeFacts(
  cron: readonly string[],
  intervals: readonly Interval[],
  timezone: string,
): Facts {
  const join = (texts: readonly string[]) => texts.join(' and ');
  return {
    ...(cron.length === 0 ? {} : { cron: join(cron), timezone }),
    ...(intervals.length === 0
      ? {}
      : {
          every: join(intervals.map(({ everyMs }) => formatDuration(everyMs))),
          offset: join(intervals.map(({ offsetMs }) => formatDuration(offsetMs))),
        }),
  };
}

function formatPolicyFacts(overlap: string, catchUpMs: number, jitterMs: number): Facts {
  return { overlap, catchUp: formatDuration(catchUpMs), jitter: formatDuration(jitterMs) };
}

/** Formats facts about the plan and limits of the started runs. */
export function formatPlanFacts({ plan, limits = {} }: Pick<RunStart, 'plan' | 'limits'>): Facts {
  const caps = Object.entries(limits).map(([name, cap]) => [`limits.${name}`, String(cap)]);
  const parameters = Object.entries(plan.parameters).map(([name, value]) => [
    `parameters.${name}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    ...Object.fromEntries([...parameters, ...caps]),
    file: plan.file,
    plan: plan.hash,
    ...omitUndefined({ workspace: plan.workspace }),
  };
}

function queueFacts(taskQueue: string, support: SearchAttributeSupport): Facts {
  const { searchable, missingSearchAttributes = [], hasPositionAttribute } = support;
  const searchability = [
    'yes',
    ...(hasPositionAttribute ? ['with colorways'] : []),
    ...missingSearchAttributes.map((name) => `without ${name}`),
  ];
  return { taskQueue, searchAttributes: searchable ? searchability.join(', ') : 'no' };
}

/** Formats the cron expression behind a calendar, or `changed elsewhere` if the calendar does not match it. */
function formatCron(calendar: CalendarSpecDescription): string {
  const text = calendar.comment ?? '';
  const parseResult = parseCron(text);
  const isUnchanged = parseResult.ok && isDeepStrictEqual(parseResult.times, cronTimesOf(calendar));
  return isUnchanged ? text : changedElsewhere;
}

function cronTimesOf(calendar: CalendarSpecDescription): CronTimes {
  const { second, minute, hour, dayOfMonth, month, year, dayOfWeek } = calendar;
  return {
    second: expandRanges(second),
    minute: expandRanges(minute),
    hour: expandRanges(hour),
    dayOfMonth: expandRanges(dayOfMonth),
    month: expandRanges(month, (name) => MONTHS.indexOf(name) + 1),
    year: expandRanges(year),
    dayOfWeek: expandRanges(dayOfWeek, (name) => DAYS_OF_WEEK.indexOf(name)),
  };
}

function expandRanges<Unit>(
  ranges: readonly Range<Unit>[],
  number: (unit: Unit) => number = Number,
): number[] {
  const values = new Set<number>();
  for (const { start, end, step } of ranges) {
    for (let value = number(start); value <= number(end); value += Math.max(1, step)) {
      values.add(value);
    }
  }
  return [...values].sort((a, b) => a - b);
}
