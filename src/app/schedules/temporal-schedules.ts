// Reads and writes schedules in Temporal. Schedules that Renderline did not create are never touched.
import type { Client, ScheduleDescription, ScheduleSummary } from '@temporalio/client';
import { findNearestName } from '../../api/requests/nearest-name.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { pipelineOfSchedule } from '../../compile/schedule.ts';
import { commandFailures } from '../../failures/commands.ts';
import { findGrpcStatus, grpcCode } from '../../failures/grpc-status.ts';
import type { RecordedAction } from '../../plan/contract/audit-contract.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { withAuditRecord } from '../../temporal/audit/record-action.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { createTolerantClient, readUnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { hasPrivateNames, toTemporalName } from '../../temporal/private-names.ts';
import { assertNotPaused } from '../assert-not-paused.ts';
import { RenderlineError } from '../renderline-error.ts';
import { scheduleNameOf } from './schedule-facts.ts';
import {
  type DeclaredSchedule,
  type PauseState,
  scheduleMemoSchema,
  scheduleOptions,
} from './schedule-options.ts';

/**
 * Returns the sorted ids of Renderline's schedules in Temporal. `describeSchedule` reads a schedule by its id. Under
 * another setting of `RENDERLINE_PRIVATE_NAMES`, a schedule has another id. A new schedule may be missing at first.
 * @param isListed @default schedules of pipelines
 */
export async function listScheduleIds(
  client: Client,
  isListed: (schedule: ScheduleSummary) => boolean = ({ memo }) => hasScheduleMemo(memo),
): Promise<string[]> {
  const ids: string[] = [];
  const schedules = createTolerantClient(client).schedule.list({ pageSize: 200 });
  await callWithTimeout(client, responseTimeoutMs.usual, async () => {
    for await (const schedule of schedules) if (isListed(schedule)) ids.push(schedule.scheduleId);
  });
  return ids.sort();
}

/**
 * Finds the schedule that commands and files refer to by this name. Returns null if there is none.
 * @throws RenderlineError FOREIGN_SCHEDULE if Renderline did not create the schedule
 */
export async function findSchedule(
  client: Client,
  name: string,
): Promise<ScheduleDescription | null> {
  const schedule = await describeSchedule(client, toTemporalName(hasPrivateNames(client), name));
  if (schedule === null || hasScheduleMemo(schedule.memo)) return schedule;
  throw new RenderlineError(
    commandFailures.FOREIGN_SCHEDULE,
    `The schedule "${name}" in Temporal was not created by Renderline, so it is not changed.`,
  );
}

/** Reads the schedule with this id in Temporal. Returns null if there is none. */
export function describeSchedule(client: Client, id: string): Promise<ScheduleDescription | null> {
  return callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.schedule.getHandle(id).describe().catch(ignoreMissing),
  );
}

/** Reads schedules in the order of their ids, as far as they can be decrypted here. Omits those that do not exist. */
export async function describeSchedules(
  client: Client,
  ids: readonly string[],
): Promise<ScheduleDescription[]> {
  const tolerant = createTolerantClient(client);
  const schedules = await mapBounded(ids, (id) => describeSchedule(tolerant, id));
  return schedules.filter((live) => live !== null);
}

/** Converts the error for a schedule that does not exist to null. @throws every other error */
export function ignoreMissing(error: unknown): null {
  if (error instanceof Error && error.name === 'ScheduleNotFoundError') return null;
  throw error;
}

/** @throws RenderlineError SCHEDULE_NOT_FOUND */
export async function readSchedule(client: Client, name: string): Promise<ScheduleDescription> {
  const schedule = await findSchedule(client, name);
  if (schedule !== null) return schedule;
  const ids = await listScheduleIds(client);
  const prefix = `${toTemporalName(hasPrivateNames(client), name)}/`;
  const ofPipeline = ids.filter((id) => id.startsWith(prefix)).join('" or "');
  const suggestion = ofPipeline || findNearestName(name, ids);
  throw new RenderlineError(
    commandFailures.SCHEDULE_NOT_FOUND,
    `The schedule "${name}" does not exist.`,
    {
      fix: suggestion
        ? `Did you mean "${suggestion}"?`
        : 'List the schedules: renderline schedules',
    },
  );
}

/**
 * Creates or replaces a schedule.
 * @param pauseOf returns the new pause state, given the schedule as it is in Temporal, or null for a new schedule
 * @throws RenderlineError SCHEDULE_REFUSED if Temporal rejects its times; ScheduleAlreadyRunning if it exists although
 * `isNew` is true
 */
export async function writeSchedule(
  client: Client,
  declaredSchedule: DeclaredSchedule,
  pauseOf: (live: ScheduleDescription | null) => PauseState,
  isNew: boolean,
): Promise<void> {
  const { scheduleId, memo, action, ...options } = scheduleOptions(declaredSchedule, pauseOf(null));
  const throwRefusal = (error: unknown) => {
    throw explainRefusal(scheduleId, error) ?? error;
  };
  await callWithTimeout(client, responseTimeoutMs.usual, async () => {
    if (isNew) {
      const createOptions = { ...options, scheduleId, memo: memo ?? {}, action };
      await client.schedule.create(createOptions).catch(throwRefusal);
      return;
    }
    await client.schedule
      .getHandle(scheduleId)
      .update((live) => ({ ...options, action, state: pauseOf(live) }))
      .catch(throwRefusal);
  });
}

/** Removes a schedule by its id in Temporal, even if no file declares its name. Does nothing if it no longer exists. */
export async function removeSchedule(client: Client, id: string): Promise<void> {
  await callWithTimeout(client, responseTimeoutMs.usual, () =>
    client.schedule.getHandle(id).delete().catch(ignoreMissing),
  );
}

/** True if Renderline created the schedule. Only Renderline writes this memo field, so an unreadable field counts. */
function hasScheduleMemo(memo: Record<string, unknown> | undefined): boolean {
  const field = memo?.['renderline'];
  return asRecord(field)['schema'] === scheduleMemoSchema || readUnreadableNote(field) !== null;
}

function explainRefusal(name: string, error: unknown): RenderlineError | null {
  const status = findGrpcStatus(error);
  if (status?.code !== grpcCode.invalidArgument) return null;
  const message = `Temporal rejected the schedule "${name}": ${status.details}`;
  return new RenderlineError(commandFailures.SCHEDULE_REFUSED, message);
}

/**
 * Runs the task and writes it to the audit log of the schedule's task queue.
 * @throws NotRecordedError before the task starts, if the log cannot be written; errors of `task` unchanged
 */
export function auditScheduleAction<T>(
  client: Client,
  live: ScheduleDescription,
  act: Pick<RecordedAction, 'what' | 'reason' | 'details'>,
  task: () => Promise<T>,
): Promise<T> {
  const name = scheduleNameOf(live);
  const subject = { subject: 'schedule', name, pipeline: pipelineOfSchedule(name) } as const;
  const log = { client, taskQueue: live.action.taskQueue };
  return withAuditRecord(log, { ...act, ...subject }, task);
}

/** Refuses actions that would start runs during a general pause. @throws RenderlineError ALL_PAUSED */
export async function assertScheduleNotPaused(
  client: Client,
  live: ScheduleDescription,
): Promise<void> {
  await assertNotPaused(client, live.action.taskQueue, pipelineOfSchedule(scheduleNameOf(live)));
}
