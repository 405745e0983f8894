import type { Client, ScheduleDescription } from '@temporalio/client';
import { startTimesOn } from '../../compile/schedule/schedule-days.ts';
import {
  pipelineOfSchedule,
  type ScheduleDeclaration,
  scheduleName,
} from '../../compile/schedule.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import type { GeneralPause } from '../../plan/run/general-pause.ts';
import type { Plan } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { AuditLog } from '../../temporal/audit/record-action.ts';
import { hasPrivateNames, toTemporalName } from '../../temporal/private-names.ts';
import { findGeneralPause } from '../../temporal/runs/general-pause.ts';
import { findHeldSinceMs, noteOfPause } from '../general-pause/held-schedules.ts';
import {
  findOwnerPath,
  findPauseNote,
  findUnreadableNote,
  formatDeclaredFacts,
  formatLiveFacts,
  maxStartsShown,
  nextStartsOf,
  pauseStateAfterApply,
  scheduleNameOf,
} from '../schedules/schedule-facts.ts';
import type { DeclaredSchedule, PauseState } from '../schedules/schedule-options.ts';
import {
  describeSchedule,
  describeSchedules,
  findSchedule,
  listScheduleIds,
  removeSchedule,
  writeSchedule,
} from '../schedules/temporal-schedules.ts';
import type { AppliedFiles, ReadPipeline } from './applied-files.ts';
import {
  applyChange,
  type Change,
  compareWithFile,
  type PlannedChange,
  planUndeclared,
  type UndeclaredPolicy,
} from './planned-change.ts';

export interface ScheduleChange extends Change {
  schedule: string;
  /** Reason for the pause after the change. Null if the schedule is not paused. */
  paused: string | null;
  /** The next ten starts, ISO 8601. Empty if the schedule is paused, undeclared, removed, or has no more starts. */
  next: string[];
  /** `temporal`: as listed by the server, with jitter. `computed`: by the same rules, before they are written. */
  nextFrom: 'temporal' | 'computed';
}

export type PlannedScheduleChange = PlannedChange<ScheduleChange>;

/** Plans the changes to all schedules that the applied files declare, some at a time. */
export function planDeclaredSchedules(
  client: Client,
  schedules: readonly (DeclaredSchedule & { file: string })[],
  nowMs: number,
): Promise<PlannedScheduleChange[]> {
  return mapBounded(schedules, async ({ file, ...schedule }) => {
    const general = await findGeneralPause(client, schedule.taskQueue, schedule.plan.pipeline);
    return planScheduleChange(client, file, schedule, nowMs, general);
  });
}

/** @param general current general pause, which holds the schedule. Null if there is none */
export async function planScheduleChange(
  client: Client,
  file: string,
  declaredSchedule: DeclaredSchedule,
  nowMs: number,
  general: GeneralPause | null = null,
): Promise<PlannedScheduleChange> {
  const { path } = declaredSchedule;
  const schedule = scheduleName(declaredSchedule.plan.pipeline, declaredSchedule.declaration);
  const live = await findSchedule(client, schedule);
  const pause = pauseUnder(general, declaredSchedule, live);
  const change = compareWithFile(
    live && { facts: formatLiveFacts(live), owner: findOwnerPath(live) },
    { file, path, facts: formatDeclaredFacts(declaredSchedule, pause) },
  );
  const paused = pause.paused ? pause.note : null;
  const isUnchanged = live !== null && change.change === 'unchanged';
  const nextStarts = () => (pause.paused ? [] : computeNextStarts(declaredSchedule, nowMs));
  return {
    change: {
      schedule,
      ...change,
      paused,
      next: isUnchanged ? nextStartsOf(live) : nextStarts(),
      nextFrom: isUnchanged ? 'temporal' : 'computed',
    },
    make: (writer) => write(writer, declaredSchedule, live === null),
  };
}

/** Returns the pause state of the schedule after its file is applied. @param general current general pause, or null */
function pauseUnder(
  general: GeneralPause | null,
  declaredSchedule: DeclaredSchedule,
  live: ScheduleDescription | null,
): PauseState {
  // A schedule that is still held after the general pause has ended counts as not paused.
  const isLeftHeld = general === null && live !== null && findHeldSinceMs(live) !== null;
  const pauseState = pauseStateAfterApply(declaredSchedule, isLeftHeld ? null : live);
  // This note lets `resume --all` also resume a schedule that is applied during a general pause.
  return pauseState.paused || general === null
    ? pauseState
    : { paused: true, note: noteOfPause(general) };
}

/**
 * Plans changes to schedules of this task queue that no applied file declares. An undeclared schedule is always removed
 * if an applied file declares another schedule of its pipeline. Other task queues are ignored.
 */
export async function planUndeclaredSchedules(
  client: Client,
  {
    scheduled,
    pipelines,
  }: Pick<AppliedFiles, 'pipelines'> & {
    scheduled: readonly (Pick<ReadPipeline, 'file' | 'path'> & {
      plan: Pick<Plan, 'pipeline'>;
      declaration: Pick<ScheduleDeclaration, 'name'>;
    })[];
  },
  taskQueue: string,
  policy: UndeclaredPolicy,
): Promise<PlannedScheduleChange[]> {
  const plannedChanges: PlannedScheduleChange[] = [];
  const idOf = (name: string) => toTemporalName(hasPrivateNames(client), name);
  const declaredIds = new Set(
    scheduled.map(({ plan, declaration }) => idOf(scheduleName(plan.pipeline, declaration))),
  );
  const byPipeline = new Map(scheduled.map((file) => [idOf(file.plan.pipeline), file]));
  const appliedIds = new Set(pipelines.map((applied) => idOf(applied.pipeline)));
  const ids = (await listScheduleIds(client)).filter((id) => !declaredIds.has(id));
  for (const description of await describeSchedules(client, ids)) {
    const id = description.scheduleId;
    const pipeline = pipelineOfSchedule(id);
    const owner = findOwnerPath(description);
    // A schedule that may be removed must be readable. A schedule on another task queue is never removed.
    if (description.action.taskQueue !== taskQueue) continue;
    const isOfFiles = appliedIds.has(pipeline) || pipelines.some(({ path }) => path === owner);
    if (policy === null && !isOfFiles) continue;
    const live =
      findUnreadableNote(description) === null ? description : await describeSchedule(client, id);
    // There is nothing to remove: Temporal's list may still contain a schedule that was just removed.
    if (live === null) continue;
    const replacement = byPipeline.get(pipeline) ?? null;
    const change = planUndeclared(findOwnerPath(live), replacement, isOfFiles, policy);
    if (change === null) continue;
    const schedule = scheduleNameOf(live);
    const times = { paused: findPauseNote(live), next: [], nextFrom: 'temporal' as const };
    plannedChanges.push({
      change: { schedule, ...change, ...times },
      make: (writer) => removeSchedule(writer, id),
    });
  }
  return plannedChanges;
}

/**
 * Makes a change. For a written schedule, returns its pause and next starts as Temporal reports them. The pause is
 * determined when the schedule is written, because somebody may have paused or resumed the schedule since the plan.
 * @throws NotRecordedError before anything is changed, if the audit log cannot be written
 */
export async function applyScheduleChange(
  auditLog: AuditLog,
  planned: PlannedScheduleChange,
  reason?: string,
): Promise<ScheduleChange> {
  const { change } = planned;
  const { schedule: name } = change;
  const subject = { subject: 'schedule', name, pipeline: pipelineOfSchedule(name) } as const;
  await applyChange(auditLog, subject, planned, reason);
  const isWritten = change.change === 'create' || change.change === 'update';
  const live = isWritten ? await findSchedule(auditLog.client, name) : null;
  if (live === null) return change;
  const next = nextStartsOf(live);
  return { ...change, paused: findPauseNote(live), next, nextFrom: 'temporal' };
}

async function write(
  client: Client,
  declared: DeclaredSchedule,
  isCreated: boolean,
): Promise<void> {
  const readGeneral = () => findGeneralPause(client, declared.taskQueue, declared.plan.pipeline);
  let general = await readGeneral();
  for (let isNew = isCreated; ; isNew = false) {
    const previousPause = general;
    const pauseOf = (live: ScheduleDescription | null) => pauseUnder(previousPause, declared, live);
    await writeSchedule(client, declared, pauseOf, isNew);
    general = await readGeneral();
    // If a general pause has started or ended during the write, the pause state is determined again.
    if (general?.at === previousPause?.at) return;
  }
}

function computeNextStarts({ declaration, days }: DeclaredSchedule, nowMs: number): string[] {
  const starts: string[] = [];
  for (const startAtMs of listNextStarts(startTimesOn(declaration, days), nowMs)) {
    starts.push(new Date(startAtMs).toISOString());
    if (starts.length === maxStartsShown) break;
  }
  return starts;
}
