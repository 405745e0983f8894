// Where each asset of a shard stands: the DAG algorithm. Pure, so that it replays.
import type { SettledAsset, StepCount, Totals } from './contract.ts';
import type {
  Asset,
  AssetResult,
  DeliveredFile,
  Failure,
  Refs,
  SoFar,
  Step,
  StepAsset,
} from './types.ts';

/** Files and warnings of an asset that a step aside is told of: a hundred assets fit into one input. */
const filesTold = 20;

/** `ready` may start, `pruned` was passed over, `waiting` has parents that are not done. */
type Mark = 'waiting' | 'ready' | 'running' | 'done' | 'pruned' | 'failed';

interface Track {
  asset: Asset;
  marks: Mark[];
  enteredAtMs: (number | null)[];
  /** How often the asset went back, by the step that it went back to. */
  redone: Map<number, number>;
  files: DeliveredFile[];
  warnings: string[];
  failure: Failure | null;
  /** The run stopped before the asset came to its end. */
  stopped: boolean;
  settled: boolean;
}

export class ShardState {
  readonly #steps: readonly Step[];
  readonly #parents: number[][];
  readonly #sinks: number[];
  readonly #tracks = new Map<string, Track>();
  /** Ids of steps that are not started any more. */
  #closed: ReadonlySet<string> = new Set();

  constructor(steps: readonly Step[], assets: readonly Asset[]) {
    this.#steps = steps;
    const indexOf = new Map(steps.map((step, index) => [step.id, index]));
    this.#parents = steps.map((step) =>
      step.parents.map((id) => indexOf.get(id)).filter((index) => index !== undefined),
    );
    const withChildren = new Set(this.#parents.flat());
    this.#sinks = steps.map((_, index) => index).filter((index) => !withChildren.has(index));
    for (const asset of assets) {
      const track: Track = {
        asset,
        marks: steps.map(() => 'waiting'),
        enteredAtMs: steps.map(() => null),
        redone: new Map(),
        files: [],
        warnings: [],
        failure: null,
        stopped: false,
        settled: false,
      };
      this.#tracks.set(asset.key, track);
      this.#advance(track);
    }
  }

  /** Starts these steps no more; an asset that would enter one has come to its end. */
  stop(steps: ReadonlySet<string>): void {
    this.#closed = steps;
    for (const track of this.#tracks.values()) this.#stopEnded(track);
  }

  /** Notes when assets came to their steps, also those that a step cannot take at once. */
  noteArrivals(nowMs: number): void {
    for (const track of this.#tracks.values()) {
      track.marks.forEach((mark, index) => {
        if (mark === 'ready') track.enteredAtMs[index] ??= nowMs;
      });
    }
  }

  /** All assets that may enter a step now, marked as running there. */
  takeReady(stepIndex: number, nowMs: number): StepAsset[] {
    const step = this.#stepAt(stepIndex);
    const taken: StepAsset[] = [];
    for (const track of this.#tracks.values()) {
      if (track.marks[stepIndex] !== 'ready') continue;
      track.marks[stepIndex] = 'running';
      const enteredAtMs = track.enteredAtMs[stepIndex] ?? nowMs;
      track.enteredAtMs[stepIndex] = enteredAtMs;
      const waiting =
        step.mode === 'wait' ? { enteredAtMs, deadlineMs: enteredAtMs + step.timeoutMs } : {};
      const soFar = step.aside ? { soFar: soFarOf(track) } : {};
      taken.push({ ...track.asset, ...waiting, ...soFar });
    }
    return taken;
  }

  hasReady(stepIndex: number): boolean {
    for (const track of this.#tracks.values()) {
      if (track.marks[stepIndex] === 'ready') return true;
    }
    return false;
  }

  /** Is an asset still on its way into the step? */
  hasUpstream(stepIndex: number): boolean {
    for (const track of this.#tracks.values()) {
      const mark = track.marks[stepIndex];
      if ((mark === 'waiting' || mark === 'ready') && goesOn(track)) return true;
    }
    return false;
  }

  /** Takes what an activity said about the assets it was given; unmentioned ones are open again. */
  apply(stepIndex: number, given: readonly StepAsset[], results: readonly AssetResult[]): void {
    const byKey = new Map(results.map((result) => [result.key, result]));
    for (const { key } of given) {
      const track = this.#tracks.get(key);
      if (!track) continue;
      const result = byKey.get(key);
      if (result) this.#applyOne(track, stepIndex, result);
      else this.#open(track, stepIndex);
      this.#advance(track);
    }
  }

  /** The step did not happen: its assets may enter it again. */
  release(stepIndex: number, given: readonly StepAsset[]): void {
    for (const { key } of given) {
      const track = this.#tracks.get(key);
      if (track) this.#open(track, stepIndex);
    }
  }

  /** Assets that have come to their end since the last call. */
  takeSettled(): SettledAsset[] {
    const settled: SettledAsset[] = [];
    for (const track of this.#tracks.values()) {
      if (track.settled || !isEnded(track)) continue;
      track.settled = true;
      settled.push(this.#settledAsset(track, this.#outcome(track)));
    }
    return settled;
  }

  /** Every asset that has not come to its end, as cancelled. */
  takeCancelled(): SettledAsset[] {
    const left: SettledAsset[] = [];
    for (const track of this.#tracks.values()) {
      if (track.settled) continue;
      track.settled = true;
      left.push(this.#settledAsset(track, isEnded(track) ? this.#outcome(track) : 'cancelled'));
    }
    return left;
  }

  get ended(): boolean {
    for (const track of this.#tracks.values()) if (!isEnded(track)) return false;
    return true;
  }

  /** Is there work, and all of it in steps aside? */
  get onlyAside(): boolean {
    let some = false;
    for (const track of this.#tracks.values()) {
      for (const [index, mark] of track.marks.entries()) {
        if (mark !== 'running' && mark !== 'ready') continue;
        if (!this.#stepAt(index).aside) return false;
        some = true;
      }
    }
    return some;
  }

  totals(): Totals {
    const totals: Totals = { total: this.#tracks.size, complete: 0, failed: 0, skipped: 0 };
    for (const track of this.#tracks.values()) {
      if (!isEnded(track)) continue;
      const outcome = this.#outcome(track);
      totals[outcome === 'cancelled' ? 'skipped' : outcome] += 1;
    }
    return totals;
  }

  counts(): Record<string, StepCount> {
    const counts: Record<string, StepCount> = {};
    this.#steps.forEach((step, index) => {
      const count: StepCount = { waiting: 0, running: 0, done: 0, failed: 0 };
      for (const track of this.#tracks.values()) {
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

  failures(): Failure[] {
    return [...this.#tracks.values()].flatMap((track) => (track.failure ? [track.failure] : []));
  }

  /** Model ids of failed assets, for the search attributes. */
  failedModels(): string[] {
    return [...this.#tracks.values()].flatMap((track) =>
      track.failure && track.asset.refs.modelId ? [track.asset.refs.modelId] : [],
    );
  }

  #applyOne(track: Track, stepIndex: number, result: AssetResult): void {
    if ('refs' in result && result.refs) track.asset = withRefs(track.asset, result.refs);
    switch (result.outcome) {
      case 'done':
        track.marks[stepIndex] = 'done';
        track.files.push(...(result.files ?? []));
        track.warnings.push(...(result.warnings ?? []));
        return;
      case 'pruned':
        track.marks[stepIndex] = this.#stepAt(stepIndex).aside ? 'done' : 'pruned';
        return;
      case 'redo':
        if (this.#goBack(track, stepIndex)) return;
        this.#fail(track, stepIndex, result.code, result.message, this.#tries(track, stepIndex));
        return;
      case 'failed':
        if (this.#stepAt(stepIndex).onFailure === 'ignore') {
          track.marks[stepIndex] = 'done';
          track.warnings.push(`${this.#stepAt(stepIndex).node}: ${result.message}`);
          return;
        }
        this.#fail(track, stepIndex, result.code, result.message, result.attempts ?? 1);
        for (const name of result.forget ?? []) {
          const { [name]: _dropped, ...kept } = track.asset.refs;
          track.asset = { ...track.asset, refs: kept };
        }
    }
  }

  /** Sends an asset back to the step that starts the platform's work again; false when it may not. */
  #goBack(track: Track, stepIndex: number): boolean {
    const redo = this.#stepAt(stepIndex).redo;
    const target = this.#targetOf(stepIndex);
    const redone = track.redone.get(target) ?? 0;
    if (!redo || target < 0 || redone >= redo.max || track.failure) return false;
    // From a step that does not lead here the asset would never come back, and hang.
    if (!this.#reaches(target, stepIndex)) return false;
    track.redone.set(target, redone + 1);
    track.asset = withRefs(track.asset, { retries: redone + 1 });
    for (let index = target; index <= stepIndex; index += 1) {
      if (this.#isBetween(target, index, stepIndex)) {
        track.marks[index] = index === target ? 'ready' : 'waiting';
        track.enteredAtMs[index] = null;
      }
    }
    return true;
  }

  /** Index of the step that a failure of the platform's work goes back to; -1 where there is none. */
  #targetOf(stepIndex: number): number {
    const { redo } = this.#stepAt(stepIndex);
    return redo ? this.#steps.findIndex((step) => step.id === redo.step) : -1;
  }

  #tries(track: Track, stepIndex: number): number {
    return (track.redone.get(this.#targetOf(stepIndex)) ?? 0) + 1;
  }

  /** Is `middle` on a path from `from` to `to`, both included? */
  #isBetween(from: number, middle: number, to: number): boolean {
    return this.#reaches(from, middle) && this.#reaches(middle, to);
  }

  #reaches(from: number, to: number): boolean {
    if (from === to) return true;
    return (this.#parents[to] ?? []).some((parent) => this.#reaches(from, parent));
  }

  #fail(track: Track, stepIndex: number, code: string, message: string, attempts: number): void {
    track.marks[stepIndex] = 'failed';
    // The first failure is the asset's; a parallel branch that fails later adds nothing to it.
    track.failure ??= {
      key: track.asset.key,
      node: this.#stepAt(stepIndex).node,
      code,
      message,
      attempts,
    };
  }

  #open(track: Track, stepIndex: number): void {
    if (track.marks[stepIndex] === 'running') track.marks[stepIndex] = 'ready';
    this.#stopEnded(track);
  }

  /** Moves every step on whose parents are all done: a join runs once, after all of them. */
  #advance(track: Track): void {
    this.#stopEnded(track);
    if (!goesOn(track)) return;
    for (let index = 0; index < this.#steps.length; index += 1) {
      if (track.marks[index] !== 'waiting') continue;
      const parents = (this.#parents[index] ?? []).map((parent) => track.marks[parent]);
      if (!parents.every((mark) => mark === 'done' || mark === 'pruned')) continue;
      const reached = parents.length === 0 || parents.includes('done');
      track.marks[index] = reached ? 'ready' : 'pruned';
    }
    this.#stopEnded(track);
  }

  /** An asset that failed or was stopped starts nothing any more; what runs may end. */
  #stopEnded(track: Track): void {
    const isClosed = (index: number) => this.#closed.has(this.#stepAt(index).id);
    track.stopped ||= track.marks.some((mark, index) => mark === 'ready' && isClosed(index));
    if (goesOn(track)) return;
    track.marks = track.marks.map((mark) => (mark === 'ready' ? 'waiting' : mark));
  }

  #outcome(track: Track): SettledAsset['outcome'] {
    if (track.failure) return 'failed';
    if (track.stopped) return 'cancelled';
    return this.#sinks.some((index) => track.marks[index] === 'done') ? 'complete' : 'skipped';
  }

  #settledAsset(track: Track, outcome: SettledAsset['outcome']): SettledAsset {
    const { asset, files, warnings, failure } = track;
    return { ...asset, outcome, files, warnings, failure };
  }

  #stepAt(index: number): Step {
    const step = this.#steps[index];
    if (!step) throw new RangeError(`no step ${index}`);
    return step;
  }
}

function isEnded(track: Track): boolean {
  if (track.marks.includes('running') || track.marks.includes('ready')) return false;
  return !goesOn(track) || !track.marks.includes('waiting');
}

function goesOn({ failure, stopped }: Track): boolean {
  return failure === null && !stopped;
}

function withRefs({ refs: before, ...asset }: Asset, more: Refs): Asset {
  // Nodes side by side tell of one asset, each knowing only of its own notice.
  const notices = more.notices && { notices: { ...before.notices, ...more.notices } };
  return { ...asset, refs: { ...before, ...more, ...notices } };
}

function soFarOf({ files, warnings }: Track): SoFar {
  const filesTotal = files.length;
  return { files: files.slice(0, filesTold), filesTotal, warnings: warnings.slice(0, filesTold) };
}
