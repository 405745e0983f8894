import type { Client, ScheduleDescription } from '@temporalio/client';
import { startTimesOn } from '../../compile/schedule/schedule-days.ts';
import { pipelineOfSchedule, scheduleName } from '../../compile/schedule.ts';
import { listNextStarts } from '../../language/next-starts.ts';
import type { GeneralPause } from '../../plan/run/general-pause.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { AuditLog } from '../../temporal/audit/record-action.ts';
import { hasPrivateNames, toTemporalName } from '../../temporal/private-names.ts';
import { findGeneralPause } from '../../temporal/runs/general-pause.ts';
import { findHeldSinceMs, noteOfPause } from '../general-pause/held-schedules.ts';
import {
  compareFacts,
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
import type { CompiledFile } from './applied-files.ts';
import { applyAndRecord, type Change, type PlannedChange } from './apply-and-record.ts';

export interface ScheduleChange extends Change {
  schedule: string;
  /** Reason for the pause after the change. Null if the schedule is not paused. */
  paused: string | null;
  /** The next ten starts, ISO 8601. Empty if the schedule is paused, undeclared, removed, or has no more starts. */
  next: string[];
  /** `temporal`: as listed by the server, with jitter. `computed`: by the same rules, before they are written. */
  nextFrom: 'temporal' | 'computed';
}

export type PlannedScheduleChange = PlannedChange<ScheduleChange, DeclaredSchedule>;

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
  const schedule = scheduleName(declaredSchedule.plan.pipeline, declaredSchedule.declaration);
  const live = await findSchedule(client, schedule);
  const pause = pauseUnder(general, declaredSchedule, live);
  const fields = compareFacts(
    live && formatLiveFacts(live),
    formatDeclaredFacts(declaredSchedule, pause),
  );
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  const base = {
    schedule,
    change,
    file,
    fields,
    paused: pause.paused ? pause.note : null,
  } as const;
  if (live !== null && change === 'unchanged') {
    const next = nextStartsOf(live);
    return {
      change: { ...base, takenFrom: null, next, nextFrom: 'temporal' },
      write: null,
      remove: null,
    };
  }
  return {
    change: {
      ...base,
      takenFrom: live && findOtherOwner(findOwnerPath(live), declaredSchedule.path),
      next: pause.paused ? [] : computeNextStarts(declaredSchedule, nowMs),
      nextFrom: 'computed',
    },
    write: declaredSchedule,
    remove: null,
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

/** Returns the path of another file that owns the schedule, event trigger or HTTP start, or null if none is known. */
export function findOtherOwner(owner: string | null, path: string): string | null {
  return owner === path ? null : owner;
}

export interface AppliedDeclarations {
  schedules: ReadonlySet<string>;
  /** The file of each pipeline with a schedule, by the pipeline's name. */
  files: ReadonlyMap<string, Pick<CompiledFile, 'file' | 'path'>>;
  /** Pipelines of all applied files, including those without a schedule. */
  pipelines: ReadonlySet<string>;
  /** Paths of all applied files. A schedule of such a file may have an earlier name of its pipeline. */
  paths: ReadonlySet<string>;
}

/**
 * Plans changes to schedules of this task queue that no applied file declares. An undeclared schedule is always removed
 * if an applied file declares another schedule of its pipeline. Other task queues are ignored.
 * @param others schedules of pipelines in no applied file: `prune` removes them. Null omits them from the result, unless
 * they were applied from one of these files, whose pipeline was then renamed
 */
export async function planUndeclaredSchedules(
  client: Client,
  { schedules, files, pipelines, paths }: AppliedDeclarations,
  taskQueue: string,
  others: { prune: boolean } | null,
): Promise<PlannedScheduleChange[]> {
  const plannedChanges: PlannedScheduleChange[] = [];
  const idOf = (name: string) => toTemporalName(hasPrivateNames(client), name);
  const declaredIds = new Set([...schedules].map(idOf));
  const byPipeline = new Map([...files].map(([pipeline, file]) => [idOf(pipeline), file]));
  const appliedIds = new Set([...pipelines].map(idOf));
  const ids = (await listScheduleIds(client)).filter((id) => !declaredIds.has(id));
  for (const description of await describeSchedules(client, ids)) {
    const id = description.scheduleId;
    const pipeline = pipelineOfSchedule(id);
    const declaringFile = byPipeline.get(pipeline) ?? null;
    // A schedule that may be removed must be readable. A schedule on another task queue is never removed.
    if (description.action.taskQueue !== taskQueue) continue;
    const isOfFiles = appliedIds.has(pipeline) || paths.has(findOwnerPath(description) ?? '');
    if (others === null && !isOfFiles) continue;
    const live =
      findUnreadableNote(description) === null ? description : await describeSchedule(client, id);
    // There is nothing to remove: Temporal's list may still contain a schedule that was just removed.
    if (live === null) continue;
    const change = declaringFile !== null || others?.prune === true ? 'remove' : 'undeclared';
    plannedChanges.push({
      change: {
        schedule: scheduleNameOf(live),
        change,
        file: declaringFile?.file ?? null,
        fields: [],
        paused: findPauseNote(live),
        takenFrom: declaringFile && findOtherOwner(findOwnerPath(live), declaringFile.path),
        next: [],
        nextFrom: 'temporal',
      },
      write: null,
      remove: change === 'remove' ? id : null,
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
  plannedChange: PlannedScheduleChange,
  reason?: string,
): Promise<ScheduleChange> {
  const { change } = plannedChange;
  const { schedule: name } = change;
  const { client } = auditLog;
  const subject = { subject: 'schedule', name, pipeline: pipelineOfSchedule(name) } as const;
  await applyAndRecord(auditLog, subject, plannedChange, reason, {
    write: (declared) => write(client, declared, change.change === 'create'),
    remove: (id) => removeSchedule(client, id),
  });
  const live = plannedChange.write && (await findSchedule(client, name));
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
