// Converts a workflow execution into an entry of `renderline runs`.
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { UnreadableNote, WithReadability } from '../../temporal/codec/tolerant-reader.ts';
import { snapshotOf } from './run-snapshot.ts';

export interface ListedRun {
  run: string;
  pipeline: string;
  state: string;
  /** Schedule that started the run; null if no schedule did. */
  schedule: string | null;
  /** The run that this run repeats; null if it is not a rerun. */
  againOf: string | null;
  startedAt: string;
  endedAt: string | null;
  seconds: number | null;
  /** Why the run's memo cannot be decrypted here, so that `againOf` is unknown; null if it can be. */
  unreadable: UnreadableNote | null;
}

/** @param info as returned by `listWorkflows` */
export function listedRun(info: Omit<WorkflowExecutionInfo, 'raw'> & WithReadability): ListedRun {
  const { run, status, startedAtMs, endedAtMs, memo } = snapshotOf(info);
  const attributes = new Map(
    info.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
  );
  const outcome = attributes.get(searchAttributeNames.outcome);
  // A run that was terminated while paused could not update its outcome.
  const over = outcome === pausedOutcome && endedAtMs !== null;
  const schedule = attributes.get('TemporalScheduledById');
  const named = attributes.get(searchAttributeNames.pipeline);
  return {
    run,
    pipeline: memo?.pipeline ?? (typeof named === 'string' ? named : run),
    state: typeof outcome === 'string' && !over ? outcome : status,
    schedule: typeof schedule === 'string' ? schedule : null,
    againOf: memo?.rerun?.of ?? null,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    seconds: endedAtMs === null ? null : (endedAtMs - startedAtMs) / 1000,
    unreadable: info.unreadable,
  };
}
