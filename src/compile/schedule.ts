// The `schedule:` of a file, with its times as numbers.

import { parseCron } from '../language/cron.ts';
import { formatDuration } from '../language/duration.ts';
import type { StartTimes } from '../language/next-starts.ts';
import type { Json } from '../plan/types.ts';
import type { Schedule } from './pipeline.ts';

export interface ScheduleDeclaration {
  /** Tells it from others of its file; null where the file has one schedule without a name. */
  name: string | null;
  /** As the file writes them; empty where there is an interval. */
  cron: string[];
  interval: { everyMs: number; offsetMs: number } | null;
  timezone: string;
  overlap: Schedule['overlap'];
  catchUpMs: number;
  jitterMs: number;
  /** Why it is paused; null where it is not. */
  paused: string | null;
  parameters: Record<string, Json>;
}

/** Name of a schedule in Temporal and in commands. No name of a pipeline holds a slash. */
export function scheduleName(
  pipeline: string,
  { name }: Pick<ScheduleDeclaration, 'name'>,
): string {
  return name === null ? pipeline : `${pipeline}/${name}`;
}

/** The pipeline that a schedule of ours belongs to. */
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
