// Events that a run emits to its worker, for logs and metrics.
import { defineSearchAttributeKey } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import type { Discovery, RunContinuation, RunInput } from '../../src/plan/contract/contract.ts';
import { tracedMemoField } from '../../src/plan/contract/run-events.ts';
import type { Lateness } from '../../src/plan/deadline.ts';
import type { Outcome } from '../../src/plan/shard/totals.ts';
import { emitRunEvent } from '../emit-run-event.ts';

const scheduledStart = defineSearchAttributeKey('TemporalScheduledStartTime', 'DATETIME');

type StartedRun = Pick<RunInput, 'run' | 'plan' | 'carried'>;

/** Emits `run-started` for the first execution of a run, and `run-continued` for each continuation. */
export function emitStarted({ run, plan: { pipeline }, carried }: StartedRun): void {
  if (carried)
    return emitRunEvent({
      kind: 'run-continued',
      pipeline,
      run,
      continuations: carried.continuations,
    });
  const scheduledAtMs = readScheduledAtMs();
  const lagMs = scheduledAtMs === null ? null : Math.max(0, Date.now() - scheduledAtMs);
  emitRunEvent({ kind: 'run-started', pipeline, run, lagMs });
}

/** Emits what a discovery page has added. @param previousDiscovery what was known before the page, or null */
export function emitDiscovered(
  { run, plan: { pipeline } }: StartedRun,
  discovery: Discovery,
  previousDiscovery: Discovery | null,
): void {
  const addedCounts = {
    new: discovery.new - (previousDiscovery?.new ?? 0),
    changed: discovery.changed - (previousDiscovery?.changed ?? 0),
    unchanged: discovery.unchanged - (previousDiscovery?.unchanged ?? 0),
    refused: discovery.refused - (previousDiscovery?.refused ?? 0),
  };
  emitRunEvent({
    kind: 'run-discovered',
    pipeline,
    run,
    added: addedCounts,
    shards: discovery.pages,
  });
}

/** Emits that a run was paused. @param cause code of the cause, or `by hand` if a person paused the run */
export function emitPaused({ run, plan: { pipeline } }: StartedRun, cause = 'by hand'): void {
  emitRunEvent({ kind: 'run-paused', pipeline, run, cause });
}

export function emitLate({ run, plan: { pipeline } }: StartedRun, lateness: Lateness): void {
  emitRunEvent({ kind: 'run-late', pipeline, run, lateness });
}

export function emitResumed({ run, plan: { pipeline } }: StartedRun): void {
  emitRunEvent({ kind: 'run-resumed', pipeline, run });
}

/** Emits `run-finished` with the outcome, totals, duration and number of requests. */
export function emitFinished(
  { run, plan: { pipeline } }: StartedRun,
  { totals, requests, startedAtMs }: Pick<RunContinuation, 'totals' | 'requests' | 'startedAtMs'>,
  { outcome, cause }: { outcome: Outcome; cause: string | undefined },
): void {
  const end = {
    outcome,
    totals: { ...totals },
    seconds: (Date.now() - startedAtMs) / 1_000,
    requests: Object.values(requests).reduce((sum, count) => sum + count, 0),
    ...(cause === undefined ? {} : { cause }),
    hasStart: readScheduledAtMs() !== null || workflowInfo().memo?.[tracedMemoField] === true,
  };
  emitRunEvent({ kind: 'run-finished', pipeline, run, end });
}

/** Returns the start time that a schedule set, or null for runs of people and of event triggers. */
export function readScheduledAtMs(): number | null {
  return workflowInfo().typedSearchAttributes.get(scheduledStart)?.getTime() ?? null;
}
