// Finds past start times of a schedule and their runs, and has Temporal start the missing runs.

import type { Client, ScheduleDescription } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import { parseDay } from '../../language/calendar/days.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { createZoneOffset, instantOf } from '../../plan/helpers/zone-offset.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { listWorkflows } from '../../temporal/codec/tolerant-reader.ts';
import type { App } from '../app.ts';
import { badValueError, RenderlineError } from '../renderline-error.ts';
import { withTemporal } from '../temporal-client.ts';
import { runIdOfStart, startTimesOf, timeZoneOf } from './schedule-facts.ts';
import {
  assertScheduleNotPaused,
  auditScheduleAction,
  readSchedule,
} from './temporal-schedules.ts';

export interface PastStart {
  /** Start time before jitter, in ISO 8601. */
  start: string;
  /** Id of the run, even if the run does not exist. */
  run: string;
  hasRun: boolean;
}

/** Maximum number of starts in a backfill. It is well below the 1000 starts that Temporal queues for a schedule. */
const maxStarts = 500;
const hourMs = 3_600_000;

/**
 * Parses a point in time: ISO 8601 with an offset or Z, or local time in the schedule's time zone.
 * @throws RenderlineError BAD_TIME
 */
export function parseMoment(flag: string, text: string, timezone: string): number {
  const [, date = '', time = '00:00', zone = ''] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d)?))?(Z|[+-]\d\d:?\d\d)?$/.exec(text) ?? [];
  const asUtc = Date.parse(`${date}T${time}${zone === '' ? 'Z' : zone}`);
  if (parseDay(date) === null || Number.isNaN(asUtc)) {
    const message = `${flag} "${text}" is not a date or a time.`;
    const example = `${flag} 2026-11-01, ${flag} 2026-11-01T02:00 or ${flag} 2026-11-01T02:00Z`;
    throw badValueError(commandFailures.BAD_TIME, message, example);
  }
  return zone === '' ? instantOf(asUtc, createZoneOffset(timezone)) : asUtc;
}

/** Whether the runs start one after another or all at once. */
export const backfillOverlaps = ['buffer_all', 'allow_all'] as const;
type BackfillOverlap = (typeof backfillOverlaps)[number];

export type BackfillPreview = Awaited<ReturnType<typeof previewBackfill>>;

/**
 * Lists the starts of a schedule between two points in time, both inclusive. Changes nothing.
 * @throws RenderlineError BAD_TIME, BAD_RANGE, BACKFILL_TOO_LONG
 */
export function previewBackfill(
  app: App,
  schedule: string,
  { from, to, overlap }: { from: string; to: string; overlap: BackfillOverlap },
) {
  return withTemporal(app, async ({ client }) => {
    const live = await readSchedule(client, schedule);
    const timezone = timeZoneOf(live);
    const fromMs = parseMoment('--from', from, timezone);
    const toMs = parseMoment('--to', to, timezone);
    assertPastRange(fromMs, toMs, app.now());
    const starts = await findPastStarts(client, live, fromMs, toMs);
    const missing = starts.filter(({ hasRun }) => !hasRun).length;
    const schema = 'renderline/backfill/v1' as const;
    /** Ids of runs. */
    const started: string[] = [];
    return { shape: { schema, schedule, overlap, starts, started }, timezone, missing, live };
  });
}

/** Starts the missing runs of a preview, of which there must be at least one. */
export async function backfill(
  app: App,
  { live, shape }: BackfillPreview,
  { reason }: { reason?: string | undefined },
): Promise<BackfillPreview['shape']> {
  const missingStarts = shape.starts.filter(({ hasRun }) => !hasRun);
  await withTemporal(app, ({ client }) =>
    requestStarts(client, live, missingStarts, shape.overlap, reason),
  );
  return { ...shape, started: missingStarts.map(({ run }) => run) };
}

function assertPastRange(fromMs: number, toMs: number, nowMs: number): void {
  const refuse = (message: string, fix: string) => {
    throw new RenderlineError(commandFailures.BAD_RANGE, message, { fix });
  };
  if (fromMs > toMs) refuse('--from is later than --to.', 'Swap the two times.');
  const message = '--to is in the future; the schedule starts those runs itself.';
  if (toMs > nowMs) refuse(message, 'Use a time in the past.');
}

async function findPastStarts(
  client: Client,
  live: ScheduleDescription,
  fromMs: number,
  toMs: number,
): Promise<PastStart[]> {
  const existingRuns = await listRunsBetween(client, live.scheduleId, fromMs, toMs);
  const starts: PastStart[] = [];
  for (const startAtMs of listNextStarts(startTimesOf(live), fromMs - 1)) {
    if (startAtMs > toMs) break;
    if (starts.length === maxStarts) {
      const message = `The schedule has more than ${maxStarts} starts in this range.`;
      throw new RenderlineError(commandFailures.BACKFILL_TOO_LONG, message);
    }
    const run = runIdOfStart(live, startAtMs);
    starts.push({ start: new Date(startAtMs).toISOString(), run, hasRun: existingRuns.has(run) });
  }
  return starts;
}

async function listRunsBetween(
  client: Client,
  schedule: string,
  fromMs: number,
  toMs: number,
): Promise<Set<string>> {
  const [from, to] = [fromMs, toMs].map((ms) => new Date(ms).toISOString());
  const query = `TemporalScheduledById = '${schedule}' AND TemporalScheduledStartTime BETWEEN '${from}' AND '${to}'`;
  const runs = new Set<string>();
  for await (const { workflowId } of listWorkflows(client, { query, pageSize: 500 }))
    runs.add(workflowId);
  return runs;
}

/** Requests a separate range for each start, so that other starts between them are not repeated. */
async function requestStarts(
  client: Client,
  live: ScheduleDescription,
  starts: readonly PastStart[],
  policy: BackfillOverlap,
  reason?: string,
): Promise<void> {
  await assertScheduleNotPaused(client, live);
  const overlap = policy === 'allow_all' ? ('ALLOW_ALL' as const) : ('BUFFER_ALL' as const);
  const times = startTimesOf(live);
  const nextAfter = (ms: number) => listNextStarts(times, ms).next().value ?? Infinity;
  const ranges = starts.map(({ start }) => {
    const startAtMs = Date.parse(start);
    const gapMs = nextAfter(startAtMs) - startAtMs;
    // In the hour that repeats at the end of daylight saving, Temporal finds the start only from some range starts.
    const rangeStartAtMs = [1000, hourMs, 2 * hourMs]
      .map((ms) => startAtMs - ms)
      .find((ms) => nextAfter(ms - 1) === startAtMs);
    // Temporal compares times after adding jitter. The jitter is shorter than the gap to the next start.
    const jitterMs = Math.min(live.spec.jitter ?? 0, Math.max(0, gapMs - 1000));
    const rangeStart = new Date(rangeStartAtMs ?? startAtMs - 1000);
    return { start: rangeStart, end: new Date(startAtMs + jitterMs), overlap };
  });
  const details = { overlap, runs: starts.length, starts: starts.map(({ start }) => start) };
  const act = { what: 'backfilled', details, ...omitUndefined({ reason }) };
  const request = () => client.schedule.getHandle(live.scheduleId).backfill(ranges);
  await auditScheduleAction(client, live, act, () =>
    callWithTimeout(client, responseTimeoutMs.usual, request),
  );
}
