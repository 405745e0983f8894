// Stores pipelines with HTTP starts in Temporal, as schedules without times. A schedule needs no worker and can be
// replaced, and its arguments are encrypted in the same way as those of runs.
import type { Client, ScheduleDescription, ScheduleOptions } from '@temporalio/client';
import { asRecord } from '../../api/unknown-values.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { callWithTimeout, responseTimeoutMs } from '../../temporal/call-with-timeout.ts';
import { createTolerantClient } from '../../temporal/codec/tolerant-reader.ts';
import { hasPrivateNames, toTemporalName } from '../../temporal/private-names.ts';
import { describeSchedule, listScheduleIds } from '../schedules/temporal-schedules.ts';

const schema = 'renderline/http-start/v1';

export interface StoredStart {
  schema: typeof schema;
  pipeline: string;
  /** Absolute path of the file that was applied, which owns the entry. Relative paths start at its folder. */
  path: string;
  /** The file with its shared parts resolved. */
  text: string;
  /** Channels from the settings with which the file was applied. */
  channels: Readonly<Record<string, unknown>>;
  /** Names of environment variables, never their values. */
  secretFrom: readonly string[];
  tokenFrom: readonly string[];
  perMinute: number;
}

/** An entry with its id in Temporal. The id depends on the setting `RENDERLINE_PRIVATE_NAMES`. */
export interface ListedStart extends StoredStart {
  id: string;
}

/** Distinguishes the entries from the schedules of pipelines, whose ids contain no colon. */
const idPrefix = 'http-start:';

/** Returns the id in Temporal of the entry that a file declares for this pipeline. */
export function storedStartIdOf(client: Client, pipeline: string): string {
  return `${idPrefix}${toTemporalName(hasPrivateNames(client), pipeline)}`;
}

/** Lists a queue's entries. A new one may be missing at first. @throws CodecKeyMissingError, CodecKeyWrongError */
export async function listStoredStarts(client: Client, taskQueue: string): Promise<ListedStart[]> {
  // Entries of other task queues need not be readable here.
  const tolerant = createTolerantClient(client);
  const ids = await listScheduleIds(client, ({ scheduleId }) => scheduleId.startsWith(idPrefix));
  const read = async (id: string) => {
    const description = await describe(tolerant, id);
    if (description?.taskQueue !== taskQueue) return null;
    const readable = description.storedStart ? description : await describe(client, id);
    return readable?.storedStart ? { ...readable.storedStart, id } : null;
  };
  const storedStarts = await mapBounded(ids, read);
  return storedStarts.filter((start) => start !== null);
}

/** Finds the entry of a pipeline on any task queue. Returns null if there is none. */
export async function findStoredStart(
  client: Client,
  pipeline: string,
): Promise<DescribedStart | null> {
  return describe(client, storedStartIdOf(client, pipeline));
}

interface DescribedStart {
  /** The entry. Null if it cannot be read, or if somebody has changed the schedule into something else. */
  storedStart: StoredStart | null;
  taskQueue: string;
}

async function describe(client: Client, id: string): Promise<DescribedStart | null> {
  const schedule = await describeSchedule(client, id);
  return schedule && { storedStart: storedStartOf(schedule), taskQueue: schedule.action.taskQueue };
}

function storedStartOf({ action }: Pick<ScheduleDescription, 'action'>): StoredStart | null {
  const [entry]: readonly unknown[] = action.args ?? [];
  // The cast is safe, because only `writeStoredStart` writes this schema.
  return asRecord(entry)['schema'] === schema ? (entry as StoredStart) : null;
}

export async function writeStoredStart(
  client: Client,
  start: Omit<StoredStart, 'schema'>,
  taskQueue: string,
  isNew: boolean,
): Promise<void> {
  const scheduleId = storedStartIdOf(client, start.pipeline);
  const storedStart: StoredStart = { schema, ...start };
  const options = {
    spec: {},
    action: {
      type: 'startWorkflow',
      // No worker knows this workflow. If somebody triggers the schedule manually, the workflow just times out.
      workflowType: 'startedByHttpOnly',
      workflowId: scheduleId,
      workflowExecutionTimeout: '1 minute',
      taskQueue,
      args: [storedStart],
    },
    policies: { overlap: 'SKIP' },
  } satisfies Omit<ScheduleOptions, 'scheduleId'>;
  const state = { paused: true, note: 'No scheduled times: HTTP requests start the runs.' };
  await callWithTimeout(client, responseTimeoutMs.usual, async () => {
    if (isNew) await client.schedule.create({ ...options, scheduleId, state });
    else await client.schedule.getHandle(scheduleId).update(() => ({ ...options, state }));
  });
}
