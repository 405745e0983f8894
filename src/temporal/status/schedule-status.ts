// Reads when each schedule last succeeded, and how often it starts. A read lists schedules and closed runs. One more
// request is sent for each schedule that is new, or that has a new long gap between last success and next start.

import type { Client } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { workflowNames } from '../../plan/contract/contract.ts';
import { runMemoField } from '../../plan/run/run-memo.ts';
import { searchAttributeNames } from '../../plan/search-attributes.ts';
import type { ScheduleStatus } from '../../telemetry/events.ts';
import { atMsOf } from '../at-ms-of.ts';
import { callWithTimeout, readTokenPages, responseTimeoutMs } from '../call-with-timeout.ts';
import { listWorkflows } from '../codec/tolerant-reader.ts';
import { attributesOf } from './listed-run-fields.ts';

/** Maximum number of schedules with their own metrics, in the order of their names. */
const maxSchedules = 500;
const pageSize = 200;
/** Closed runs appear in Temporal's lists with a short delay, so each read overlaps the previous one. */
const overlapMs = 120_000;
const closedQuery = `WorkflowType = '${workflowNames.run}' AND ExecutionStatus != 'Running'`;
const succeededQuery = `WorkflowType = '${workflowNames.run}' AND ExecutionStatus = 'Completed' AND ${searchAttributeNames.outcome} = 'complete'`;
const scheduledBy = 'TemporalScheduledById';

interface ListedSchedule {
  schedule: string;
  periodMs: number | null;
  nextStartAtMs: number | null;
}

/** If more periods than this lie between the last success and the next start, excepted days may be the reason. */
const maxNormalGapPeriods = 1.5;

export class ScheduleStatusReader {
  readonly #client: Client;
  /** Time of the last success by listed schedule. Null if Temporal has none. */
  readonly #successes = new Map<string, number | null>();
  /** Cached results of `#firstPlanned` by schedule. `between`: the two times between which it was searched. */
  readonly #plannedStarts = new Map<string, { between: string; startAtMs: number }>();
  /** Time up to which close times of runs were read, by the server's clock. Null before the first read. */
  #readToMs: number | null = null;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Reads the status of each listed schedule. @throws gRPC errors, including if search attributes are missing */
  async read(): Promise<ScheduleStatus[]> {
    const schedules = await this.#list();
    if (this.#readToMs === null) this.#readToMs = (await this.#readNewestMs(closedQuery)) ?? 0;
    else this.#readToMs = await this.#readSince(this.#readToMs);
    for (const { schedule } of schedules) {
      if (this.#successes.has(schedule)) continue;
      const query = `${succeededQuery} AND ${scheduledBy} = '${schedule}'`;
      this.#successes.set(schedule, await this.#readNewestMs(query));
    }
    this.#forgetUnlisted(schedules);
    const statuses: ScheduleStatus[] = [];
    for (const listedSchedule of schedules) {
      const lastSuccessAtMs = this.#successes.get(listedSchedule.schedule) ?? null;
      const periodMs = await this.#withExceptedDays(listedSchedule, lastSuccessAtMs);
      statuses.push({ schedule: listedSchedule.schedule, periodMs, lastSuccessAtMs });
    }
    return statuses;
  }

  #forgetUnlisted(schedules: readonly ListedSchedule[]): void {
    const names = new Set(schedules.map(({ schedule }) => schedule));
    for (const cache of [this.#successes, this.#plannedStarts]) {
      for (const name of cache.keys()) if (!names.has(name)) cache.delete(name);
    }
  }

  /** Lengthens the period if the first start planned after the last success comes later, for example after holidays. */
  async #withExceptedDays(
    { schedule, periodMs, nextStartAtMs }: ListedSchedule,
    lastSuccessAtMs: number | null,
  ): Promise<number | null> {
    if (periodMs === null || nextStartAtMs === null || lastSuccessAtMs === null) return periodMs;
    if (nextStartAtMs - lastSuccessAtMs <= maxNormalGapPeriods * periodMs) return periodMs;
    const gapKey = `${lastSuccessAtMs} ${nextStartAtMs}`;
    let plannedStart = this.#plannedStarts.get(schedule);
    if (plannedStart?.between !== gapKey) {
      const startAtMs = await this.#firstPlanned(schedule, lastSuccessAtMs, nextStartAtMs);
      plannedStart = { between: gapKey, startAtMs };
      this.#plannedStarts.set(schedule, plannedStart);
    }
    return Math.max(periodMs, plannedStart.startAtMs - lastSuccessAtMs);
  }

  async #firstPlanned(schedule: string, afterMs: number, nextStartAtMs: number): Promise<number> {
    const { startTime } = await callWithTimeout(this.#client, responseTimeoutMs.usual, () =>
      this.#client.workflowService.listScheduleMatchingTimes({
        namespace: this.#client.options.namespace,
        scheduleId: schedule,
        startTime: msToTs(afterMs),
        endTime: msToTs(nextStartAtMs),
      }),
    );
    const [first] = startTime;
    return first ? atMsOf(first) : nextStartAtMs;
  }

  /** Reads which schedules have succeeded. @returns the newest close time that was read */
  async #readSince(sinceMs: number): Promise<number> {
    const since = new Date(Math.max(0, sinceMs - overlapMs)).toISOString();
    const query = `${succeededQuery} AND ${scheduledBy} IS NOT NULL AND CloseTime > '${since}'`;
    let newestAtMs = sinceMs;
    for await (const run of listWorkflows(this.#client, { query, pageSize: 1_000 })) {
      const schedule = attributesOf(run).get(scheduledBy);
      if (typeof schedule !== 'string') continue;
      const endedAtMs = run.closeTime?.getTime() ?? 0;
      newestAtMs = Math.max(newestAtMs, endedAtMs);
      this.#successes.set(schedule, Math.max(this.#successes.get(schedule) ?? 0, endedAtMs));
    }
    return newestAtMs;
  }

  async #readNewestMs(query: string): Promise<number | null> {
    for await (const { closeTime } of listWorkflows(this.#client, { query, pageSize: 1 }))
      return closeTime?.getTime() ?? 0;
    return null;
  }

  /** Returns the schedules of Renderline. Their memos are not decoded, because their key may not be set here. */
  async #list(): Promise<ListedSchedule[]> {
    const { namespace } = this.#client.options;
    const schedules: ListedSchedule[] = [];
    const pages = readTokenPages(this.#client, (nextPageToken) =>
      this.#client.workflowService.listSchedules({
        namespace,
        maximumPageSize: pageSize,
        nextPageToken,
      }),
    );
    for await (const page of pages) {
      for (const { scheduleId, memo, info } of page.schedules) {
        const isOurs =
          info?.workflowType?.name === workflowNames.run && memo?.fields?.[runMemoField];
        if (!scheduleId || !isOurs) continue;
        const starts = (info.futureActionTimes ?? []).map(atMsOf);
        schedules.push({
          schedule: scheduleId,
          periodMs: info.paused ? null : findMaxGap(starts),
          nextStartAtMs: starts[0] ?? null,
        });
      }
    }
    return schedules.sort((a, b) => (a.schedule < b.schedule ? -1 : 1)).slice(0, maxSchedules);
  }
}

/** Returns the longest time between two planned starts, ms, or null if fewer than two are planned. */
function findMaxGap(starts: readonly number[]): number | null {
  const gaps = starts.slice(1).map((atMs, index) => atMs - (starts[index] ?? atMs));
  return gaps.length === 0 ? null : Math.max(...gaps);
}
