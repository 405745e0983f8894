// Plans and applies changes of schedules in Temporal.
import type { Client } from '@temporalio/client';
import {
  pipelineOfSchedule,
  type ScheduleDeclaration,
  scheduleName,
  startTimesOf,
} from '../../compile/schedule.ts';
import { nextStarts } from '../../language/next-starts.ts';
import type { AuditLogPlace } from '../../temporal/audit/record-act.ts';
import { tolerant } from '../../temporal/codec/tolerant-reader.ts';
import { hidesNames, shownName } from '../../temporal/private-names.ts';
import type { EventFile } from '../applied-files.ts';
import { type ChangeKind, recordedChange } from '../recorded-change.ts';
import type { Pause, Wanted } from './action.ts';
import {
  differences,
  type FieldChange,
  liveFacts,
  nameOfLive,
  ownerOf,
  pauseOf,
  wantedFacts,
  whyUnreadable,
} from './facts.ts';
import { findSchedule, listNames, removeSchedule, writeSchedule } from './live.ts';

export interface Change {
  schedule: string;
  /** `left`: created by Renderline, declared in no file, and kept because `--prune` was not given. */
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
  /** Reason for the pause after the change; null if the schedule is not paused. */
  paused: string | null;
  /** Path of another file that owns the schedule now and would lose it; null if none is known. */
  takenFrom: string | null;
  /** The next five starts before jitter, ISO 8601; empty while the schedule is paused. */
  next: string[];
}

/** A change together with the data needed to apply it. */
export interface Planned {
  change: Change;
  /** Null unless the schedule is created or updated. */
  write: { wanted: Wanted; pause: Pause } | null;
}

const startsShown = 5;

export async function planWanted(
  client: Client,
  file: string,
  wanted: Wanted,
  nowMs: number,
): Promise<Planned> {
  const schedule = scheduleName(wanted.plan.pipeline, wanted.declaration);
  const live = await findSchedule(client, schedule);
  const pause = pauseOf(wanted, live);
  const fields = differences(live === null ? {} : liveFacts(live), wantedFacts(wanted, pause));
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  return {
    change: {
      schedule,
      change,
      file,
      fields,
      paused: pause.paused ? pause.note : null,
      takenFrom: change === 'update' && live !== null ? otherOf(ownerOf(live), wanted.path) : null,
      next: pause.paused ? [] : upcoming(wanted.declaration, nowMs),
    },
    write: change === 'unchanged' ? null : { wanted, pause },
  };
}

/** Path of the owner if another file owns the schedule or event trigger; null otherwise. */
export function otherOf(owner: string | null, path: string): string | null {
  return owner === path ? null : owner;
}

/** What the applied files declare: names of schedules, and the file of each pipeline by its name. */
export interface Declared {
  schedules: ReadonlySet<string>;
  files: ReadonlyMap<string, Pick<EventFile, 'file' | 'path'>>;
}

/**
 * Plans changes of schedules at this task queue that no applied file declares. A schedule that an applied file declared
 * before is always removed. Schedules at other task queues are ignored.
 * @param others whether schedules of pipelines in no applied file are removed; null leaves them out of the result
 */
export async function planOthers(
  client: Client,
  { schedules, files }: Declared,
  taskQueue: string,
  others: { prune: boolean } | null,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  const shown = (name: string) => shownName(hidesNames(client), name);
  const declared = new Set([...schedules].map(shown));
  const byPipeline = new Map([...files].map(([pipeline, one]) => [shown(pipeline), one]));
  for (const listed of await listNames(client)) {
    const declaring = byPipeline.get(pipelineOfSchedule(listed)) ?? null;
    if (declared.has(listed) || (declaring === null && others === null)) continue;
    const seen = await findSchedule(tolerant(client), listed);
    // A schedule that may be removed must be readable. One at another task queue need not be.
    if (seen?.action.taskQueue !== taskQueue) continue;
    const live = whyUnreadable(seen) === null ? seen : await findSchedule(client, listed);
    // Temporal's list may still contain a schedule that was just removed.
    if (live === null) continue;
    const schedule = nameOfLive(live);
    const paused = live.state.paused ? (live.state.note ?? '') : null;
    const change = declaring !== null || others?.prune === true ? 'remove' : 'left';
    const takenFrom = declaring === null ? null : otherOf(ownerOf(live), declaring.path);
    const file = declaring?.file ?? null;
    planned.push({
      change: { schedule, change, file, fields: [], paused, takenFrom, next: [] },
      write: null,
    });
  }
  return planned;
}

/** @throws NotRecordedError before anything is changed, if the audit log cannot be written */
export async function makeChange(
  place: AuditLogPlace,
  planned: Planned,
  reason?: string,
): Promise<void> {
  const { schedule } = planned.change;
  const of = {
    subject: 'schedule',
    name: schedule,
    pipeline: pipelineOfSchedule(schedule),
  } as const;
  const work = () => write(place.client, planned);
  await recordedChange(place, of, planned.change, reason, work);
}

async function write(client: Client, { change, write }: Planned): Promise<void> {
  if (write !== null) {
    await writeSchedule(client, write.wanted, write.pause, change.change === 'create');
  } else if (change.change === 'remove') {
    await removeSchedule(client, change.schedule);
  }
}

function upcoming(declaration: ScheduleDeclaration, nowMs: number): string[] {
  const starts: string[] = [];
  for (const startMs of nextStarts(startTimesOf(declaration), nowMs)) {
    starts.push(new Date(startMs).toISOString());
    if (starts.length === startsShown) break;
  }
  return starts;
}
