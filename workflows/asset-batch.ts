// One shard of a run. Assets stream through it: each moves on as soon as its parents are done, and all assets that
// are ready in one activation share calls. Knows step modes, but no node types.
import {
  CancellationScope,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { type Taken } from '../src/plan/cells.ts';
import type { ShardInput, ShardResult } from '../src/plan/contract.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import { ShardState } from '../src/plan/shard-state.ts';
import type { Gathering, StepOutput, TakenBy } from '../src/plan/step-contract.ts';
import type { ShardProgress } from '../src/plan/totals.ts';
import { addRequests } from '../src/plan/totals.ts';
import type { Step } from '../src/plan/types.ts';
import { booksOf } from './activity-options.ts';
import { Alarm } from './alarm.ts';
import { callStep } from './call-step.ts';
import { cancelRemote } from './cancel-remote.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { shardDetails } from './details.ts';
import { assetFailureOf, orCancelled, runCauseOf } from './failures.ts';
import { pause, resume, shardProgress, stop } from './messages.ts';
import { refuseWithoutPlan } from './refuse-start.ts';
import { RunReporter } from './run-reporter.ts';
import { ShardSettling } from './shard-settling.ts';
import { ShardWaits } from './shard-waits.ts';

/** A shard that has had only side steps left for this time makes room for another. */
const parkAfterMs = 10_000;
/** Events after the history's length was read: the last workflow task completes and the execution closes. */
const eventsToClose = 2;
/** The workflow task that signals the shard's end, the signal's two events, and the next task's first two. */
const eventsToTell = 5;

export async function assetBatch(input: ShardInput): Promise<ShardResult> {
  refuseWithoutPlan(input);
  return new Shard(input).run();
}

class Shard {
  readonly #input: ShardInput;
  readonly #books: ReturnType<typeof booksOf>;
  readonly #steps: Step[];
  readonly #submits: ReadonlySet<string>;
  readonly #alarm = new Alarm(() => {
    this.#dirty = true;
  });
  readonly #waits: ShardWaits;
  readonly #settling: ShardSettling;
  readonly #run: RunReporter;
  readonly #startedAtMs: number;
  readonly #requests: Record<string, number>;
  readonly #keys = new Map<number, string>();
  #state: ShardState;
  #taken: TakenBy[];
  #part: number;
  #paused: boolean;
  /** The run's time of the newest pause or resume signal. */
  #heardMs: number;
  #stopped: boolean;
  #dirty = true;
  #parked = false;
  #running = 0;
  #runningCalls = 0;
  #isSettling = false;
  #cancelling = false;
  /** True before the shard continues as new: it starts nothing more. */
  #leaving = false;
  #fatal: unknown = null;

  constructor(input: ShardInput) {
    const { plan, carried } = input;
    this.#input = input;
    this.#books = booksOf(input.context);
    this.#steps = plan.steps;
    this.#submits = new Set(plan.tolerate?.submits);
    this.#startedAtMs = carried?.startedAtMs ?? Date.now();
    this.#run = new RunReporter(input, this.#startedAtMs);
    this.#waits = new ShardWaits(carried?.tookMs);
    this.#settling = new ShardSettling(this.#startedAtMs);
    this.#requests = { ...carried?.requests };
    this.#taken = carried?.taken ?? [];
    this.#part = carried?.part ?? 0;
    this.#stopped = carried?.stopped ?? false;
    this.#paused = input.paused;
    this.#heardMs = carried?.heardMs ?? 0;
    this.#state = new ShardState(this.#steps, []);
    setHandler(shardProgress, () => ({ ...this.#progress(), waits: this.#state.waits() }));
    setHandler(pause, (sinceMs) => {
      if (this.#isNews(sinceMs)) this.#paused = true;
    });
    setHandler(resume, (sinceMs) => {
      if (!this.#isNews(sinceMs)) return;
      this.#paused = false;
      this.#dirty = true;
    });
    setHandler(stop, () => {
      this.#stopped = true;
      this.#state.stop(this.#submits);
      this.#dirty = true;
    });
  }

  async run(): Promise<ShardResult> {
    try {
      await this.#open();
      if (this.#stopped) this.#state.stop(this.#submits);
      while (!this.#state.ended || this.#running > 0 || this.#isSettling) {
        this.#dirty = false;
        this.#leaving ||= workflowInfo().continueAsNewSuggested && !this.#state.ended;
        if (this.#leaving) await this.#leave();
        else this.#startReady();
        this.#settleDue();
        await this.#report();
        await this.#tellPace();
        await this.#untilNews();
        if (this.#fatal) throw this.#fatal;
      }
      this.#settling.add(this.#state.takeSettled(), Date.now());
      await this.#settleAll();
    } catch (error) {
      if (!isCancellation(error)) throw error;
      await CancellationScope.nonCancellable(() => this.#cancelled());
      throw error;
    }
    const result = this.#result();
    await this.#run.ended(result, 'done');
    return result;
  }

  #result(): ShardResult {
    return {
      ...this.#progress(),
      failedModels: this.#state.failedModels(),
      taken: this.#taken,
      historyEvents: this.#historyEvents() + (this.#input.many ? eventsToTell : 0) + eventsToClose,
    };
  }

  /** Claims the shard's assets, unless an earlier execution has. A cause of the run delays this until a resume. */
  async #open(): Promise<void> {
    const { context, shard, carried, takeOverMs } = this.#input;
    if (carried) {
      this.#state = ShardState.carriedOn(this.#steps, carried.state);
      for (const [at, key] of carried.keys) this.#keys.set(at, key);
      return;
    }
    const { open_shard } = this.#books;
    const opened = await this.#held(() =>
      open_shard({ context, shard, ...(takeOverMs === undefined ? {} : { takeOverMs }) }),
    );
    const { assets, complete, keys, taken, pages, cells } = opened;
    this.#run.hear(opened);
    this.#taken = taken;
    [...assets, ...complete].forEach((at, index) => this.#keys.set(at, keys[index] ?? ''));
    this.#state = new ShardState(this.#steps, assets, pages, { complete, cells });
  }

  /** Repeats the work each time a cause has stopped the run and somebody has resumed it. */
  async #held<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (thrown) {
        const error = orCancelled(thrown);
        const cause = runCauseOf(error);
        if (!cause) throw error;
        await this.#hold(cause);
        await condition(() => !this.#paused);
      }
    }
  }

  /** Waits for a change. A shard with only side steps left makes room for others, since these may take hours. */
  async #untilNews(): Promise<void> {
    const isDirty = () => this.#dirty;
    const { onlyAside } = this.#state;
    if (!this.#dirty && this.#parked !== onlyAside) {
      if (onlyAside && (await condition(isDirty, parkAfterMs))) return;
      this.#parked = onlyAside;
      await this.#run.parked(onlyAside);
      // Results are written now, since the side steps may take hours.
      if (onlyAside && this.#settling.size > 0) this.#startSettling();
    }
    await condition(isDirty);
  }

  #startReady(): void {
    const nowMs = Date.now();
    this.#state.noteArrivals(nowMs);
    this.#steps.forEach((step, index) => {
      if (step.mode === 'wait') return this.#startWaits(step, index, nowMs);
      if (this.#paused) return;
      const { calls, askAgainAtMs } = this.#state.takeCalls(index, nowMs);
      for (const taken of calls) this.#start(step, index, taken, null);
      if (askAgainAtMs !== null) this.#alarm.by(askAgainAtMs, `${step.id} · colorways`);
    });
  }

  /** Waits only read, so they continue while the run is paused. */
  #startWaits(step: Step, index: number, nowMs: number): void {
    const arrivals = this.#state.ready(index, nowMs);
    if (arrivals.length === 0) return;
    const decision = this.#waits.decide(step.id, arrivals, nowMs);
    if (decision === null) return;
    if (!decision.begin) {
      this.#alarm.by(decision.askAgainAtMs, `${step.id} · batching`);
    } else if (decision.merge.length > 0) {
      this.#waits.interrupt(decision.merge);
    } else {
      this.#start(step, index, this.#state.takeReady(index, nowMs), this.#state.gatherFor(index));
    }
  }

  #start(step: Step, index: number, taken: Taken[], gather: Gathering | null): void {
    const given = taken.map(({ at }) => at);
    const pages = this.#state.pagesOf(given);
    const chain = this.#state.chainOf(index);
    const call = () =>
      callStep(this.#input, { step, chain, taken, pages, gather, keyOf: (at) => this.#keyOf(at) });
    this.#running += 1;
    // Side steps, such as notices, may be retried for hours.
    const isBrief = gather === null && !step.aside;
    if (isBrief) this.#runningCalls += 1;
    (isBrief ? call() : this.#waits.run(step.id, taken, call))
      .then(
        (output) => this.#done(step, index, taken, output),
        (error: unknown) => this.#failed(index, given, orCancelled(error)),
      )
      .finally(() => {
        this.#running -= 1;
        if (isBrief) this.#runningCalls -= 1;
        this.#dirty = true;
      })
      .catch(() => undefined);
  }

  #done(step: Step, index: number, taken: readonly Taken[], output: StepOutput): void {
    addRequests(this.#requests, output.requests);
    this.#run.hear(output);
    if (step.mode === 'wait') {
      const through = new Set(output.done);
      const came = taken.filter(({ at }) => through.has(at));
      this.#waits.through(step.id, came, Date.now());
    }
    this.#state.apply(
      index,
      taken.map(({ at }) => at),
      output,
    );
    if (output.stop) void this.#hold(output.stop).catch(() => undefined);
  }

  #failed(index: number, given: number[], error: unknown): void {
    const cause = runCauseOf(error);
    if (cause || isCancellation(error)) {
      this.#state.release(index, given);
      if (cause) void this.#hold(cause).catch(() => undefined);
      return;
    }
    this.#state.fail(index, given, assetFailureOf(error), (at) => this.#keyOf(at));
  }

  #keyOf(at: number): string {
    return this.#keys.get(at) ?? '';
  }

  /** True unless a newer signal was received. A signal sent by hand has no time and always counts. */
  #isNews(sinceMs = this.#heardMs): boolean {
    if (sinceMs < this.#heardMs) return false;
    this.#heardMs = sinceMs;
    return true;
  }

  /** Stops submitting and reports the cause to the run, which decides when to continue. */
  async #hold(cause: RunCause): Promise<void> {
    if (this.#paused) return;
    this.#paused = true;
    await this.#run.cause(cause);
  }

  #settleDue(): void {
    this.#settling.add(this.#state.takeSettled(), Date.now());
    const dueMs = this.#settling.dueMs();
    if (dueMs === null || this.#isSettling) return;
    if (dueMs <= Date.now()) this.#startSettling();
    else if (!this.#state.ended) this.#alarm.by(dueMs, 'write results');
  }

  #startSettling(): void {
    if (this.#isSettling) return;
    this.#isSettling = true;
    this.#settleAll()
      .catch((error: unknown) => {
        this.#fatal ??= error;
      })
      .finally(() => {
        this.#isSettling = false;
        this.#dirty = true;
      });
  }

  /** Writes records and results. A cause that stops the run, such as a full disk, delays this, and nothing is lost. */
  async #settleAll(renderGoesOn?: string): Promise<void> {
    const { context, shard, plan } = this.#input;
    const { supersede } = plan;
    while (this.#settling.size > 0) {
      const settled = this.#settling.take();
      const part = this.#part;
      this.#part += 1;
      try {
        await this.#held(async () => {
          const report = await this.#books.settle({
            context,
            shard,
            part,
            settled,
            pages: this.#state.pagesOf(settled.map(({ at }) => at)),
            causes: [...this.#state.causes],
            // A run that is being cancelled deletes nothing.
            ...(supersede ? { superseded: this.#cancelling ? 'later' : 'delete' } : {}),
            ...(renderGoesOn === undefined ? {} : { renderGoesOn }),
          });
          addRequests(this.#requests, report?.requests ?? {});
        });
      } catch (error) {
        // They are finalized again, together with the results of the cancel.
        if (isCancellation(error)) this.#settling.putBack(settled);
        throw error;
      }
    }
  }

  /** Continues as new once nothing is running: awaits calls, and interrupts waits, which then start again. */
  async #leave(): Promise<void> {
    if (this.#runningCalls > 0 || this.#isSettling) return;
    if (this.#running > 0) return this.#waits.interruptAll();
    this.#settling.add(this.#state.takeSettled(), Date.now());
    await this.#settleAll();
    const { context, shard, carried: _before, ...input } = this.#input;
    const open = this.#state.open;
    const { pages } = await this.#held(() =>
      this.#books.fold({
        context,
        shard,
        assets: open,
        pages: this.#state.pagesOf(open),
        causes: [...this.#state.causes],
        warned: this.#state.warned(),
      }),
    );
    await continueUnlessCancelled<typeof assetBatch>([
      {
        ...input,
        context,
        shard,
        paused: this.#paused,
        carried: {
          startedAtMs: this.#startedAtMs,
          state: this.#state.carried(pages),
          keys: open.map((at) => [at, this.#keyOf(at)]),
          taken: this.#taken,
          stopped: this.#stopped,
          heardMs: this.#heardMs,
          ...this.#run.carried(),
          part: this.#part,
          tookMs: this.#waits.tookMs,
          requests: this.#requests,
          historyEvents: this.#historyEvents() + eventsToClose,
        },
      },
    ]);
  }

  async #cancelled(): Promise<void> {
    this.#cancelling = true;
    // A call in flight may still create something, which must be known before it can be cancelled.
    await condition(() => this.#running === 0 && !this.#isSettling);
    const settled = this.#state.takeCancelled();
    const why = await cancelRemote(this.#input, this.#state, settled, this.#requests);
    this.#settling.add(settled, Date.now());
    await this.#settleAll(why);
    await this.#run.ended(this.#result(), 'cancelled');
  }

  #progress(): Required<Omit<ShardProgress, 'load' | 'waits'>> {
    const totals = this.#state.totals();
    for (const { assets } of this.#taken) {
      totals.total += assets;
      totals.skipped += assets;
    }
    return {
      shard: this.#input.shard,
      totals,
      steps: this.#state.counts(),
      failures: this.#state.failures(),
      requests: this.#requests,
      historyEvents: this.#historyEvents(),
    };
  }

  /** History events of all executions so far. */
  #historyEvents(): number {
    return (this.#input.carried?.historyEvents ?? 0) + workflowInfo().historyLength;
  }

  async #report(): Promise<void> {
    const progress = this.#progress();
    setCurrentDetails(shardDetails(this.#input.plan, progress, this.#paused));
    if (!this.#state.ended) await this.#run.progress(progress);
  }

  async #tellPace(): Promise<void> {
    if (this.#paused) return;
    const againAtMs = await this.#run.pace(this.#state);
    if (againAtMs !== null) this.#alarm.by(againAtMs, 'check if all assets wait');
  }
}
