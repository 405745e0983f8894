// Totals of a run (counts, steps, requests and first failures), and the part that a continuation takes over.

import { workflowInfo } from '@temporalio/workflow';
import type {
  Discovery,
  RunContinuation,
  RunInput,
  ShardCount,
  ShardResult,
} from '../../src/plan/contract/contract.ts';
import { unshardedTotalsOf } from '../../src/plan/contract/sharding.ts';
import { takeFitting } from '../../src/plan/helpers/bytes.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { ContinuedHold, ContinuedShard } from '../../src/plan/run/run-continuation.ts';
import type { OtherRunAssets } from '../../src/plan/shard/step-contract.ts';
import type { ShardProgress } from '../../src/plan/shard/totals.ts';
import {
  addReport,
  addTotals,
  copyOfSums,
  countUnfinished,
  createTotals,
  type ReportedSums,
} from '../../src/plan/shard/totals.ts';
import type { Failure } from '../../src/plan/types.ts';
import { toWithdrawnFields, type WithdrawnCounts } from '../../src/plan/withdrawal.ts';
import { eventsToClose } from '../continue-unless-cancelled.ts';

/** Limits for the failures in a run's result. The results in the records store contain all failures. */
const maxCarriedFailures = { count: 200, bytes: 30_000 };
/** Maximum number of other runs that are listed as holders of assets. */
const maxCarriedRuns = 20;
/** Maximum number of models in the search attributes, which hold a few dozen. */
const maxCarriedModels = 50;

export class RunTotals {
  readonly carried: Omit<RunContinuation, 'discovery'>;

  constructor(continuation: RunContinuation | undefined, nowMs: number) {
    this.carried = continuation ?? {
      startedAtMs: nowMs,
      nextShard: 0,
      totals: createTotals(),
      steps: {},
      failures: [],
      failedModels: [],
      requests: {},
      historyEvents: 0,
      continuations: 0,
    };
  }

  /** Counts of withdrawn assets. Empty if the run has withdrawn nothing. */
  get withdrawn(): { withdrawn?: WithdrawnCounts } {
    return toWithdrawnFields(this.carried.withdrawn);
  }

  /** What notices and the report need from the totals. */
  get summary() {
    const { startedAtMs, requests } = this.carried;
    return { startedAtMs, requests, ...this.withdrawn };
  }

  /** Counts the history events of all executions, including their close. Publishing the outcome adds one. */
  historyEvents({ searchable }: Pick<RunInput, 'searchable'>): number {
    const toClose = eventsToClose + (searchable ? 1 : 0);
    return this.carried.historyEvents + workflowInfo().historyLength + toClose;
  }

  /**
   * Adds assets that go to no shard, each once per run: the totals of a continuation already include earlier ones.
   * @param previousDiscovery what was found and added before. Null if this is the first discovery of the execution
   */
  addDiscovery(discovery: Discovery, previousDiscovery: Discovery | null): void {
    if (!previousDiscovery && this.carried.continuations > 0) return;
    const { total, failed, skipped } = previousDiscovery
      ? unshardedTotalsOf(previousDiscovery)
      : createTotals();
    const currentTotals = unshardedTotalsOf(discovery);
    const failures = discovery.refusals ?? [];
    addTotals(this.carried.totals, {
      total: currentTotals.total - total,
      complete: 0,
      failed: currentTotals.failed - failed,
      skipped: currentTotals.skipped - skipped,
    });
    this.#addFailures(failures.slice(previousDiscovery?.refusals?.length ?? 0));
  }

  /** Returns the state for a continuation, without empty fields. */
  carriedWith(
    discovery: Discovery,
    {
      open,
      gate,
      stopped,
    }: { open: ContinuedShard[]; gate: ContinuedHold | null; stopped: RunCause | null },
  ): RunContinuation {
    const { open: _open, gate: _gate, stopped: _stopped, ...sums } = this.carried;
    return {
      ...sums,
      discovery,
      ...(open.length > 0 ? { open } : {}),
      ...(gate ? { gate } : {}),
      ...(stopped ? { stopped } : {}),
    };
  }

  /** Returns how often the run has asked for an approval, this time included. */
  addApprovalRequest(): number {
    this.carried.approvalRequests = (this.carried.approvalRequests ?? 0) + 1;
    return this.carried.approvalRequests;
  }

  addFinishedShard(result: ShardResult): void {
    const { carried } = this;
    addReport(carried, result);
    this.#addFailures(result.failures);
    const room = Math.max(maxCarriedModels - carried.failedModels.length, 0);
    carried.failedModels.push(...result.failedModels.slice(0, room));
    this.#addTakenByOtherRuns(result.takenByOtherRuns);
  }

  /** Adds the last report of a cancelled shard. With `failure` the run continues, and unfinished assets fail. */
  addCancelledShard(report: Partial<ShardProgress>, failure?: Failure): void {
    addReport(this.carried, report);
    const unfinishedCount = failure ? countUnfinished(report.totals ?? createTotals()) : 0;
    this.carried.totals.failed += unfinishedCount;
    this.#addFailures([
      ...(report.failures ?? []),
      ...(failure && unfinishedCount > 0 ? [failure] : []),
    ]);
  }

  /** Adds a broken shard: the results that it had written, and failures for the rest of its assets. */
  addBrokenShard(size: number, results: ShardCount, failure: Failure): void {
    const { complete, failed, skipped } = results.totals;
    const lostCount = Math.max(size - complete - failed - skipped, 0);
    const totals = { total: size, complete, failed: failed + lostCount, skipped };
    addTotals(this.carried.totals, totals);
    this.#addFailures([...results.failures, ...(lostCount > 0 ? [failure] : [])]);
  }

  /** Returns the totals including the last reports of open shards. */
  withReports(reports: readonly Partial<ShardProgress>[]): ReportedSums & { failures: Failure[] } {
    const sums = copyOfSums(this.carried);
    const failures = [...this.carried.failures];
    for (const report of reports) {
      addReport(sums, report);
      failures.push(...(report.failures ?? []));
    }
    return { ...sums, failures: takeFitting(failures, maxCarriedFailures) };
  }

  #addTakenByOtherRuns(otherRuns: readonly OtherRunAssets[]): void {
    const carriedRuns = this.carried.takenByOtherRuns ?? [];
    for (const otherRun of otherRuns) {
      const carriedRun = carriedRuns.find(({ run }) => run === otherRun.run);
      if (carriedRun) carriedRun.assets += otherRun.assets;
      else if (carriedRuns.length < maxCarriedRuns) carriedRuns.push({ ...otherRun });
    }
    if (carriedRuns.length > 0) this.carried.takenByOtherRuns = carriedRuns;
  }

  #addFailures(failures: readonly Failure[]): void {
    const earlierFailures = this.carried.failures;
    this.carried.failures = takeFitting([...earlierFailures, ...failures], maxCarriedFailures);
  }
}
