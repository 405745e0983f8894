// One run: discovers, keeps a bounded window of shards, adds up, and says how it ended.
import {
  CancellationScope,
  ChildWorkflowFailure,
  ContinueAsNew,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  proxyActivities,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Activities,
  type Discovery,
  type OwnCode,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunStart,
  type ShardResult,
  workflowIds,
} from '../src/plan/contract.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import { type RunContext, runContextOf } from '../src/plan/run-context.ts';
import { sizeOfShard, takenOf, unstartedTotals } from '../src/plan/shares.ts';
import { breachOf } from '../src/plan/tolerance.ts';
import {
  addTotals,
  noTotals,
  type Outcome,
  outcomeOf,
  type ShardProgress,
} from '../src/plan/totals.ts';
import { bookkeeping } from './activity-options.ts';
import { runDetails } from './details.ts';
import { assetFailureOf, runCauseOf } from './failures.ts';
import { Listing } from './listing.ts';
import {
  approve,
  pause,
  resume,
  runProgress,
  shardCause,
  shardParked,
  shardReport,
  stop,
} from './messages.ts';
import { named } from './named.ts';
import { OpenShards } from './open-shards.ts';
import { refuseOtherName, refuseWithoutPlan } from './refuse-start.ts';
import { RunBooks } from './run-books.ts';
import { RunGate } from './run-gate.ts';
import { startNotices } from './run-notice.ts';
import { failureOf, resultOf } from './run-result.ts';
import { publishOutcome } from './search-attributes.ts';
import { startShard } from './start-shard.ts';

const { count_shard, end_strays } = proxyActivities<Activities>(bookkeeping);

/** Events after the history's length was read: the last workflow task completes and the execution closes. */
const eventsToClose = 2;
export async function pipelineRun(start: RunStart): Promise<RunResult> {
  refuseWithoutPlan(start);
  refuseOtherName(start);
  return new Run(named(start)).run();
}

class Run {
  readonly #input: RunInput;
  readonly #context: RunContext;
  #state: RunProgress['state'] = 'discovering';
  readonly #gate: RunGate;
  /** Why the run begins nothing new; null while it may. */
  #stopped: RunCause | null = null;
  #toldMs = 0;
  readonly #books: RunBooks;
  #discovery: Discovery | null;
  readonly #open = new OpenShards();
  readonly #listing: Listing;

  constructor(input: RunInput) {
    const { plan, run, lineage, epoch, carried } = input;
    this.#input = input;
    this.#context = runContextOf(plan, { run, lineage, epoch });
    this.#discovery = carried?.discovery ?? null;
    this.#gate = new RunGate(input);
    this.#books = new RunBooks(carried, Date.now());
    this.#listing = new Listing(input, this.#context, {
      found: (discovery) => this.#found(discovery),
      pause: (cause) => this.#pause(cause),
      isPaused: () => this.#gate.paused,
      isStopped: () => this.#stopped !== null,
      requests: this.#books.carried.requests,
    });
    setHandler(runProgress, () => this.#progress());
    setHandler(pause, () => this.#pause(null));
    setHandler(resume, () => this.#resume());
    setHandler(approve, () => {
      this.#gate.approve();
      if (this.#gate.approved) this.#books.carried.approved = true;
      this.#publish();
    });
    setHandler(shardReport, (progress) => {
      this.#open.report(progress);
      this.#checkTolerance();
      this.#publish();
    });
    setHandler(shardCause, (_shard, cause) => this.#pause(cause));
    setHandler(shardParked, (shard, parked) => this.#open.park(shard, parked));
  }

  async run(): Promise<RunResult> {
    let found: Discovery;
    this.#publish();
    try {
      found = this.#discovery ?? (await this.#listing.begin());
      this.#found(found);
      found = await this.#runShards(found);
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      if (!isCancellation(error)) {
        this.#stopped = runCauseOf(error);
        this.#publish();
        if (this.#input.searchable) this.#publishOutcome('failed');
        await this.#tellReceivers('failed', this.#progress(), this.#stopped);
        throw error;
      }
      await CancellationScope.nonCancellable(async () => {
        this.#state = 'cancelling';
        this.#gate.refuse();
        this.#publish();
        this.#cancelShards();
        await condition(() => this.#open.size === 0 && !this.#listing.isBusy);
        await this.#endStrays();
        if (this.#input.searchable) this.#publishOutcome('cancelled');
        await this.#tellReceivers('cancelled', this.#progress());
      });
      throw error;
    }
    return this.#finish(found);
  }

  /** Takes what was found so far, again after each stretch of the listing. */
  #found(discovery: Discovery): void {
    const before = this.#discovery === discovery ? null : this.#discovery;
    this.#discovery = discovery;
    this.#books.found(discovery, before);
    this.#gate.found(discovery);
    if (this.#state === 'discovering') this.#state = 'running';
    this.#checkTolerance();
  }

  /** Keeps the window full. Continues as new only when all shards have ended, since a successor cannot await children of its predecessor. */
  async #runShards(first: Discovery): Promise<Discovery> {
    const { window } = this.#input.plan;
    const listing = this.#listing;
    let found = first;
    void listing.goOn(first);
    while (this.#hasMore(found) || this.#open.size > 0 || listing.isBusy) {
      this.#askOnce();
      const draining = workflowInfo().continueAsNewSuggested && this.#hasMore(found);
      const isIdle = this.#open.size === 0 && !listing.isBusy;
      // A continuation would lose the pause and the deadline, so a run that is held stays.
      if (draining && isIdle && !this.#gate.held) await this.#continue(found);
      while (!draining && this.#open.busy < window && this.#mayStart(found)) {
        await this.#startShard(this.#books.carried.nextShard);
        this.#books.carried.nextShard += 1;
      }
      this.#publish();
      const { size, busy } = this.#open;
      const { held } = this.#gate;
      const { isBusy } = listing;
      await condition(
        () =>
          this.#open.size < size ||
          this.#open.busy < busy ||
          this.#gate.held !== held ||
          this.#discovery !== found ||
          listing.isBusy !== isBusy,
      );
      found = this.#discovery ?? found;
    }
    listing.throwIfFailed();
    return found;
  }

  #mayStart(discovery: Discovery): boolean {
    const { held } = this.#gate;
    // Starting a shard cannot be cancelled, so a cancel takes effect between two of them.
    if (CancellationScope.current().consideredCancelled) return false;
    const { nextShard } = this.#books.carried;
    return !held && !this.#stopped && nextShard < discovery.pages && !this.#gate.bars(nextShard);
  }

  /** Asks for approval once the canary is done. Without an answer in time the run ends, even while it is paused. */
  #askOnce(): void {
    if (this.#stopped || this.#open.busy > 0) return;
    if (!this.#gate.mustAsk(this.#books.carried.nextShard)) return;
    this.#gate
      .untilApproved()
      .then((approved) => {
        if (!approved) this.#expire();
      })
      // Fails only by a cancel, which the run hears of itself.
      .catch(() => undefined);
    const progress = this.#progress();
    const question = this.#gate.question(progress.totals);
    this.#tellReceivers('waiting', progress, question).catch(() => undefined);
  }

  #expire(): void {
    this.#stopped = this.#gate.expire();
    this.#tellShards(resume, this.#sinceMs());
    this.#tellShards(stop);
  }

  #hasMore(discovery: Discovery): boolean {
    const hasPages = this.#books.carried.nextShard < discovery.pages;
    return !this.#stopped && (hasPages || this.#listing.hasMore(discovery));
  }

  async #startShard(shard: number): Promise<void> {
    const { plan, takeOverMs } = this.#input;
    this.#open.start(shard);
    const { paused } = this.#gate;
    const more = takeOverMs === undefined ? {} : { takeOverMs };
    const child = await startShard({ plan, context: this.#context, shard, paused, ...more });
    child
      .result()
      .then(
        (result) => this.#shardDone(result),
        (error: unknown) => this.#shardFailed(shard, error),
      )
      .catch(() => undefined);
    // While it was starting, the shard missed signals to all shards.
    if (this.#stopped) await child.signal(stop).catch(() => undefined);
    if (this.#gate.paused !== paused) {
      const told = this.#gate.paused ? pause : resume;
      await child.signal(told, this.#sinceMs()).catch(() => undefined);
    }
  }

  #shardDone(result: ShardResult): void {
    this.#open.end(result.shard);
    this.#books.shardDone(result);
    this.#checkTolerance();
  }

  /** Counts a shard that broke. Of its progress only what it had written is known. */
  async #shardFailed(shard: number, error: unknown): Promise<void> {
    const key = workflowIds.shard(this.#input.run, shard);
    const broke = { key, node: '', attempts: 1 };
    if (isCancellation(error)) {
      const report = this.#reportOf(shard, this.#open.end(shard));
      // A cancelled run cancels its shards itself.
      const byHand = this.#state !== 'cancelling';
      this.#books.shardCancelled(report, byHand ? { ...broke, ...shardCancelled } : undefined);
      if (byHand) this.#checkTolerance();
      return;
    }
    const { message } = assetFailureOf(error instanceof ChildWorkflowFailure ? error.cause : error);
    const written = await CancellationScope.nonCancellable(() =>
      count_shard({ context: this.#context, shard }),
    ).catch(() => ({ totals: noTotals(), failures: [], why: null }));
    this.#open.end(shard);
    const failure = {
      ...broke,
      code: 'SHARD_FAILED' satisfies OwnCode,
      message: written.why ?? message,
    };
    this.#books.shardBroke(this.#sizeOf(shard), written, failure);
    this.#checkTolerance();
  }

  /** Report of a shard. One that has not opened yet does not know its assets, so their number comes from the discovery. */
  #reportOf(shard: number, last: ShardProgress | null): Partial<ShardProgress> {
    return { ...last, totals: { ...noTotals(), ...last?.totals, total: this.#sizeOf(shard) } };
  }

  #sizeOf(shard: number): number {
    return sizeOfShard(this.#discovery, this.#input.plan, shard);
  }

  /** Pauses or stops the run when too many failed. Whoever resumes has seen the failures, so this happens once. */
  #checkTolerance(): void {
    const { tolerate } = this.#input.plan;
    const found = this.#discovery;
    if (!tolerate || !found || this.#books.carried.breached) return;
    const cause = breachOf(tolerate, this.#progress().totals.failed, takenOf(found));
    if (!cause) return;
    this.#books.carried.breached = true;
    if (tolerate.onBreach === 'stop') {
      this.#stopped = cause;
      this.#tellShards(stop);
    } else if (this.#hasMore(found) || this.#open.size > 0) {
      this.#pause(cause);
    }
  }

  /** Ends shards that this execution never began: a run that was reset may have left them. */
  async #endStrays(): Promise<void> {
    const from = this.#books.carried.nextShard;
    // The run must end even where this fails; the strays then end by themselves.
    await end_strays({ context: this.#context, from }).catch(() => undefined);
  }

  async #continue(discovery: Discovery): Promise<never> {
    const { carried } = this.#books;
    carried.historyEvents += workflowInfo().historyLength + eventsToClose;
    carried.continuations += 1;
    const { carried: _before, ...input } = this.#input;
    return continueAsNew<typeof pipelineRun>({ ...input, carried: { ...carried, discovery } });
  }

  #pause(cause: RunCause | null): void {
    if (this.#gate.pause(cause)) this.#tellShards(pause, this.#sinceMs());
  }

  #resume(): void {
    this.#gate.resume();
    this.#tellShards(resume, this.#sinceMs());
  }

  #tellShards<Args extends unknown[]>(signal: SignalDefinition<Args>, ...args: Args): void {
    // A shard that has just ended cannot be signalled, and need not be.
    for (const shard of this.#openShards()) shard.signal(signal, ...args).catch(() => undefined);
    this.#publish();
  }

  /** The present time, but later than any that was sent: signals sent together may arrive in any order. */
  #sinceMs(): number {
    this.#toldMs = Math.max(this.#toldMs + 1, Date.now());
    return this.#toldMs;
  }

  /** Cancels by workflow id: a cancel of a child goes to its first execution, and is lost once that has continued as new. */
  #cancelShards(): void {
    for (const shard of this.#openShards()) shard.cancel().catch(() => undefined);
  }

  #openShards() {
    const { run } = this.#input;
    return this.#open
      .numbers()
      .map((shard) => getExternalWorkflowHandle(workflowIds.shard(run, shard)));
  }

  #progress(): RunProgress {
    const openShards = this.#open
      .reports()
      .map(([shard, last]) => ({ shard, counted: this.#reportOf(shard, last) }));
    const sums = this.#books.with(openShards.map(({ counted }) => counted));
    sums.historyEvents += workflowInfo().historyLength;
    const { run, plan } = this.#input;
    const canary = this.#gate.canary();
    // The totals of a finished run contain them.
    if (this.#state !== 'finished') sums.totals.total += this.#unstarted();
    return {
      run,
      pipeline: plan.pipeline,
      state: this.#gate.held && isUnderWay(this.#state) ? 'paused' : this.#state,
      cause: this.#stopped ?? this.#gate.cause(sums.totals),
      ...(canary ? { canary } : {}),
      discovery: this.#discovery,
      ...sums,
      openShards,
      shardsDone: this.#books.carried.nextShard - this.#open.size,
    };
  }

  /** Number of assets in shards that are not started yet. */
  #unstarted(): number {
    const { nextShard } = this.#books.carried;
    const next = this.#open.has(nextShard) ? nextShard + 1 : nextShard;
    return this.#discovery ? unstartedTotals(this.#discovery, this.#input.plan, next).total : 0;
  }

  #publish(): void {
    setCurrentDetails(runDetails(this.#input.plan, this.#progress()));
  }

  #publishOutcome(outcome: RunResult['outcome']): void {
    const { failures, failedModels } = this.#books.carried;
    publishOutcome(outcome, failures, failedModels);
  }

  #tellReceivers(
    outcome: Outcome | 'waiting',
    { totals, failures }: Pick<RunProgress, 'totals' | 'failures'>,
    cause: RunCause | null = null,
  ): Promise<void> {
    const { plan, run } = this.#input;
    const { startedAtMs } = this.#books.carried;
    return startNotices(plan, { run, outcome, assets: totals, failures, cause, startedAtMs });
  }

  async #finish(discovery: Discovery): Promise<RunResult> {
    this.#state = 'finished';
    const { totals, failures, nextShard } = this.#books.carried;
    addTotals(totals, unstartedTotals(discovery, this.#input.plan, nextShard));
    if (nextShard < discovery.pages) await this.#endStrays();
    const stopped = this.#stopped;
    const outcome = stopped ? 'failed' : outcomeOf(totals);
    await this.#tellReceivers(outcome, { totals, failures }, stopped);
    const ended = { outcome, discovery, stopped, historyEvents: this.#historyEvents() };
    const result = resultOf(this.#input, { ...ended, sums: this.#books.carried });
    this.#publish();
    if (this.#input.searchable) this.#publishOutcome(result.outcome);
    if (result.outcome === 'failed') throw failureOf(result);
    return result;
  }

  /** History events of all its executions up to their close; publishing the outcome adds one. */
  #historyEvents(): number {
    const { historyEvents } = this.#books.carried;
    const toClose = eventsToClose + (this.#input.searchable ? 1 : 0);
    return historyEvents + workflowInfo().historyLength + toClose;
  }
}

const shardCancelled = {
  code: 'SHARD_CANCELLED' satisfies OwnCode,
  message: 'somebody cancelled this part of the run, and not the run',
};

function isUnderWay(state: RunProgress['state']): boolean {
  return state === 'discovering' || state === 'running';
}
