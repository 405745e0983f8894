// The progress of one asset of a shard, step by step. Pure.
import type { SettledAt } from './step-contract.ts';
import type { StepGraph } from './step-graph.ts';
import { addWait, type StepCount, type StepWait } from './totals.ts';
import type { ShardWork } from './window.ts';

/** `ready` may start, `pruned` was skipped, `waiting` has parents that are not done. */
export type Mark = 'waiting' | 'ready' | 'running' | 'done' | 'pruned' | 'failed';

export interface TrackFailure {
  node: string;
  /** Absent: see the results page. */
  attempts?: number;
  /** Index among the causes of the shard; absent: see the results page. */
  cause?: number;
}

export interface Track {
  marks: Mark[];
  /** When it became ready for a step, by step index. */
  enteredAtMs: Map<number, number>;
  /** Number of retries, by the step index at which they start. */
  redone: Map<number, number>;
  /** Indexes of its pages, in the order in which they were written. */
  pages: number[];
  failure: TrackFailure | null;
  /** Indexes of the causes that are its warnings. */
  warned: number[];
  /** The run stopped before the asset was finished. */
  stopped: boolean;
  settled: boolean;
}

export function newTrack(begun: Partial<Track>): Track {
  return {
    marks: [],
    enteredAtMs: new Map(),
    redone: new Map(),
    pages: [],
    failure: null,
    warned: [],
    stopped: false,
    settled: false,
    ...begun,
  };
}

export function isEnded(track: Track): boolean {
  if (track.marks.includes('running') || track.marks.includes('ready')) return false;
  return !goesOn(track) || !track.marks.includes('waiting');
}

function isUnderWay(mark: Mark): boolean {
  return mark === 'running' || mark === 'ready';
}

/** True until the asset fails or is stopped. */
export function goesOn({ failure, stopped }: Pick<Track, 'failure' | 'stopped'>): boolean {
  return failure === null && !stopped;
}

/** True if there is work, and all of it is in side steps. */
export function isOnlyAside(graph: StepGraph, tracks: Iterable<Track>): boolean {
  let some = false;
  for (const { marks } of tracks) {
    for (const [index, mark] of marks.entries()) {
      if (!isUnderWay(mark)) continue;
      if (!graph.at(index).aside) return false;
      some = true;
    }
  }
  return some;
}

/** Calls of side steps do not count. */
export function workOf(graph: StepGraph, tracks: Iterable<Track>): ShardWork {
  const isCall = (index: number) => graph.at(index).mode === 'call' && !graph.at(index).aside;
  const work = { open: 0, atCalls: 0 };
  for (const track of tracks) {
    if (isEnded(track)) continue;
    work.open += 1;
    if (track.marks.some((mark, index) => isUnderWay(mark) && isCall(index))) work.atCalls += 1;
  }
  return work;
}

/** Number of assets in each state, by step id, added to `before`. */
export function countSteps(
  graph: StepGraph,
  tracks: readonly Track[],
  before: Readonly<Record<string, StepCount>>,
): Record<string, StepCount> {
  const counts: Record<string, StepCount> = {};
  graph.steps.forEach((step, index) => {
    const count = { waiting: 0, running: 0, done: 0, failed: 0, ...before[step.id] };
    for (const track of tracks) {
      const mark = track.marks[index];
      if (mark === 'running') count.running += 1;
      else if (mark === 'done' || mark === 'pruned') count.done += 1;
      else if (mark === 'failed') count.failed += 1;
      else if (goesOn(track)) count.waiting += 1;
    }
    counts[step.id] = count;
  });
  return counts;
}

/** Assets in waiting steps, by step id. */
export function countWaits(graph: StepGraph, tracks: readonly Track[]): Record<string, StepWait> {
  const waits: Record<string, StepWait> = {};
  for (const [index, { id, mode, activity }] of graph.steps.entries()) {
    if (mode !== 'wait') continue;
    for (const { marks, enteredAtMs } of tracks) {
      const sinceMs = enteredAtMs.get(index);
      if (marks[index] !== 'running' || sinceMs === undefined) continue;
      addWait(waits, id, { activity, assets: 1, sinceMs });
    }
  }
  return waits;
}

/** What the shard writes about a finished asset. */
export function settledAt(
  at: number,
  { failure, warned }: Track,
  outcome: SettledAt['outcome'],
): SettledAt {
  return {
    at,
    outcome,
    ...(failure && outcome === 'failed' ? { failure } : {}),
    ...(warned.length > 0 ? { warned } : {}),
  };
}
