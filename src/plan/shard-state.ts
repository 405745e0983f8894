// The state of a shard's assets: the DAG algorithm. Pure, so that it can be replayed. Assets are indexes into the
// shard's page of the manifest. Everything else about them is in pages of the records store, of which this class
// keeps only the names.
import {
  countSteps,
  countWaits,
  goesOn,
  isEnded,
  isOnlyAside,
  newTrack,
  settledAt,
  type Track,
  type TrackFailure,
  workOf,
} from './asset-track.ts';
import type { CarriedState } from './carried-shard.ts';
import { type Calls, Cells, type Taken } from './cells.ts';
import type {
  CellAt,
  Gathering,
  SettledAt,
  StepCause,
  StepOutput,
  StepReport,
  ToldFailure,
} from './step-contract.ts';
import { StepGraph } from './step-graph.ts';
import type { StepCount, StepWait, Totals } from './totals.ts';
import { noTotals } from './totals.ts';
import type { Failure, Step } from './types.ts';
import type { ShardWork } from './window.ts';

/** Failures whose text is kept; the results pages have all of them. */
const textsKept = 20;

interface OpenedWith {
  /** Assets that completed all steps earlier. */
  complete?: readonly number[];
  /** The grid cell of each asset, in the same order; only for a colorway grid. */
  cells?: readonly CellAt[] | undefined;
}

export class ShardState {
  readonly #graph: StepGraph;
  readonly #tracks = new Map<number, Track>();
  readonly #pages: string[] = [];
  readonly #causes: StepCause[] = [];
  readonly #told = new Map<number, ToldFailure>();
  #cells = new Cells();
  /** Ids of steps that must not be started any more. */
  #closed: ReadonlySet<string> = new Set();
  /** Counts of assets that were finalized before this execution. */
  #before: Pick<CarriedState, 'totals' | 'steps'> = { totals: noTotals(), steps: {} };

  /** @param pages pages about the assets from before */
  constructor(
    steps: readonly Step[],
    positions: readonly number[],
    pages: readonly string[] = [],
    { complete = [], cells }: OpenedWith = {},
  ) {
    this.#cells = new Cells(cells?.map((cell, index) => [positions[index] ?? -1, cell]));
    this.#graph = new StepGraph(steps);
    const first = this.#newPages(pages);
    for (const at of positions) {
      const track = newTrack({ marks: steps.map(() => 'waiting'), pages: [...first] });
      this.#tracks.set(at, track);
      this.#advance(track);
    }
    for (const at of complete) {
      this.#tracks.set(at, newTrack({ marks: steps.map(() => 'done'), pages: [...first] }));
    }
  }

  static carriedOn(steps: readonly Step[], carried: CarriedState): ShardState {
    const state = new ShardState(steps, [], carried.pages);
    const pages = carried.pages.map((_, index) => index);
    for (const [at, marks, entered, redone, stopped] of carried.open) {
      const track = newTrack({ marks: [...marks], pages: [...pages], stopped });
      state.#tracks.set(at, {
        ...track,
        enteredAtMs: new Map(entered),
        redone: new Map(redone),
      });
    }
    state.#cells = new Cells(carried.cells);
    for (const told of carried.told) state.#told.set(told.at, told);
    state.#before = { totals: carried.totals, steps: carried.steps };
    return state;
  }

  /** For the continuation, once nothing is running. @param pages compacted pages about its open assets */
  carried(pages: readonly string[]): CarriedState {
    const open = [...this.#tracks].filter(([, { settled }]) => !settled);
    const ended = [...this.#tracks.values()].filter(({ settled }) => settled);
    // The continuation counts open assets itself.
    const steps = countSteps(this.#graph, ended, this.#before.steps);
    const totals = this.totals();
    totals.total -= open.length;
    const cells = this.#cells.of(open.map(([at]) => at));
    return {
      ...(cells.length > 0 ? { cells } : {}),
      pages: [...pages],
      open: open.map(([at, { marks, enteredAtMs, redone, stopped }]) => [
        at,
        marks,
        [...enteredAtMs],
        [...redone],
        stopped,
      ]),
      totals,
      steps,
      told: [...this.#told.values()],
    };
  }

  /** Indexes of the assets that are not finalized. */
  get open(): number[] {
    return [...this.#tracks].flatMap(([at, { settled }]) => (settled ? [] : [at]));
  }

  get causes(): readonly StepCause[] {
    return this.#causes;
  }

  /** Stops starting these steps. An asset that would enter one of them is finished. */
  stop(steps: ReadonlySet<string>): void {
    this.#closed = steps;
    for (const track of this.#tracks.values()) this.#stopEnded(track);
  }

  /** Records when assets became ready for their steps, even if the step cannot take them yet. */
  noteArrivals(nowMs: number): void {
    for (const { marks, enteredAtMs } of this.#tracks.values()) {
      marks.forEach((mark, index) => {
        if (mark === 'ready' && !enteredAtMs.has(index)) enteredAtMs.set(index, nowMs);
      });
    }
  }

  /** All assets that may enter a step now. */
  ready(stepIndex: number, nowMs: number): Taken[] {
    const ready: Taken[] = [];
    for (const [at, { marks, enteredAtMs }] of this.#tracks) {
      if (marks[stepIndex] !== 'ready') continue;
      ready.push({ at, enteredAtMs: enteredAtMs.get(stepIndex) ?? nowMs });
    }
    return ready;
  }

  /** Like `ready`, and marks them as running. */
  takeReady(stepIndex: number, nowMs: number): Taken[] {
    const taken = this.ready(stepIndex, nowMs);
    this.#take(stepIndex, taken);
    return taken;
  }

  /** Like `takeReady`, grouped into calls of the step. Assets that wait for other colorways of their model stay ready. */
  takeCalls(stepIndex: number, nowMs: number): Calls {
    const mayCome = (at: number) => {
      const track = this.#tracks.get(at);
      return track !== undefined && goesOn(track) && track.marks[stepIndex] === 'waiting';
    };
    const ready = this.ready(stepIndex, nowMs);
    const found = this.#cells.callsOf(this.#graph.at(stepIndex), ready, mayCome, nowMs);
    for (const taken of found.calls) this.#take(stepIndex, taken);
    return found;
  }

  /** Number of assets that fill the calls of the steps after a wait, and number of these calls. */
  gatherFor(stepIndex: number): Gathering {
    return this.#cells.gatheringFor(this.#graph.at(stepIndex), this.#graph.after(stepIndex));
  }

  #take(stepIndex: number, taken: readonly Taken[]): void {
    for (const { at, enteredAtMs } of taken) {
      const track = this.#tracks.get(at);
      if (!track) continue;
      track.marks[stepIndex] = 'running';
      track.enteredAtMs.set(stepIndex, enteredAtMs);
    }
  }

  /** Names of the pages about these assets, in the order in which they were written. */
  pagesOf(positions: Iterable<number>): string[] {
    const indices = new Set<number>();
    for (const at of positions) {
      for (const page of this.#tracks.get(at)?.pages ?? []) indices.add(page);
    }
    return [...indices].sort((a, b) => a - b).map((index) => this.#pages[index] ?? '');
  }

  /** Adds pages about these assets. */
  addPages(positions: readonly number[], names: readonly string[]): void {
    const pages = this.#newPages(names);
    for (const at of positions) this.#tracks.get(at)?.pages.push(...pages);
  }

  /** Warnings that are in no page yet, of assets that are not finalized. */
  warned(): [at: number, causes: number[]][] {
    return this.open.flatMap((at): [number, number[]][] => {
      const { warned = [] } = this.#tracks.get(at) ?? {};
      return warned.length > 0 ? [[at, [...warned]]] : [];
    });
  }

  /** The steps that the activity of a step may run afterwards. */
  chainOf(stepIndex: number): Step[] {
    const chain = this.#graph.chainOf(stepIndex).map((index) => this.#graph.at(index));
    const closed = chain.findIndex(({ id }) => this.#closed.has(id));
    return closed < 0 ? chain : chain.slice(0, closed);
  }

  /** Applies the report of an activity. Assets that the report does not mention are ready again. */
  apply(
    stepIndex: number,
    given: readonly number[],
    { chain = [], ...report }: StepReport & Pick<StepOutput, 'chain'>,
  ): void {
    const mentioned = this.#note(stepIndex, report);
    for (const at of given) {
      const track = this.#tracks.get(at);
      if (track && !mentioned.has(at)) this.#open(track, stepIndex);
    }
    const steps = this.#graph.chainOf(stepIndex);
    chain.forEach((next, index) => this.#note(steps[index] ?? -1, next));
    for (const at of given) {
      const track = this.#tracks.get(at);
      if (track) this.#advance(track);
    }
  }

  /** Returns the indexes that the report mentions. */
  #note(stepIndex: number, report: StepReport): Set<number> {
    const pages = this.#newPages(report.pages);
    const mentioned = new Set<number>();
    const each = (positions: readonly number[], take: (track: Track, at: number) => void) => {
      for (const at of positions) {
        const track = this.#tracks.get(at);
        if (!track) continue;
        mentioned.add(at);
        take(track, at);
      }
    };
    const texts = new Map(report.told.map((told) => [told.at, told]));
    const isAside = this.#graph.at(stepIndex).aside === true;
    each(report.done, (track) => {
      track.pages.push(...pages);
      track.marks[stepIndex] = 'done';
    });
    each(report.pruned, (track) => {
      track.marks[stepIndex] = isAside ? 'done' : 'pruned';
    });
    each(report.failed, (track, at) => {
      track.pages.push(...pages);
      this.#fail(track, stepIndex, {}, texts.get(at));
    });
    each(report.redo, (track, at) => {
      track.pages.push(...pages);
      if (this.#goBack(track, stepIndex)) return;
      const attempts = (track.redone.get(this.#graph.redoTarget(stepIndex)) ?? 0) + 1;
      this.#fail(track, stepIndex, { attempts }, texts.get(at));
    });
    return mentioned;
  }

  /** Fails all assets of an activity that itself failed. @param keyOf key of an asset, for progress queries */
  fail(
    stepIndex: number,
    given: readonly number[],
    { code, message }: Pick<StepCause, 'code' | 'message'>,
    keyOf: (at: number) => string,
  ): void {
    const { node, onFailure } = this.#graph.at(stepIndex);
    const cause = this.#causes.push({ node, code, message }) - 1;
    for (const at of given) {
      const track = this.#tracks.get(at);
      if (!track) continue;
      if (onFailure === 'ignore') {
        track.marks[stepIndex] = 'done';
        track.warned.push(cause);
      } else {
        const told = { at, key: keyOf(at), code, message, attempts: 1 };
        this.#fail(track, stepIndex, { attempts: 1, cause }, told);
      }
      this.#advance(track);
    }
  }

  /** The step did not run, so its assets may enter it again. */
  release(stepIndex: number, given: readonly number[]): void {
    for (const at of given) {
      const track = this.#tracks.get(at);
      if (track) this.#open(track, stepIndex);
    }
  }

  /** Assets that have finished since the last call. */
  takeSettled(): SettledAt[] {
    const settled: SettledAt[] = [];
    for (const [at, track] of this.#tracks) {
      if (track.settled || !isEnded(track)) continue;
      track.settled = true;
      settled.push(settledAt(at, track, this.#outcome(track)));
    }
    return settled;
  }

  /** All unfinished assets, as cancelled. */
  takeCancelled(): SettledAt[] {
    const left: SettledAt[] = [];
    for (const [at, track] of this.#tracks) {
      if (track.settled) continue;
      track.settled = true;
      left.push(settledAt(at, track, isEnded(track) ? this.#outcome(track) : 'cancelled'));
    }
    return left;
  }

  get ended(): boolean {
    for (const track of this.#tracks.values()) if (!isEnded(track)) return false;
    return true;
  }

  /** True if there is work, and all of it is in side steps. */
  get onlyAside(): boolean {
    return isOnlyAside(this.#graph, this.#tracks.values());
  }

  /** Number of open assets, and of those in calls or in calls that only the pause prevents. */
  get work(): ShardWork {
    return workOf(this.#graph, this.#tracks.values());
  }

  totals(): Totals {
    const totals: Totals = { ...this.#before.totals };
    totals.total += this.#tracks.size;
    for (const track of this.#tracks.values()) {
      if (!isEnded(track)) continue;
      const outcome = this.#outcome(track);
      totals[outcome === 'cancelled' ? 'skipped' : outcome] += 1;
    }
    return totals;
  }

  waits(): Record<string, StepWait> {
    return countWaits(this.#graph, [...this.#tracks.values()]);
  }

  counts(): Record<string, StepCount> {
    return countSteps(this.#graph, [...this.#tracks.values()], this.#before.steps);
  }

  /** The first few, with their texts. */
  failures(): Failure[] {
    const failures: Failure[] = [];
    for (const { at: _at, modelId: _model, node = '', ...failure } of this.#told.values()) {
      failures.push({ ...failure, node });
    }
    return failures;
  }

  /** Model ids of the first few failed assets, for the search attributes. */
  failedModels(): string[] {
    return [...this.#told.values()].flatMap(({ modelId }) => modelId ?? []);
  }

  #newPages(names: readonly string[]): number[] {
    return names.map((name) => this.#pages.push(name) - 1);
  }

  /** Returns an asset to the step that restarts the platform's work; false if no retry is left. */
  #goBack(track: Track, stepIndex: number): boolean {
    const max = this.#graph.at(stepIndex).redo?.max ?? 0;
    const target = this.#graph.redoTarget(stepIndex);
    const redone = track.redone.get(target) ?? 0;
    if (target < 0 || redone >= max || track.failure) return false;
    track.redone.set(target, redone + 1);
    for (const index of this.#graph.between(target, stepIndex)) {
      track.marks[index] = index === target ? 'ready' : 'waiting';
      track.enteredAtMs.delete(index);
    }
    return true;
  }

  #fail(
    track: Track,
    stepIndex: number,
    failure: Omit<TrackFailure, 'node'>,
    told: ToldFailure | undefined,
  ): void {
    track.marks[stepIndex] = 'failed';
    // The first failure is the asset's. A parallel branch that fails later does not replace it.
    if (track.failure) return;
    const { node } = this.#graph.at(stepIndex);
    track.failure = { node, ...failure };
    if (!told || this.#told.size >= textsKept) return;
    const { attempts = told.attempts } = failure;
    this.#told.set(told.at, { ...told, node, attempts });
  }

  #open(track: Track, stepIndex: number): void {
    if (track.marks[stepIndex] === 'running') track.marks[stepIndex] = 'ready';
    this.#stopEnded(track);
  }

  /** Makes every step ready whose parents are all done. A join therefore runs once, after all of them. */
  #advance(track: Track): void {
    this.#stopEnded(track);
    if (!goesOn(track)) return;
    for (let index = 0; index < track.marks.length; index += 1) {
      if (track.marks[index] !== 'waiting') continue;
      const parents = this.#graph.parentsOf(index).map((parent) => track.marks[parent]);
      if (!parents.every((mark) => mark === 'done' || mark === 'pruned')) continue;
      const reached = parents.length === 0 || parents.includes('done');
      track.marks[index] = reached ? 'ready' : 'pruned';
    }
    this.#stopEnded(track);
  }

  /** An asset that failed or was stopped starts nothing more. Running steps may finish. */
  #stopEnded(track: Track): void {
    const isClosed = (index: number) => this.#closed.has(this.#graph.at(index).id);
    track.stopped ||= track.marks.some((mark, index) => mark === 'ready' && isClosed(index));
    if (goesOn(track)) return;
    track.marks = track.marks.map((mark) => (mark === 'ready' ? 'waiting' : mark));
  }

  #outcome(track: Track): SettledAt['outcome'] {
    if (track.failure) return 'failed';
    if (track.stopped) return 'cancelled';
    return this.#graph.sinks.some((index) => track.marks[index] === 'done')
      ? 'complete'
      : 'skipped';
  }
}
