// Lists Renderline's schedules in Temporal with their next starts, last runs and pauses.

import type { Client, ScheduleDescription } from '@temporalio/client';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { type ListedRun, readListedRun } from '../runs/listed-run.ts';
import { withTemporal } from '../temporal-client.ts';
import { dayWarningsOf } from './calendars.ts';
import { listEventTriggers } from './event-triggers.ts';
import {
  findPauseNote,
  findRunStart,
  findUnreadableNote,
  formatLiveDayFacts,
  formatLiveFacts,
  formatLiveTimes,
  nextStartsOf,
  scheduleDaysOf,
  scheduleNameOf,
} from './schedule-facts.ts';
import { describeSchedules, listScheduleIds } from './temporal-schedules.ts';

export type ListedSchedule = Awaited<ReturnType<typeof toListedSchedule>>;

export type SchedulesList = Awaited<ReturnType<typeof listSchedules>>;

const maxRunsShown = 3;

/** Lists the schedules and event triggers of Renderline. */
export function listSchedules(app: App) {
  return withTemporal(app, async ({ client }) => ({
    schema: 'renderline/schedules/v1' as const,
    schedules: await readSchedules(client, app.now()),
    eventTriggers: await listEventTriggers(client),
  }));
}

export async function readSchedules(client: Client, nowMs: number): Promise<ListedSchedule[]> {
  const schedules = await describeSchedules(client, await listScheduleIds(client));
  return mapBounded(schedules, (live) => toListedSchedule(client, live, nowMs));
}

async function toListedSchedule(client: Client, live: ScheduleDescription, nowMs: number) {
  const { timezone = 'UTC', overlap = '' } = formatLiveFacts(live);
  const { numActionsSkippedOverlap, numActionsMissedCatchupWindow } = live.info;
  return {
    schedule: scheduleNameOf(live),
    file: findRunStart(live)?.plan.file ?? null,
    times: formatLiveTimes(live),
    timezone,
    overlap,
    taskQueue: live.action.taskQueue,
    paused: findPauseNote(live),
    /** First and last day, excluded days and added starts, under the field names that `apply` uses. */
    days: formatLiveDayFacts(live),
    next: nextStartsOf(live),
    warnings: dayWarningsOf(scheduleDaysOf(live), nowMs),
    last: await listLastRuns(client, live.scheduleId),
    /** Number of starts skipped because the previous run was open, or because the server was down too long. */
    skipped: { overlap: numActionsSkippedOverlap, missed: numActionsMissedCatchupWindow },
    /** Why the schedule cannot be fully decoded here. Null if it can. Without its plan, `file` is null. */
    unreadable: findUnreadableNote(live),
  };
}

async function listLastRuns(client: Client, schedule: string) {
  // Schedule names contain no quotes, so the query needs no escaping.
  const query = `TemporalScheduledById = '${schedule}'`;
  const runs: Pick<ListedRun, 'run' | 'state' | 'startedAt'>[] = [];
  for await (const info of listWorkflows(client, { query, pageSize: 10 })) {
    if (info.status.name === 'CONTINUED_AS_NEW') continue;
    const { run, state, startedAt } = await readListedRun(client, info);
    if (runs.push({ run, state, startedAt }) >= maxRunsShown) break;
  }
  return runs;
}
