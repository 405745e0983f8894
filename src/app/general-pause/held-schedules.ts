// Pauses the schedules of a general pause and resumes them. The note of a held schedule contains the start of the
// pause. A paused schedule with another note was paused for another reason, and stays paused.
import type { Client, ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import { quoteForShell } from '../../plan/helpers/quote-for-shell.ts';
import type { GeneralPause, PauseScope } from '../../plan/run/general-pause.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { createTolerantClient } from '../../temporal/codec/tolerant-reader.ts';
import { runIdOfStart, scheduleNameOf, startTimesOf } from '../schedules/schedule-facts.ts';
import {
  describeSchedule,
  ignoreMissing,
  listScheduleIds,
} from '../schedules/temporal-schedules.ts';
import { isPipelineInScope } from './pause-scope.ts';

export interface HeldSchedules {
  held: string[];
  /** Schedules that were already paused for another reason. They stay paused when the general pause ends. */
  pausedBefore: string[];
}

export interface ReleasedSchedule {
  schedule: string;
  /** Number of starts missed during the pause, at most 500. */
  due: number;
  /** The command that starts the missed runs. Null if no start was missed. */
  backfill: string | null;
}

const maxConcurrentSchedules = 8;
const maxDue = 500;

export function noteOfPause({ at, by, reason }: GeneralPause): string {
  return `All paused since ${at} by ${by}: ${reason}`;
}

/** Returns the start of the general pause that holds the schedule, epoch ms, or null if no general pause holds it. */
export function findHeldSinceMs({ state }: Pick<ScheduleDescription, 'state'>): number | null {
  const [, pausedAt] =
    /^All paused since (\d{4}-\d\d-\d\dT[\d:.]+Z) by /.exec(state.note ?? '') ?? [];
  return state.paused && pausedAt !== undefined ? Date.parse(pausedAt) : null;
}

export async function holdSchedules(client: Client, pause: GeneralPause): Promise<HeldSchedules> {
  const heldNames: string[] = [];
  const pausedBefore: string[] = [];
  await forEachSchedule(client, pause, async (live, handle) => {
    const isOther = live.state.paused && findHeldSinceMs(live) === null;
    if (!live.state.paused) await handle.pause(noteOfPause(pause));
    (isOther ? pausedBefore : heldNames).push(scheduleNameOf(live));
  });
  return { held: heldNames.sort(), pausedBefore: pausedBefore.sort() };
}

/** @param findOther returns another general pause in force that covers the pipeline, or null if there is none */
export async function releaseSchedules(
  client: Client,
  scope: PauseScope,
  findOther: (pipeline: string) => Promise<GeneralPause | null>,
  nowMs: number,
): Promise<ReleasedSchedule[]> {
  const released: ReleasedSchedule[] = [];
  await forEachSchedule(client, scope, async (live, handle) => {
    const sinceMs = findHeldSinceMs(live);
    if (sinceMs === null) return;
    const schedule = scheduleNameOf(live);
    const other = await findOther(pipelineOfSchedule(schedule));
    if (other !== null) {
      // The note keeps the start of the earlier pause, so that all missed starts are counted when the last pause ends.
      const earliestAt = new Date(Math.min(sinceMs, Date.parse(other.at))).toISOString();
      return handle.pause(noteOfPause({ ...other, at: earliestAt }));
    }
    await handle.unpause(`resumed by ${client.options.identity}`);
    released.push(toReleasedSchedule(schedule, live, sinceMs, nowMs));
  });
  return released.sort((a, b) => (a.schedule < b.schedule ? -1 : 1));
}

function toReleasedSchedule(
  schedule: string,
  live: ScheduleDescription,
  sinceMs: number,
  nowMs: number,
): ReleasedSchedule {
  const starts: number[] = [];
  // The list is incomplete, because Temporal lists only the last ten starts.
  const startedRunIds = new Set(
    live.info.recentActions.map(({ action }) => action.workflow.workflowId),
  );
  // The schedule may have been created during the pause, so earlier times do not count.
  const beginAtMs = Math.max(sinceMs, live.info.createdAt.getTime());
  for (const startAtMs of listNextStarts(startTimesOf(live), beginAtMs - (live.spec.jitter ?? 0))) {
    if (startAtMs > nowMs || starts.length === maxDue) break;
    // Jitter may have delayed the last start before the pause into the pause. Earlier starts have taken place, because
    // the jitter is shorter than the interval between starts.
    if (startAtMs <= beginAtMs) starts.length = 0;
    if (!startedRunIds.has(runIdOfStart(live, startAtMs))) starts.push(startAtMs);
  }
  const texts = starts.map((ms) => `${new Date(ms).toISOString().slice(0, 19)}Z`);
  const range = `--from ${texts[0]} --to ${texts.at(-1)}`;
  const backfill =
    starts.length === 0 ? null : `renderline backfill ${quoteForShell(schedule)} ${range}`;
  return { schedule, due: starts.length, backfill };
}

/** Calls `task` with each schedule of Renderline that the scope covers. Ignores schedules that were just removed. */
async function forEachSchedule(
  client: Client,
  scope: PauseScope,
  task: (live: ScheduleDescription, handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  const ids = await listScheduleIds(client);
  await mapBounded(
    ids,
    async (id) => {
      const live = await describeSchedule(createTolerantClient(client), id);
      if (live === null || live.action.taskQueue !== scope.taskQueue) return;
      if (!isPipelineInScope(scope, pipelineOfSchedule(scheduleNameOf(live)))) return;
      const handle = client.schedule.getHandle(id);
      const call = () => task(live, handle).catch(ignoreMissing);
      await callWithTimeout(client, responseTimeoutMs.usual, call);
    },
    { maxConcurrent: maxConcurrentSchedules },
  );
}
