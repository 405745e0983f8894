// The `schedule:` of a file, with its durations in milliseconds.

import type { Day } from '../language/calendar/days.ts';
import { type CronTimes, parseCron } from '../language/cron.ts';
import { formatDuration } from '../language/duration.ts';
import type { Interval, StartTimes } from '../language/next-starts.ts';
import type { Json } from '../plan/types.ts';
import type { Schedule } from './schedule-fields.ts';

export interface ScheduleDeclaration {
  /** Distinguishes the schedules of a file. Null if the file has only one schedule and it has no name. */
  name: string | null;
  /** Cron expressions as in the file. Empty if the schedule has an interval. */
  cron: string[];
  interval: Interval | null;
  timezone: string;
  overlap: Schedule['overlap'];
  catchUpMs: number;
  jitterMs: number;
  /** Why the schedule is paused. Null if it is not paused. */
  paused: string | null;
  parameters: Record<string, Json>;
  /** First and last day with starts. Null for no limit. */
  from: Day | null;
  until: Day | null;
  except: Exceptions;
  onExcept: Schedule['onExcept'];
  /** What happens to starts around a clock change. Null if the server decides. */
  clockChange: NonNullable<Schedule['clockChange']> | null;
}

export interface Exceptions {
  days: readonly Day[];
  /** Days of the week, where 0 is Sunday. */
  weekdays: readonly number[];
  calendars: readonly { connector: string; path: string }[];
}

/** Returns the name of a schedule in Temporal and in commands. The name of a pipeline never contains a slash. */
export function scheduleName(
  pipeline: string,
  { name }: Pick<ScheduleDeclaration, 'name'>,
): string {
  return name === null ? pipeline : `${pipeline}/${name}`;
}

/** Returns the pipeline of a Renderline schedule, derived from the schedule's name. */
export function pipelineOfSchedule(schedule: string): string {
  return schedule.split('/', 1)[0] ?? schedule;
}

/** Returns the cron expressions of a checked declaration. */
export function cronsOf({ cron }: Pick<ScheduleDeclaration, 'cron'>): CronTimes[] {
  return cron.flatMap((text) => {
    const result = parseCron(text);
    return result.ok ? [result.times] : [];
  });
}

/** Returns the start times of a checked declaration. Ignores its first, last and excluded days. */
export function startTimesOf(declaration: ScheduleDeclaration): StartTimes {
  const { interval, timezone } = declaration;
  return { crons: cronsOf(declaration), timezone, intervals: interval === null ? [] : [interval] };
}

/** Returns the start times as text: `0 2 * * * Europe/Berlin`, or `every 2h from 15m`. */
export function describeTimes({ cron, interval, timezone }: ScheduleDeclaration): string {
  if (interval === null) return `${cron.join(' and ')} ${timezone}`;
  return formatInterval(interval);
}

/** Formats an interval, such as `every 2h from 15m`. */
export function formatInterval({ everyMs, offsetMs }: Interval): string {
  const suffix = offsetMs === 0 ? '' : ` from ${formatDuration(offsetMs)}`;
  return `every ${formatDuration(everyMs)}${suffix}`;
}
