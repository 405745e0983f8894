// Flattens a declared schedule and one in Temporal into comparable texts: equal facts need no change.
import { isDeepStrictEqual } from 'node:util';
import {
  type CalendarSpecDescription,
  DAYS_OF_WEEK,
  MONTHS,
  type Range,
  type ScheduleDescription,
} from '@temporalio/client';
import { looseFields } from '../../api/loose-fields.ts';
import { type CronTimes, parseCron } from '../../language/cron.ts';
import { formatDuration } from '../../language/duration.ts';
import type { StartTimes } from '../../language/next-starts.ts';
import type { RunStart } from '../../plan/contract.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { noteIn, type UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { type ActionMemo, noteOf, type Pause, type Wanted } from './action.ts';

/** Texts by field name, in display order. */
export type Facts = Readonly<Record<string, string>>;

export interface FieldChange {
  field: string;
  /** Null if the field is new. */
  was: string | null;
  is: string | null;
}

const elsewhere = 'changed elsewhere';
const notPaused = 'no';

export function wantedFacts(wanted: Wanted, pause: Pause): Facts {
  const { declaration, plan, limits, taskQueue, searchable, unsearched } = wanted;
  const { cron, interval, timezone, overlap, catchUpMs, jitterMs } = declaration;
  return {
    ...timeFacts(cron, interval, timezone),
    ...policyFacts(overlap, catchUpMs, jitterMs),
    paused: pause.paused ? pause.note : notPaused,
    ...planFacts({ plan, limits }),
    ...placeFacts(taskQueue, {
      searchable,
      ...withoutUndefined({ unsearched }),
      searchesColorways: Boolean(wanted.searchesColorways && plan.discovery.colorways),
    }),
  };
}

export function liveFacts({ spec, action, policies, state }: ScheduleDescription): Facts {
  const { calendars = [], intervals = [], skip = [], startAt, endAt, timezone, jitter = 0 } = spec;
  const [interval = null, ...more] = intervals;
  const isOurs = more.length === 0 && skip.length === 0 && !startAt && !endAt;
  const crons = calendars.map(cronOf);
  const start = startOf({ action });
  const { overlap = 'SKIP', catchupWindow } = policies;
  return {
    ...timeFacts(
      isOurs ? crons : [elsewhere],
      interval && { everyMs: interval.every, offsetMs: interval.offset },
      timezone ?? 'UTC',
    ),
    ...policyFacts(overlap.toLowerCase(), catchupWindow, jitter),
    paused: state.paused ? (state.note ?? '') : notPaused,
    ...(start === null
      ? { plan: elsewhere }
      : {
          ...planFacts(start),
          ...placeFacts(action.taskQueue, start),
        }),
  };
}

/** Fields that applying the file would change. */
export function differences(live: Facts, wanted: Facts): FieldChange[] {
  const fields = [...new Set([...Object.keys(wanted), ...Object.keys(live)])];
  return fields.flatMap((field) => {
    const was = live[field] ?? null;
    const is = wanted[field] ?? null;
    return was === is ? [] : [{ field, was, is }];
  });
}

/**
 * Pause state of a schedule after the file is applied. A pause by a person survives changes of the file; a pause
 * that the file declares ends when its line is removed.
 */
export function pauseOf(wanted: Wanted, live: ScheduleDescription | null): Pause {
  const { paused } = wanted.declaration;
  if (paused !== null) return { paused: true, note: paused };
  if (live?.state.paused === true) {
    const note = live.state.note ?? '';
    if (actionMemoOf(live)?.pausedByFile !== note) return { paused: true, note };
  }
  return { paused: false, note: noteOf(wanted) };
}

/** Path of the file that the schedule was applied from; null if unknown. */
export function ownerOf(live: Pick<ScheduleDescription, 'action'>): string | null {
  return actionMemoOf(live)?.path ?? null;
}

/** Name of the schedule in files and commands. */
export function nameOfLive(live: ScheduleDescription): string {
  return actionMemoOf(live)?.schedule ?? live.scheduleId;
}

/** Why a schedule read by a tolerant client cannot be decoded here; null if all of it can. */
export function whyUnreadable({
  action,
}: Pick<ScheduleDescription, 'action'>): UnreadableNote | null {
  const [start] = action.args ?? [];
  return noteIn(start) ?? noteIn(action.memo?.[memoField]);
}

const memoField = 'renderlineSchedule';

/** The cast is safe: only `scheduleOptions` writes this field. */
function actionMemoOf({ action }: Pick<ScheduleDescription, 'action'>): ActionMemo | undefined {
  return action.memo?.[memoField] as ActionMemo | undefined;
}

/** Workflow input of the runs that the schedule starts; null if somebody changed the schedule to start something else. */
export function startOf({ action }: Pick<ScheduleDescription, 'action'>): RunStart | null {
  const args: readonly unknown[] = action.args ?? [];
  return args.slice(0, 1).find(isStart) ?? null;
}

function isStart(start: unknown): start is RunStart {
  return looseFields(looseFields(start)['plan'])['hash'] !== undefined;
}

/** Start times of a schedule in Temporal, whichever client wrote the schedule. */
export function startTimesOfLive({ spec }: Pick<ScheduleDescription, 'spec'>): StartTimes {
  const [interval = null] = spec.intervals ?? [];
  return {
    crons: (spec.calendars ?? []).map(timesOf),
    timezone: spec.timezone ?? 'UTC',
    interval: interval && { everyMs: interval.every, offsetMs: interval.offset },
  };
}

function timeFacts(
  cron: readonly string[],
  interval: StartTimes['interval'],
  timezone: string,
): Facts {
  return {
    ...(cron.length === 0 ? {} : { cron: cron.join(' and '), timezone: timezone || 'UTC' }),
    ...(interval === null
      ? {}
      : { every: formatDuration(interval.everyMs), offset: formatDuration(interval.offsetMs) }),
  };
}

function policyFacts(overlap: string, catchUpMs: number, jitterMs: number): Facts {
  return { overlap, catchUp: formatDuration(catchUpMs), jitter: formatDuration(jitterMs) };
}

/** Facts about the plan and limits of the started runs. */
export function planFacts({ plan, limits = {} }: Pick<RunStart, 'plan' | 'limits'>): Facts {
  const caps = Object.entries(limits).map(([name, cap]) => [`limits.${name}`, String(cap)]);
  const parameters = Object.entries(plan.parameters).map(([name, value]) => [
    `parameters.${name}`,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return {
    ...Object.fromEntries([...parameters, ...caps]),
    file: plan.file,
    plan: plan.hash,
    ...withoutUndefined({ workspace: plan.workspace }),
  };
}

function placeFacts(
  taskQueue: string,
  {
    searchable,
    unsearched = [],
    searchesColorways,
  }: Pick<RunStart, 'searchable' | 'unsearched' | 'searchesColorways'>,
): Facts {
  const words = ['yes', ...(searchesColorways ? ['with colorways'] : [])]
    .concat(unsearched.map((name) => `without ${name}`))
    .join(', ');
  return { taskQueue, searchAttributes: searchable ? words : 'no' };
}

/** The cron expression that a calendar was created from, if the calendar still matches it. */
function cronOf(calendar: CalendarSpecDescription): string {
  const words = calendar.comment ?? '';
  const parsed = parseCron(words);
  const same = parsed.ok && isDeepStrictEqual(parsed.times, timesOf(calendar));
  return same ? words : elsewhere;
}

function timesOf(calendar: CalendarSpecDescription): CronTimes {
  const { second, minute, hour, dayOfMonth, month, year, dayOfWeek } = calendar;
  return {
    second: valuesOf(second),
    minute: valuesOf(minute),
    hour: valuesOf(hour),
    dayOfMonth: valuesOf(dayOfMonth),
    month: valuesOf(month, (name) => MONTHS.indexOf(name) + 1),
    year: valuesOf(year),
    dayOfWeek: valuesOf(dayOfWeek, (name) => DAYS_OF_WEEK.indexOf(name)),
  };
}

function valuesOf<Unit>(
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
