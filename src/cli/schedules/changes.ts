// What applying files would change in Temporal, and doing it.
import type { Client } from '@temporalio/client';
import {
  pipelineOfSchedule,
  type ScheduleDeclaration,
  scheduleName,
  startTimesOf,
} from '../../compile/schedule.ts';
import { nextStarts } from '../../language/next-starts.ts';
import type { EventFile } from '../applied-files.ts';
import type { Pause, Wanted } from './action.ts';
import {
  differences,
  type FieldChange,
  liveFacts,
  ownerOf,
  pauseOf,
  wantedFacts,
} from './facts.ts';
import { findSchedule, listNames, removeSchedule, writeSchedule } from './live.ts';

export type ChangeKind = 'create' | 'update' | 'unchanged' | 'remove' | 'left';

export interface Change {
  schedule: string;
  /** `left`: ours, in no file, and not asked to be removed. */
  change: ChangeKind;
  file: string | null;
  fields: FieldChange[];
  /** Why it is paused afterwards; null where it is not. */
  paused: string | null;
  /** Path of the other file whose schedule it is, and which would lose it; null where no other is known. */
  takenFrom: string | null;
  /** The next five starts before jitter, ISO 8601; empty while it is paused. */
  next: string[];
}

/** A change with what is needed to make it. */
export interface Planned {
  change: Change;
  /** Only for what is created or updated. */
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

/** Whose it is, where that is another file. */
export function otherOf(owner: string | null, path: string): string | null {
  return owner === path ? null : owner;
}

/** What the applied files have: names of their schedules, and each file by its pipeline. */
export interface Declared {
  schedules: ReadonlySet<string>;
  files: ReadonlyMap<string, Pick<EventFile, 'file' | 'path'>>;
}

/**
 * Our schedules of this task queue that no file declares; those of other queues are other people's. What a file has
 * left out of its schedules goes in any case.
 * @param others what becomes of those of other pipelines; null: nothing is said about them
 */
export async function planOthers(
  client: Client,
  { schedules, files }: Declared,
  taskQueue: string,
  others: { prune: boolean } | null,
): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const schedule of await listNames(client)) {
    const declaring = files.get(pipelineOfSchedule(schedule)) ?? null;
    if (schedules.has(schedule) || (declaring === null && others === null)) continue;
    const live = await findSchedule(client, schedule);
    // The list lags behind what was removed a moment ago.
    if (live === null || live.action.taskQueue !== taskQueue) continue;
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

export async function makeChange(client: Client, { change, write }: Planned): Promise<void> {
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
