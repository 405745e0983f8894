// Plans changes to HTTP starts, which are entries in Temporal for pipelines that may be started over HTTP.
import { createHash } from 'node:crypto';
import { dirname } from 'node:path';
import type { Client } from '@temporalio/client';
import { commandFailures } from '../../failures/commands.ts';
import {
  findStoredStart,
  listStoredStarts,
  storedStartIdOf,
  writeStoredStart,
} from '../http-starts/stored-start.ts';
import { RenderlineError } from '../renderline-error.ts';
import type { Facts } from '../schedules/schedule-facts.ts';
import { removeSchedule } from '../schedules/temporal-schedules.ts';
import type { AppliedFiles, HttpStartedFile } from './applied-files.ts';
import {
  compareWithFile,
  type PlannedChange,
  planUndeclared,
  type UndeclaredPolicy,
} from './planned-change.ts';

/** @throws RenderlineError if the entry belongs to another task queue */
export async function planHttpStart(
  client: Client,
  { file, start, usesFolder }: HttpStartedFile,
  taskQueue: string,
): Promise<PlannedChange> {
  const { pipeline, path } = start;
  const live = await findStoredStart(client, pipeline);
  if (live !== null && live.taskQueue !== taskQueue) {
    throw new RenderlineError(
      commandFailures.FOREIGN_HTTP_START,
      `"${pipeline}" already has an HTTP start on task queue ${live.taskQueue}.`,
    );
  }
  const { storedStart = null } = live ?? {};
  const liveFacts = storedStart === null ? {} : factsOf(storedStart, usesFolder);
  const declared = { file, path, facts: factsOf(start, usesFolder) };
  const owner = storedStart?.path ?? null;
  const change = compareWithFile(live && { facts: liveFacts, owner }, declared);
  return {
    change: { pipeline, ...change },
    make: (writer) => writeStoredStart(writer, start, taskQueue, live === null),
  };
}

function factsOf(
  { secretFrom, tokenFrom, perMinute, text, channels, path }: HttpStartedFile['start'],
  usesFolder: boolean,
): Facts {
  const hash = createHash('sha256').update(JSON.stringify([text, channels]));
  return {
    ...(usesFolder ? { folder: dirname(path) } : {}),
    ...(secretFrom.length > 0 ? { secretFrom: secretFrom.join(', ') } : {}),
    ...(tokenFrom.length > 0 ? { tokenFrom: tokenFrom.join(', ') } : {}),
    perMinute: String(perMinute),
    content: hash.digest('hex').slice(0, 16),
  };
}

/**
 * Plans changes to entries on this task queue that no applied file declares. If an applied file contains the pipeline
 * of the entry, the entry is always removed, because callers must not keep access that the file no longer grants.
 */
export async function planUndeclaredHttpStarts(
  client: Client,
  {
    httpStarted,
    pipelines,
  }: Pick<AppliedFiles, 'pipelines'> & {
    httpStarted: readonly { start: Pick<HttpStartedFile['start'], 'pipeline'> }[];
  },
  taskQueue: string,
  policy: UndeclaredPolicy,
): Promise<PlannedChange[]> {
  const storedStarts = await listStoredStarts(client, taskQueue);
  const declaredIds = new Set(
    httpStarted.map(({ start }) => storedStartIdOf(client, start.pipeline)),
  );
  return storedStarts.flatMap(({ id, pipeline, path }) => {
    if (declaredIds.has(id)) return [];
    const replacement = pipelines.find((applied) => applied.pipeline === pipeline) ?? null;
    const isOfFiles = pipelines.some((applied) => applied.path === path);
    const change = planUndeclared(path, replacement, isOfFiles, policy);
    if (change === null) return [];
    return { change: { pipeline, ...change }, make: (writer) => removeSchedule(writer, id) };
  });
}
