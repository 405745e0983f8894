// Converts a workflow execution into an entry of `renderline runs`.
import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import { readStartTime } from '../../temporal/runs/run-start-time.ts';
import { attributesOf } from '../../temporal/status/listed-run-fields.ts';
import { snapshotOf } from './run-snapshot.ts';

export type ListedRun = Awaited<ReturnType<typeof readListedRun>>;

type Info = Omit<WorkflowExecutionInfo, 'raw'> & WithReadability;

/** @param info as returned by `listWorkflows` */
export async function readListedRun(client: Client, info: Info) {
  const startedAtMs = await readStartTime(client, info);
  const endedAtMs = info.closeTime?.getTime() ?? null;
  return {
    ...toListedRun(info),
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    seconds: endedAtMs === null ? null : (endedAtMs - startedAtMs) / 1000,
  };
}

/** Returns the entry without times. @param info as returned by `listWorkflows` */
export function toListedRun(info: Info) {
  const { run, status, endedAtMs, memo } = snapshotOf(info);
  const attributes = attributesOf(info);
  const outcome = attributes.get(searchAttributeNames.outcome);
  // A run that was terminated while paused could not update its outcome.
  const isStale = outcome === pausedOutcome && endedAtMs !== null;
  const schedule = attributes.get('TemporalScheduledById');
  const pipelineAttribute = attributes.get(searchAttributeNames.pipeline);
  return {
    run,
    pipeline: memo?.pipeline ?? (typeof pipelineAttribute === 'string' ? pipelineAttribute : run),
    state: typeof outcome === 'string' && !isStale ? outcome : status,
    schedule: typeof schedule === 'string' ? schedule : null,
    /** The run that this run reruns. Null if it is not a rerun. */
    againOf: memo?.rerun?.of ?? null,
    /** Why the run's memo cannot be decrypted here, so that `againOf` is unknown. Null if it can be decrypted. */
    unreadable: info.unreadable,
  };
}
