// Plans and applies changes to HTTP starts, which are entries in Temporal for pipelines that may be started over HTTP.
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
import { compareFacts, type Facts } from '../schedules/schedule-facts.ts';
import { removeSchedule } from '../schedules/temporal-schedules.ts';
import type { HttpStartedFile, ReadPipeline } from './applied-files.ts';
import { applyAndRecord, type PlannedChange } from './apply-and-record.ts';
import { findOtherOwner } from './schedule-changes.ts';
import type { PipelineChange } from './trigger-changes.ts';

export type PlannedHttpStartChange = PlannedChange<PipelineChange, HttpStartedFile['start']>;

export async function planHttpStart(
  client: Client,
  { file, start, usesFolder }: HttpStartedFile,
  taskQueue: string,
): Promise<PlannedHttpStartChange> {
  const { pipeline, path } = start;
  const live = await findStoredStart(client, pipeline);
  if (live !== null && live.taskQueue !== taskQueue) {
    throw new RenderlineError(
      commandFailures.FOREIGN_HTTP_START,
      `"${pipeline}" already has an HTTP start on task queue ${live.taskQueue}.`,
    );
  }
  const liveFacts = live?.storedStart ? factsOf(live.storedStart, usesFolder) : {};
  const fields = compareFacts(liveFacts, factsOf(start, usesFolder));
  const change = live === null ? 'create' : fields.length > 0 ? 'update' : 'unchanged';
  const takenFrom =
    live?.storedStart && change === 'update' ? findOtherOwner(live.storedStart.path, path) : null;
  return {
    change: { pipeline, change, file, fields, takenFrom },
    write: change === 'unchanged' ? null : start,
    remove: null,
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
 * @param others entries of pipelines in no applied file: `prune` removes them. Null omits them from the result, unless
 * they were applied from one of these files, whose pipeline was then renamed
 */
export async function planUndeclaredHttpStarts(
  client: Client,
  declaredPipelines: ReadonlySet<string>,
  appliedPipelines: readonly ReadPipeline[],
  taskQueue: string,
  others: { prune: boolean } | null,
): Promise<PlannedHttpStartChange[]> {
  const storedStarts = await listStoredStarts(client, taskQueue);
  const declaredIds = new Set(
    [...declaredPipelines].map((pipeline) => storedStartIdOf(client, pipeline)),
  );
  return storedStarts.flatMap(({ id, pipeline, path }): PlannedHttpStartChange[] => {
    if (declaredIds.has(id)) return [];
    const appliedPipeline =
      appliedPipelines.find((candidate) => candidate.pipeline === pipeline) ?? null;
    const isOfFiles = appliedPipelines.some((candidate) => candidate.path === path);
    if (appliedPipeline === null && others === null && !isOfFiles) return [];
    const change = appliedPipeline !== null || others?.prune === true ? 'remove' : 'undeclared';
    const takenFrom = appliedPipeline === null ? null : findOtherOwner(path, appliedPipeline.path);
    const file = appliedPipeline?.file ?? null;
    const remove = change === 'remove' ? id : null;
    return [{ change: { pipeline, change, file, fields: [], takenFrom }, write: null, remove }];
  });
}

/** @throws NotRecordedError before anything is changed, if the audit log cannot be written */
export async function applyHttpStartChange(
  client: Client,
  planned: PlannedHttpStartChange,
  taskQueue: string,
  reason?: string,
): Promise<void> {
  const { pipeline, change } = planned.change;
  const subject = { subject: 'http-start', name: pipeline, pipeline } as const;
  await applyAndRecord({ client, taskQueue }, subject, planned, reason, {
    write: (start) => writeStoredStart(client, start, taskQueue, change === 'create'),
    remove: (id) => removeSchedule(client, id),
  });
}
