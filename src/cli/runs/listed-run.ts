// A run as lists show it.
import type { WorkflowExecutionInfo } from '@temporalio/client';
import { pausedOutcome, searchAttributeNames } from '../../plan/search-attributes.ts';
import type { Readable, UnreadableNote } from '../../temporal/codec/tolerant-reader.ts';
import { snapshotOf } from './run-snapshot.ts';

export interface ListedRun {
  run: string;
  pipeline: string;
  state: string;
  /** Schedule that started it; null where a person did. */
  schedule: string | null;
  /** Run that it does again; null for others. */
  againOf: string | null;
  startedAt: string;
  endedAt: string | null;
  seconds: number | null;
  /** Why what it keeps in Temporal cannot be read here; null where it can be. `againOf` is not known then. */
  unreadable: UnreadableNote | null;
}

/** @param info as `listWorkflows` gives it */
export function listedRun(info: Omit<WorkflowExecutionInfo, 'raw'> & Readable): ListedRun {
  const { run, status, startedAtMs, endedAtMs, memo } = snapshotOf(info);
  const attributes = new Map(
    info.typedSearchAttributes.getAll().map(({ key, value }) => [key.name, value]),
  );
  const outcome = attributes.get(searchAttributeNames.outcome);
  // A paused run that was terminated could not publish its outcome.
  const over = outcome === pausedOutcome && endedAtMs !== null;
  const schedule = attributes.get('TemporalScheduledById');
  const named = attributes.get(searchAttributeNames.pipeline);
  return {
    run,
    pipeline: memo?.pipeline ?? (typeof named === 'string' ? named : run),
    state: typeof outcome === 'string' && !over ? outcome : status,
    schedule: typeof schedule === 'string' ? schedule : null,
    againOf: memo?.again?.of ?? null,
    startedAt: new Date(startedAtMs).toISOString(),
    endedAt: endedAtMs === null ? null : new Date(endedAtMs).toISOString(),
    seconds: endedAtMs === null ? null : (endedAtMs - startedAtMs) / 1000,
    unreadable: info.unreadable,
  };
}
