// The progress of one asset of a shard, step by step. Pure.
import type { ShardAssetOutcome } from './step-contract.ts';
import type { StepGraph } from './step-graph.ts';
import { addWait, type StepCount, type StepWait } from './totals.ts';
import type { ShardWork } from './window.ts';

/** `ready` may start, `pruned` was skipped, `waiting` may not start (a parent is not done, or the asset has ended). */
export type StepState = 'waiting' | 'ready' | 'running' | 'done' | 'pruned' | 'failed';

export interface TrackFailure {
  node: string;
  /** Number of attempts. If absent, the number is in the asset update that the failed step wrote. */
  attempts?: number;
  /** Index of the cause in the shard's causes. If absent, the failed step's asset update has code and message. */
  cause?: number;
}

export interface Track {
  stepStates: StepState[];
  /** When the asset became ready for a step, by step index. */
  enteredAtMs: Map<number, number>;
  retriesByStep: Map<number, number>;
  /** Indexes into the shard's list of pages with asset updates: those about this asset, in the order of writing. */
  pages: number[];
  failure: TrackFailure | null;
  /** Indexes of the shard's causes that are warnings of the asset. */
  warningCauses: number[];
  /** True if the run stopped before the asset was finished. */
  stopped: boolean;
  isFinalized: boolean;
}

export function createTrack(initial: Partial<Track>): Track {
  return {
    stepStates: [],
    enteredAtMs: new Map(),
    retriesByStep: new Map(),
    pages: [],
    failure: null,
    warningCauses: [],
    stopped: false,
    isFinalized: false,
    ...initial,
  };
}

export function isTrackFinished(track: Track): boolean {
  if (track.stepStates.includes('running') || track.stepStates.includes('ready')) return false;
  return !canTrackProceed(track) || !track.stepStates.includes('waiting');
}

function isStepActive(state: StepState): boolean {
  return state === 'running' || state === 'ready';
}

/** True until the asset fails or is stopped. */
export function canTrackProceed({ failure, stopped }: Pick<Track, 'failure' | 'stopped'>): boolean {
  return failure === null && !stopped;
}

/** True if there is work, and all of it is in side steps. */
export function hasOnlySideSteps(graph: StepGraph, tracks: Iterable<Track>): boolean {
  let hasActiveStep = false;
  for (const { stepStates } of tracks) {
    for (const [index, state] of stepStates.entries()) {
      if (!isStepActive(state)) continue;
      if (!graph.stepAt(index).isSideStep) return false;
      hasActiveStep = true;
    }
  }
  return hasActiveStep;
}

/**
 * Counts open assets, and those in calls or ready for them. Calls of side steps do not count, nor do held assets.
 * @param isHeld true for the id of a step that currently does not accept assets
 */
export function computeShardWork(
  graph: StepGraph,
  tracks: Iterable<Track>,
  isHeld: (stepId: string) => boolean,
): ShardWork {
  const isInCall = (state: StepState, index: number) => {
    const { id, mode, isSideStep } = graph.stepAt(index);
    if (mode !== 'call' || isSideStep) return false;
    return state === 'running' || (state === 'ready' && !isHeld(id));
  };
  const shardWork = { open: 0, inCalls: 0 };
  for (const track of tracks) {
    if (isTrackFinished(track)) continue;
    shardWork.open += 1;
    if (track.stepStates.some(isInCall)) shardWork.inCalls += 1;
  }
  return shardWork;
}

/**
 * Counts assets by step id and state, added to `earlierCounts`. Pruned is done. Stopped and failed assets do not wait.
 */
export function countSteps(
  graph: StepGraph,
  tracks: readonly Track[],
  earlierCounts: Readonly<Record<string, StepCount>>,
): Record<string, StepCount> {
  const counts: Record<string, StepCount> = {};
  graph.steps.forEach((step, index) => {
    const count = { waiting: 0, running: 0, done: 0, failed: 0, ...earlierCounts[step.id] };
    for (const track of tracks) {
      const state = track.stepStates[index];
      if (state === 'running') count.running += 1;
      else if (state === 'done' || state === 'pruned') count.done += 1;
      else if (state === 'failed') count.failed += 1;
      else if (canTrackProceed(track)) count.waiting += 1;
    }
    counts[step.id] = count;
  });
  return counts;
}

/** Counts assets in waiting steps, by step id. Includes assets that are ready but not yet in a wait activity. */
export function countWaits(graph: StepGraph, tracks: readonly Track[]): Record<string, StepWait> {
  const waits: Record<string, StepWait> = {};
  for (const [index, { id, mode, activity }] of graph.steps.entries()) {
    if (mode !== 'wait') continue;
    for (const { stepStates, enteredAtMs } of tracks) {
      const sinceMs = enteredAtMs.get(index);
      const state = stepStates[index];
      if (state === undefined || !isStepActive(state) || sinceMs === undefined) continue;
      addWait(waits, id, { activity, assets: 1, sinceMs });
    }
  }
  return waits;
}

/** Returns the outcome of a finished asset, as the shard sends it to `finalizeAssets`. */
export function toAssetOutcome(
  assetIndex: number,
  { failure, warningCauses }: Track,
  outcome: ShardAssetOutcome['outcome'],
): ShardAssetOutcome {
  return {
    assetIndex,
    outcome,
    ...(failure && outcome === 'failed' ? { failure } : {}),
    ...(warningCauses.length > 0 ? { warningCauses } : {}),
  };
}
