// Pauses, resumes and triggers schedules.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, ScheduleDescription, ScheduleHandle } from '@temporalio/client';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import type { App } from '../app.ts';
import { withTemporal } from '../temporal-client.ts';
import { findPauseNote, formatLiveFacts } from './schedule-facts.ts';
import {
  assertScheduleNotPaused,
  auditScheduleAction,
  readSchedule,
} from './temporal-schedules.ts';

export interface ScheduleControlResult {
  schema: 'renderline/schedule-control/v1';
  schedule: string;
  action: 'pause' | 'resume' | 'trigger';
  /** Reason for the pause. Null if the schedule is not paused. */
  paused: string | null;
  /** The run that `trigger` started. Null for other actions, a skipped start, or if no id was known in time. */
  run: string | null;
  /** True if `trigger` started nothing, because of an open run. */
  skipped: boolean;
}

export type TriggerPreview = Awaited<ReturnType<typeof previewTrigger>>;

const triggerTimeoutMs = 8_000;
const pollIntervalMs = 250;
/** Run ids contain their start time in seconds. */
const runIdResolutionMs = 1_000;

/** Pauses a schedule, so that it starts no runs until it is resumed. */
export function pauseSchedule(
  app: App,
  schedule: string,
  reason: string,
): Promise<ScheduleControlResult> {
  return withTemporal(app, async ({ client }) => {
    const live = await readSchedule(client, schedule);
    const pause = (handle: ScheduleHandle) => handle.pause(reason);
    await changeSchedule(client, live, { what: 'paused', reason }, pause);
    return controlResult(schedule, 'pause', reason);
  });
}

export function resumeSchedule(
  app: App,
  schedule: string,
  reason?: string,
): Promise<ScheduleControlResult> {
  return withTemporal(app, async ({ client }) => {
    const live = await readSchedule(client, schedule);
    await assertScheduleNotPaused(client, live);
    const action = { what: 'resumed', ...omitUndefined({ reason }) };
    const resume = (handle: ScheduleHandle) => handle.unpause(reason ?? 'resumed manually');
    await changeSchedule(client, live, action, resume);
    return controlResult(schedule, 'resume', null);
  });
}

function changeSchedule(
  client: Client,
  live: ScheduleDescription,
  action: { what: string; reason?: string },
  change: (handle: ScheduleHandle) => Promise<void>,
): Promise<void> {
  const handle = client.schedule.getHandle(live.scheduleId);
  return auditScheduleAction(client, live, action, () =>
    callWithTimeout(client, responseTimeoutMs.usual, () => change(handle)),
  );
}

/** Returns what `triggerSchedule` would start. Changes nothing. */
export async function previewTrigger(app: App, schedule: string) {
  const live = await withTemporal(app, ({ client }) => readSchedule(client, schedule));
  const [runningAction] = live.info.runningActions;
  const isHeld = live.policies.overlap === 'SKIP' && runningAction !== undefined;
  return {
    schema: 'renderline/schedule-trigger-preview/v1' as const,
    schedule,
    paused: findPauseNote(live),
    /** The run's plan, parameters and policies, under the field names of `apply`. */
    given: formatLiveFacts(live),
    /** The open run that makes the overlap policy skip this run. Null if a run would start. */
    heldBy: isHeld ? runningAction.workflow.workflowId : null,
  };
}

/** Starts a run now, applying the schedule's overlap policy, and waits up to 8 s for the id of the run. */
export function triggerSchedule(
  app: App,
  schedule: string,
  reason?: string,
): Promise<ScheduleControlResult> {
  return withTemporal(app, ({ client }) => triggerThrough(client, schedule, app.now, reason));
}

/** Like `triggerSchedule`, but with an open connection. */
export async function triggerThrough(
  client: Client,
  schedule: string,
  now: () => number,
  reason?: string,
): Promise<ScheduleControlResult> {
  const before = await readSchedule(client, schedule);
  await assertScheduleNotPaused(client, before);
  // Without an explicit policy the client would allow overlaps.
  const { overlap } = before.policies;
  await sleep(computeMsUntilNewRunId(before.info.recentActions, now()));
  const action = { what: 'triggered', ...omitUndefined({ reason }) };
  await changeSchedule(client, before, action, (handle) => handle.trigger(overlap));
  const base = controlResult(schedule, 'trigger', findPauseNote(before));
  for (const endAt = performance.now() + triggerTimeoutMs; performance.now() < endAt; ) {
    const current = await readSchedule(client, schedule);
    const run = findNewRun(before, current);
    if (run !== null) return { ...base, run };
    if (current.info.numActionsSkippedOverlap > before.info.numActionsSkippedOverlap)
      return { ...base, skipped: true };
    await sleep(pollIntervalMs);
  }
  return base;
}

/**
 * Returns the milliseconds until a start gets a new run id. Within the same second, Temporal reuses the last id, and
 * the new run would take over the assets of the earlier run.
 */
export function computeMsUntilNewRunId(
  actions: readonly { takenAt: Date }[],
  nowMs: number,
): number {
  const lastTakenAtMs = actions.at(-1)?.takenAt.getTime() ?? 0;
  // The result is limited, because the server's clock may be ahead of this one.
  return Math.min(Math.max(0, lastTakenAtMs + runIdResolutionMs - nowMs), runIdResolutionMs);
}

function findNewRun(before: ScheduleDescription, current: ScheduleDescription): string | null {
  const knownRunIds = new Set(before.info.recentActions.map(firstRunIdOf));
  const newActions = current.info.recentActions.filter(
    (action) => !knownRunIds.has(firstRunIdOf(action)),
  );
  return newActions.at(-1)?.action.workflow.workflowId ?? null;
}

function firstRunIdOf(action: ScheduleDescription['info']['recentActions'][number]): string {
  return action.action.workflow.firstExecutionRunId;
}

function controlResult(
  schedule: string,
  action: ScheduleControlResult['action'],
  paused: string | null,
): ScheduleControlResult {
  const schema = 'renderline/schedule-control/v1';
  return { schema, schedule, action, paused, run: null, skipped: false };
}
