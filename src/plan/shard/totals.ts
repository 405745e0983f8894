import type { Failure } from '../types.ts';
import type { StepHold } from './step-contract.ts';
import type { Load } from './window.ts';

/** Numbers of assets of a shard or of a run. */
export interface Totals {
  total: number;
  complete: number;
  failed: number;
  skipped: number;
}

export type Outcome = 'complete' | 'partial_failure' | 'failed' | 'cancelled';

export interface StepCount {
  waiting: number;
  running: number;
  done: number;
  failed: number;
}

/** Assets that wait: in a step of mode `wait`, or for the end of a hold. */
export interface StepWait {
  /** Activity of the step, which is its type. */
  activity: string;
  assets: number;
  /** When the first of the assets became ready for the step, epoch ms. */
  sinceMs: number;
  /** The hold that the assets wait for. If absent, they wait in a step of mode `wait`. */
  hold?: StepHold;
}

/** Response of the `progress` query of a shard, and payload of its report to the run. */
export interface ShardProgress {
  shard: number;
  totals: Totals;
  /** Number of assets in each state now, by step id. */
  steps: Record<string, StepCount>;
  failures: Failure[];
  /** API requests so far, by operation. */
  requests?: Record<string, number>;
  historyEvents?: number;
  /** Assets that wait, by step id. Set only in responses to the query. */
  waits?: Record<string, StepWait>;
  /** Load of the worker, as its last activity reported it. Absent if the worker has ample capacity. */
  load?: Load;
}

/** Figures that shards report and a run adds up. */
export type ReportedSums = Required<
  Pick<ShardProgress, 'totals' | 'steps' | 'requests' | 'historyEvents'>
>;

export function copyOfSums({ totals, steps, requests, historyEvents }: ReportedSums): ReportedSums {
  return { totals: { ...totals }, steps: { ...steps }, requests: { ...requests }, historyEvents };
}

export function addReport(into: ReportedSums, report: Partial<ReportedSums>): void {
  addTotals(into.totals, report.totals ?? createTotals());
  addSteps(into.steps, report.steps ?? {});
  addRequests(into.requests, report.requests ?? {});
  into.historyEvents += report.historyEvents ?? 0;
}

export function createTotals(): Totals {
  return { total: 0, complete: 0, failed: 0, skipped: 0 };
}

/** Counts the assets without an outcome. */
export function countUnfinished({ total, complete, failed, skipped }: Totals): number {
  return total - complete - failed - skipped;
}

/** Input of `stepsLeft`: the run's totals and the shards' last reports. `lastReport` is empty before the first one. */
export interface StepFigures {
  totals: Totals;
  openShards: readonly { lastReport: Partial<Pick<ShardProgress, 'totals' | 'steps'>> }[];
}

/** Counts the steps left for unfinished assets. An asset that no report includes counts with all its steps. */
export function countRemainingSteps(
  { totals, openShards }: StepFigures,
  stepsPerAsset: number,
): number {
  let reportedAssets = 0;
  let remainingSteps = 0;
  for (const { lastReport } of openShards) {
    const counts = Object.values(lastReport.steps ?? {});
    if (counts.length > 0) reportedAssets += countUnfinished(lastReport.totals ?? createTotals());
    for (const { waiting, running } of counts) remainingSteps += waiting + running;
  }
  return remainingSteps + Math.max(0, countUnfinished(totals) - reportedAssets) * stepsPerAsset;
}

export function addTotals(totals: Totals, increment: Totals): void {
  totals.total += increment.total;
  totals.complete += increment.complete;
  totals.failed += increment.failed;
  totals.skipped += increment.skipped;
}

/** Returns `failed` only if every asset failed. Skipped assets, such as unchanged ones, count as succeeded. */
export function outcomeOf(totals: Totals): Outcome {
  if (totals.failed === 0) return 'complete';
  return totals.failed < totals.total ? 'partial_failure' : 'failed';
}

export function addSteps(
  counts: Record<string, StepCount>,
  increment: Readonly<Record<string, StepCount>>,
): void {
  for (const [step, count] of Object.entries(increment)) {
    const sum = counts[step] ?? { waiting: 0, running: 0, done: 0, failed: 0 };
    counts[step] = {
      waiting: sum.waiting + count.waiting,
      running: sum.running + count.running,
      done: sum.done + count.done,
      failed: sum.failed + count.failed,
    };
  }
}

export function addRequests(
  requests: Record<string, number>,
  increment: Record<string, number>,
): void {
  for (const [operation, count] of Object.entries(increment)) {
    requests[operation] = (requests[operation] ?? 0) + count;
  }
}

/** Adds assets that wait in a step. The earliest start time is kept. */
export function addWait(waits: Record<string, StepWait>, step: string, wait: StepWait): void {
  const sum = waits[step] ?? { ...wait, assets: 0 };
  const sinceMs = Math.min(sum.sinceMs, wait.sinceMs);
  waits[step] = { ...sum, assets: sum.assets + wait.assets, sinceMs };
}
