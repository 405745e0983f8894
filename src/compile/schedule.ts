// The `schedule:` of a file, with its durations in milliseconds.

import { parseCron } from '../language/cron.ts';
import { formatDuration } from '../language/duration.ts';
import type { StartTimes } from '../language/next-starts.ts';
import type { Json } from '../plan/types.ts';
import type { Schedule } from './pipeline.ts';

export interface ScheduleDeclaration {
  /** Distinguishes the schedules of a file; null if the file has one schedule without a name. */
  name: string | null;
  /** As in the file; empty if the schedule has an interval. */
  cron: string[];
  interval: { everyMs: number; offsetMs: number } | null;
  timezone: string;
  overlap: Schedule['overlap'];
  catchUpMs: number;
  jitterMs: number;
  /** Why the schedule is paused; null if it is not. */
  paused: string | null;
  parameters: Record<string, Json>;
}

/** Name of a schedule in Temporal and in commands. The name of a pipeline never contains a slash. */
export function scheduleName(
  pipeline: string,
  { name }: Pick<ScheduleDeclaration, 'name'>,
): string {
  return name === null ? pipeline : `${pipeline}/${name}`;
}

/** The pipeline to which one of our schedules belongs. */
export function pipelineOfSchedule(schedule: string): string {
  return schedule.split('/', 1)[0] ?? schedule;
}

/** When a checked declaration starts runs. */
export function startTimesOf({ cron, interval, timezone }: ScheduleDeclaration): StartTimes {
  const crons = cron.flatMap((text) => {
    const parsed = parseCron(text);
    return parsed.ok ? [parsed.times] : [];
  });
  return { crons, timezone, interval };
}

/** `0 2 * * * Europe/Berlin`, or `every 2h from 15m`. */
export function describeTimes({ cron, interval, timezone }: ScheduleDeclaration): string {
  if (interval === null) return `${cron.join(' and ')} ${timezone}`;
  const { everyMs, offsetMs } = interval;
  const from = offsetMs === 0 ? '' : ` from ${formatDuration(offsetMs)}`;
  return `every ${formatDuration(everyMs)}${from}`;
}
