// Lists Renderline's schedules in Temporal with their next starts, last runs and pauses.

import type { Client, ScheduleDescription } from '@temporalio/client';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import {
  listWorkflows,
  tolerantClient,
  type UnreadableNote,
} from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { listedRun } from '../runs/listed-run.ts';
import { withTemporal } from '../temporal-client.ts';
import { warnOfDays } from './calendars.ts';
import { type ListedEventTrigger, listEventTriggers } from './event-triggers.ts';
import {
  type Facts,
  findUnreadableNote,
  liveDayFacts,
  liveDays,
  liveFacts,
  liveScheduleName,
  nextStartsOf,
  pauseNoteOf,
  scheduledRunStart,
} from './schedule-facts.ts';
import { describeSchedule, listScheduleIds } from './temporal-schedules.ts';

export interface ListedSchedule {
  schedule: string;
  file: string | null;
  /** Cron expressions, or the interval, as one text. */
  times: string;
  timezone: string;
  overlap: string;
  taskQueue: string;
  /** Reason for the pause; null if the schedule is not paused. */
  paused: string | null;
  /** Season, excepted days and added starts, by the field names of `apply`. */
  days: Facts;
  /** The next ten starts according to Temporal, jitter included; empty while the schedule is paused. */
  next: string[];
  /** Warnings about calendars and computed days that end before the schedule does. */
  warnings: string[];
  /** The last three runs, newest first. */
  last: { run: string; state: string; startedAt: string }[];
  /** Number of skipped starts: because the previous run was open, or because the server was down too long. */
  skipped: { overlap: number; missed: number };
  /** Why the started plan cannot be decoded here; null if it can. Without the plan, `file` is null. */
  unreadable: UnreadableNote | null;
}

export interface SchedulesList {
  schema: 'renderline/schedules/v1';
  schedules: ListedSchedule[];
  eventTriggers: ListedEventTrigger[];
}

const runsShown = 3;

/** Schedules and event triggers of Renderline. */
export function listSchedules(app: App): Promise<SchedulesList> {
  return withTemporal(app, async ({ client }) => ({
    schema: 'renderline/schedules/v1',
    schedules: await readSchedules(client, app.now()),
    eventTriggers: await listEventTriggers(client),
  }));
}

export async function readSchedules(client: Client, nowMs: number): Promise<ListedSchedule[]> {
  const listed: ListedSchedule[] = [];
  for (const id of await listScheduleIds(client)) {
    const live = await describeSchedule(tolerantClient(client), id);
    // The schedule may have been removed since the listing.
    if (live !== null) listed.push(await toListedSchedule(client, live, nowMs));
  }
  return listed;
}

async function toListedSchedule(
  client: Client,
  live: ScheduleDescription,
  nowMs: number,
): Promise<ListedSchedule> {
  const { cron, every, offset, timezone = 'UTC', overlap = '' } = liveFacts(live);
  const { numActionsSkippedOverlap, numActionsMissedCatchupWindow } = live.info;
  const from = offset === undefined || offset === '0s' ? '' : ` from ${offset}`;
  return {
    schedule: liveScheduleName(live),
    file: scheduledRunStart(live)?.plan.file ?? null,
    times: cron ?? `every ${every}${from}`,
    timezone,
    overlap,
    taskQueue: live.action.taskQueue,
    paused: pauseNoteOf(live),
    days: liveDayFacts(live),
    next: nextStartsOf(live),
    warnings: warnOfDays(liveDays(live), nowMs),
    last: await listLastRuns(client, live.scheduleId),
    skipped: { overlap: numActionsSkippedOverlap, missed: numActionsMissedCatchupWindow },
    unreadable: findUnreadableNote(live),
  };
}

async function listLastRuns(client: Client, schedule: string): Promise<ListedSchedule['last']> {
  // Schedule names contain no quotes, so the query needs no escaping.
  const query = `TemporalScheduledById = '${schedule}'`;
  const runs: ListedSchedule['last'] = [];
  await callWithTimeout(client, responseTimeoutMs.usual, async () => {
    for await (const info of listWorkflows(client, { query, pageSize: 10 })) {
      if (info.status.name === 'CONTINUED_AS_NEW') continue;
      const { run, state, startedAt } = listedRun(info);
      if (runs.push({ run, state, startedAt }) >= runsShown) break;
    }
  });
  return runs;
}
