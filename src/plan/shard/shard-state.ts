// The states of a shard's assets as they pass through the graph of steps. Pure, so that it can be replayed. Assets are
// indexes into the shard's page of the run assets. Everything else about assets is in asset updates in the records
// store. This class keeps only the names of the pages with these updates, and the messages of the first failures.

import type { Failure, Step } from '../types.ts';
import {
  canTrackProceed,
  computeShardWork,
  countSteps,
  countWaits,
  createTrack,
  hasOnlySideSteps,
  isTrackFinished,
  type Track,
  type TrackFailure,
  toAssetOutcome,
} from './asset-track.ts';
import { CellBatcher, type ReadyCalls, type StepEntry } from './cells.ts';
import type { CarriedShardState } from './shard-continuation.ts';
import type {
  Batching,
  CellIndexes,
  ReportedFailure,
  ShardAssetOutcome,
  StepCause,
  StepOutput,
  StepReport,
} from './step-contract.ts';
import { StepGraph } from './step-graph.ts';
import { createTotals, type StepCount, type StepWait, type Totals } from './totals.ts';
import type { ShardWork } from './window.ts';

/** Maximum number of failures whose message is kept. The results in the records store contain all failures. */
const maxFailureTextsKept = 20;

interface InitialAssets {
  /** Assets that had completed all steps before the shard was opened. */
  complete?: readonly number[];
  /** The grid cell of each asset, in the same order. Set only for a grid. */
  cells?: readonly CellIndexes[] | undefined;
}

export class ShardState {
  readonly #graph: StepGraph;
  readonly #tracks = new Map<number, Track>();
  readonly #pages: string[] = [];
  readonly #causes: StepCause[] = [];
  readonly #reportedFailures = new Map<number, ReportedFailure>();
  #cells = new CellBatcher();
  /** Ids of steps that must no longer be started. */
  #closedSteps: ReadonlySet<string> = new Set();
  /** Counts of assets that were finalized before this execution. */
  #earlierCounts: Pick<CarriedShardState, 'totals' | 'steps'> = {
    totals: createTotals(),
    steps: {},
  };

  /** @param pages names of existing pages with updates of the assets */
  constructor(
    steps: readonly Step[],
    assetIndexes: readonly number[],
    pages: readonly string[] = [],
    { complete = [], cells }: InitialAssets = {},
  ) {
    this.#cells = new CellBatcher(cells?.map((cell, index) => [assetIndexes[index] ?? -1, cell]));
    this.#graph = new StepGraph(steps);
    const first = this.#newPages(pages);
    for (const assetIndex of assetIndexes) {
      const track = createTrack({ stepStates: steps.map(() => 'waiting'), pages: [...first] });
      this.#tracks.set(assetIndex, track);
      this.#advance(track);
    }
    for (const assetIndex of complete) {
      const track = createTrack({ stepStates: steps.map(() => 'done'), pages: [...first] });
      this.#tracks.set(assetIndex, track);
    }
  }

  static fromCarried(steps: readonly Step[], carriedState: CarriedShardState): ShardState {
    const state = new ShardState(steps, [], carriedState.pages);
    const pages = carriedState.pages.map((_, index) => index);
    for (const [assetIndex, stepStates, enteredTimes, retries, stopped] of carriedState.open) {
      const times = { enteredAtMs: new Map(enteredTimes), retriesByStep: new Map(retries) };
      const progress = { stepStates: [...stepStates], pages: [...pages], stopped };
      state.#tracks.set(assetIndex, createTrack({ ...progress, ...times }));
    }
    state.#cells = new CellBatcher(carriedState.cells);
    for (const failure of carriedState.reportedFailures)
      state.#reportedFailures.set(failure.assetIndex, failure);
    state.#earlierCounts = { totals: carriedState.totals, steps: carriedState.steps };
    return state;
  }

  /** Returns the state for a continuation. No step may be running. @param pages compacted pages of the open assets */
  carried(pages: readonly string[]): CarriedShardState {
    const openTracks = [...this.#tracks].filter(([, track]) => !track.isFinalized);
    const finalized = [...this.#tracks.values()].filter((track) => track.isFinalized);
    // The continuation counts open assets itself.
    const steps = countSteps(this.#graph, finalized, this.#earlierCounts.steps);
    const totals = this.totals();
    totals.total -= openTracks.length;
    // A stop may have ended some of the open assets. The totals then count these assets by outcome.
    for (const [, track] of openTracks.filter(([, openTrack]) => isTrackFinished(openTrack))) {
      const outcome = this.#outcome(track);
      totals[outcome === 'cancelled' ? 'skipped' : outcome] -= 1;
    }
    const cells = this.#cells.forAssets(openTracks.map(([assetIndex]) => assetIndex));
    return {
      ...(cells.length > 0 ? { cells } : {}),
      pages: [...pages],
      open: openTracks.map(([assetIndex, { stepStates, enteredAtMs, retriesByStep, stopped }]) => {
        return [assetIndex, stepStates, [...enteredAtMs], [...retriesByStep], stopped];
      }),
      totals,
      steps,
      reportedFailures: [...this.#reportedFailures.values()],
    };
  }

  get open(): number[] {
    return [...this.#tracks].flatMap(([index, track]) => (track.isFinalized ? [] : [index]));
  }

  get causes(): readonly StepCause[] {
    return this.#causes;
  }

  /** Stops starting these steps. An asset that would enter one of them is stopped. */
  stop(steps: ReadonlySet<string>): void {
    this.#closedSteps = steps;
    for (const track of this.#tracks.values()) this.#stopEnded(track);
  }

  /** Records the current time for assets that have just become ready, even if their step cannot accept them yet. */
  recordArrivals(nowMs: number): void {
    for (const { stepStates, enteredAtMs } of this.#tracks.values()) {
      stepStates.forEach((stepState, index) => {
        if (stepState === 'ready' && !enteredAtMs.has(index)) enteredAtMs.set(index, nowMs);
      });
    }
  }

  /** Returns all assets that may enter a step now. */
  ready(stepIndex: number, nowMs: number): StepEntry[] {
    const readyEntries: StepEntry[] = [];
    for (const [assetIndex, { stepStates, enteredAtMs }] of this.#tracks) {
      if (stepStates[stepIndex] !== 'ready') continue;
      readyEntries.push({ assetIndex, enteredAtMs: enteredAtMs.get(stepIndex) ?? nowMs });
    }
    return readyEntries;
  }

  /** Like `ready`, and marks them as running. */
  takeReady(stepIndex: number, nowMs: number): StepEntry[] {
    const takenEntries = this.ready(stepIndex, nowMs);
    this.#markRunning(stepIndex, takenEntries);
    return takenEntries;
  }

  /** Like `takeReady`, grouped into calls of the step. Assets that wait for other cells of their group stay ready. */
  takeCalls(stepIndex: number, nowMs: number): ReadyCalls {
    const mayArrive = (assetIndex: number) => {
      const track = this.#tracks.get(assetIndex);
      return (
        track !== undefined && canTrackProceed(track) && track.stepStates[stepIndex] === 'waiting'
      );
    };
    const ready = this.ready(stepIndex, nowMs);
    const readyCalls = this.#cells.callsOf(this.#graph.stepAt(stepIndex), ready, mayArrive, nowMs);
    for (const call of readyCalls.calls) this.#markRunning(stepIndex, call);
    return readyCalls;
  }

  /** Returns how many results a wait collects, so that the calls of the steps after it are full. */
  batchingFor(stepIndex: number): Batching {
    const step = this.#graph.stepAt(stepIndex);
    return this.#cells.batchingFor(step, this.#graph.childrenOf(stepIndex));
  }

  #markRunning(stepIndex: number, entries: readonly StepEntry[]): void {
    for (const { assetIndex, enteredAtMs } of entries) {
      const track = this.#tracks.get(assetIndex);
      if (!track) continue;
      track.stepStates[stepIndex] = 'running';
      track.enteredAtMs.set(stepIndex, enteredAtMs);
    }
  }

  /** Returns the names of the pages with updates of these assets, in the order in which they were written. */
  pagesOf(assetIndexes: Iterable<number>): string[] {
    const indices = new Set<number>();
    for (const [track] of this.#tracksOf(assetIndexes)) {
      for (const page of track.pages) indices.add(page);
    }
    return [...indices].sort((a, b) => a - b).map((index) => this.#pages[index] ?? '');
  }

  /** Adds pages with updates of these assets. */
  addPages(assetIndexes: readonly number[], names: readonly string[]): void {
    const pages = this.#newPages(names);
    for (const [track] of this.#tracksOf(assetIndexes)) track.pages.push(...pages);
  }

  /** Returns warnings that no asset update contains yet, of assets that are not finalized. */
  openWarnings(): [at: number, causes: number[]][] {
    return this.open.flatMap((assetIndex): [number, number[]][] => {
      const { warningCauses: openWarnings = [] } = this.#tracks.get(assetIndex) ?? {};
      return openWarnings.length > 0 ? [[assetIndex, [...openWarnings]]] : [];
    });
  }

  /** Returns the steps that the activity of this step may run after it. Ends before the first stopped step. */
  chainOf(stepIndex: number): Step[] {
    const chain = this.#graph.chainOf(stepIndex).map((index) => this.#graph.stepAt(index));
    const firstClosed = chain.findIndex(({ id }) => this.#closedSteps.has(id));
    return firstClosed < 0 ? chain : chain.slice(0, firstClosed);
  }

  /** Applies the report of an activity. Assets that the report does not mention are ready again. */
  apply(
    stepIndex: number,
    assetIndexes: readonly number[],
    { chain = [], ...report }: StepReport & Pick<StepOutput, 'chain'>,
  ): void {
    const mentioned = this.#applyReport(stepIndex, report);
    const unmentioned = assetIndexes.filter((assetIndex) => !mentioned.has(assetIndex));
    this.release(stepIndex, unmentioned);
    const steps = this.#graph.chainOf(stepIndex);
    chain.forEach((next, index) => this.#applyReport(steps[index] ?? -1, next));
    for (const [track] of this.#tracksOf(assetIndexes)) this.#advance(track);
  }

  #applyReport(stepIndex: number, report: StepReport): Set<number> {
    const pages = this.#newPages(report.pages);
    const mentioned = new Set<number>();
    const visit = (indexes: readonly number[], take: (track: Track, index: number) => void) => {
      for (const [track, assetIndex] of this.#tracksOf(indexes)) {
        mentioned.add(assetIndex);
        take(track, assetIndex);
      }
    };
    const failures = new Map(report.reportedFailures.map((item) => [item.assetIndex, item]));
    const isSideStep = this.#graph.stepAt(stepIndex).isSideStep === true;
    visit(report.done, (track) => {
      track.pages.push(...pages);
      track.stepStates[stepIndex] = 'done';
    });
    visit(report.pruned, (track) => {
      track.stepStates[stepIndex] = isSideStep ? 'done' : 'pruned';
    });
    visit(report.failed, (track, assetIndex) => {
      track.pages.push(...pages);
      this.#fail(track, stepIndex, {}, failures.get(assetIndex));
    });
    visit(report.retry, (track, assetIndex) => {
      track.pages.push(...pages);
      if (this.#retryFromTarget(track, stepIndex)) return;
      const attempts = (track.retriesByStep.get(this.#graph.retryTarget(stepIndex)) ?? 0) + 1;
      this.#fail(track, stepIndex, { attempts }, failures.get(assetIndex));
    });
    return mentioned;
  }

  /** Fails all assets of an activity that failed, or warns (`onFailure: ignore`). @param keyOf for progress queries */
  fail(
    stepIndex: number,
    assetIndexes: readonly number[],
    { code, message }: Pick<StepCause, 'code' | 'message'>,
    keyOf: (assetIndex: number) => string,
  ): void {
    const { node, onFailure } = this.#graph.stepAt(stepIndex);
    const cause = this.#causes.push({ node, code, message }) - 1;
    for (const [track, assetIndex] of this.#tracksOf(assetIndexes)) {
      if (onFailure === 'ignore') {
        track.stepStates[stepIndex] = 'done';
        track.warningCauses.push(cause);
      } else {
        const reportedFailure = { assetIndex, key: keyOf(assetIndex), code, message, attempts: 1 };
        this.#fail(track, stepIndex, { attempts: 1, cause }, reportedFailure);
      }
      this.#advance(track);
    }
  }

  /** Makes assets ready again, because their step did not run. */
  release(stepIndex: number, assetIndexes: readonly number[]): void {
    for (const [track] of this.#tracksOf(assetIndexes)) this.#reopen(track, stepIndex);
  }

  /** Returns assets that have finished since the last call. */
  takeFinalized(): ShardAssetOutcome[] {
    const finalized: ShardAssetOutcome[] = [];
    for (const [assetIndex, track] of this.#tracks) {
      if (track.isFinalized || !isTrackFinished(track)) continue;
      track.isFinalized = true;
      const outcome = this.#outcome(track);
      const stopped = outcome === 'cancelled' ? { isStopped: true as const } : {};
      finalized.push({ ...toAssetOutcome(assetIndex, track, outcome), ...stopped });
    }
    return finalized;
  }

  /** Returns all assets that are not finalized. Unfinished assets are cancelled. Finished ones keep their outcome. */
  takeCancelled(): ShardAssetOutcome[] {
    const cancelled: ShardAssetOutcome[] = [];
    for (const [assetIndex, track] of this.#tracks) {
      if (track.isFinalized) continue;
      track.isFinalized = true;
      const outcome = isTrackFinished(track) ? this.#outcome(track) : 'cancelled';
      cancelled.push(toAssetOutcome(assetIndex, track, outcome));
    }
    return cancelled;
  }

  get isFinished(): boolean {
    for (const track of this.#tracks.values()) if (!isTrackFinished(track)) return false;
    return true;
  }

  get hasOnlySideSteps(): boolean {
    return hasOnlySideSteps(this.#graph, this.#tracks.values());
  }

  work(isHeld: (stepId: string) => boolean): ShardWork {
    return computeShardWork(this.#graph, this.#tracks.values(), isHeld);
  }

  totals(): Totals {
    const totals: Totals = { ...this.#earlierCounts.totals };
    totals.total += this.#tracks.size;
    for (const track of this.#tracks.values()) {
      if (!isTrackFinished(track)) continue;
      const outcome = this.#outcome(track);
      totals[outcome === 'cancelled' ? 'skipped' : outcome] += 1;
    }
    return totals;
  }

  waits(): Record<string, StepWait> {
    return countWaits(this.#graph, [...this.#tracks.values()]);
  }

  counts(): Record<string, StepCount> {
    return countSteps(this.#graph, [...this.#tracks.values()], this.#earlierCounts.steps);
  }

  /** Returns the first few failures, with their messages. */
  failures(): Failure[] {
    return [...this.#reportedFailures.values()].map(
      ({ assetIndex: _index, modelId: _model, node = '', ...failure }) => ({ ...failure, node }),
    );
  }

  /** Returns the model ids of the first few failed assets, for the search attributes. */
  failedModels(): string[] {
    return [...this.#reportedFailures.values()].flatMap(({ modelId }) => modelId ?? []);
  }

  *#tracksOf(assetIndexes: Iterable<number>): Generator<[Track, number]> {
    for (const assetIndex of assetIndexes) {
      const track = this.#tracks.get(assetIndex);
      if (track) yield [track, assetIndex];
    }
  }

  #newPages(names: readonly string[]): number[] {
    return names.map((name) => this.#pages.push(name) - 1);
  }

  /** Returns an asset to the step that restarts the platform's work. Returns false if it may not be retried. */
  #retryFromTarget(track: Track, stepIndex: number): boolean {
    const maxRetries = this.#graph.stepAt(stepIndex).retry?.max ?? 0;
    const target = this.#graph.retryTarget(stepIndex);
    const retries = track.retriesByStep.get(target) ?? 0;
    if (target < 0 || retries >= maxRetries || track.failure) return false;
    track.retriesByStep.set(target, retries + 1);
    for (const index of this.#graph.pathBetween(target, stepIndex)) {
      track.stepStates[index] = index === target ? 'ready' : 'waiting';
      track.enteredAtMs.delete(index);
    }
    return true;
  }

  #fail(
    track: Track,
    stepIndex: number,
    failure: Omit<TrackFailure, 'node'>,
    reportedFailure: ReportedFailure | undefined,
  ): void {
    track.stepStates[stepIndex] = 'failed';
    // Later failures are ignored, because the first failure of an asset counts, even if a parallel branch fails later.
    if (track.failure) return;
    const { node } = this.#graph.stepAt(stepIndex);
    track.failure = { node, ...failure };
    if (!reportedFailure || this.#reportedFailures.size >= maxFailureTextsKept) return;
    const { attempts = reportedFailure.attempts } = failure;
    this.#reportedFailures.set(reportedFailure.assetIndex, { ...reportedFailure, node, attempts });
  }

  #reopen(track: Track, stepIndex: number): void {
    if (track.stepStates[stepIndex] === 'running') track.stepStates[stepIndex] = 'ready';
    this.#stopEnded(track);
  }

  /** Makes a step ready once all its parents are done or pruned, so that it runs once. Prunes it if all are pruned. */
  #advance(track: Track): void {
    this.#stopEnded(track);
    if (!canTrackProceed(track)) return;
    for (let index = 0; index < track.stepStates.length; index += 1) {
      if (track.stepStates[index] !== 'waiting') continue;
      const parents = this.#graph.parentsOf(index).map((parent) => track.stepStates[parent]);
      if (!parents.every((stepState) => stepState === 'done' || stepState === 'pruned')) continue;
      const isReached = parents.length === 0 || parents.includes('done');
      track.stepStates[index] = isReached ? 'ready' : 'pruned';
    }
    this.#stopEnded(track);
  }

  /** An asset that failed or was stopped starts nothing more. Running steps may finish. */
  #stopEnded(track: Track): void {
    const isClosed = (index: number) => this.#closedSteps.has(this.#graph.stepAt(index).id);
    track.stopped ||= track.stepStates.some((state, index) => state === 'ready' && isClosed(index));
    if (canTrackProceed(track)) return;
    track.stepStates = track.stepStates.map((state) => (state === 'ready' ? 'waiting' : state));
  }

  #outcome(track: Track): ShardAssetOutcome['outcome'] {
    if (track.failure) return 'failed';
    if (track.stopped) return 'cancelled';
    return this.#graph.sinks.some((index) => track.stepStates[index] === 'done')
      ? 'complete'
      : 'skipped';
  }
}
