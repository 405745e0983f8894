// One run: discovers, keeps a bounded window of shards, adds up, and says how it ended.
import {
  CancellationScope,
  CancelledFailure,
  ChildWorkflowFailure,
  ContinueAsNew,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Discovery,
  type OwnCode,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunStart,
  type ShardResult,
  workflowIds,
} from '../src/plan/contract.ts';
import { withUrgency } from '../src/plan/priority.ts';
import type { RunCause } from '../src/plan/run-cause.ts';
import { type RunContext, runContextOf } from '../src/plan/run-context.ts';
import { isMany, sizeOfShard, takenOf, toDoOf, unstartedTotals } from '../src/plan/shares.ts';
import { breachOf } from '../src/plan/tolerance.ts';
import {
  addTotals,
  noTotals,
  type Outcome,
  outcomeOf,
  type ShardProgress,
} from '../src/plan/totals.ts';
import type { InFlight } from '../src/plan/window.ts';
import { booksOf } from './activity-options.ts';
import { onItsHost, type Placed } from './choose-host.ts';
import { runDetails } from './details.ts';
import { assetFailureOf, runCauseOf } from './failures.ts';
import { watchInherited } from './inherited-shards.ts';
import { Listing } from './listing.ts';
import {
  approve,
  pause,
  resume,
  runProgress,
  shardCause,
  shardEnded,
  shardParked,
  shardReport,
  shardWaits,
  stop,
} from './messages.ts';
import { named } from './named.ts';
import { OpenShards } from './open-shards.ts';
import { refuseOtherName, refuseWithoutPlan } from './refuse-start.ts';
import { RunBooks } from './run-books.ts';
import { RunGate } from './run-gate.ts';
import { startNotices } from './run-notice.ts';
import { failureOf, resultOf } from './run-result.ts';
import { RunWindow } from './run-window.ts';
import { publishOutcome } from './search-attributes.ts';
import { startShard } from './start-shard.ts';
import { untilDiscovered } from './until-discovered.ts';

/** Events after the history's length was read: the last workflow task completes and the execution closes. */
const eventsToClose = 2;
export async function pipelineRun(start: RunStart): Promise<RunResult> {
  refuseWithoutPlan(start);
  refuseOtherName(start);
  return new Run(named(start)).run();
}

class Run {
  readonly #input: RunInput;
  #context: RunContext;
  #state: RunProgress['state'] = 'discovering';
  readonly #gate: RunGate;
  /** Why the run begins nothing new; null while it may. */
  #stopped: RunCause | null;
  #toldMs = 0;
  readonly #books: RunBooks;
  #discovery: Discovery | null;
  readonly #listing = new Listing({
    list: (stretch) => this.#discover(stretch),
    found: (discovery) => this.#found(discovery),
    isStopped: () => this.#stopped !== null,
  });
  readonly #open: OpenShards;
  readonly #window: RunWindow;
  /** What was sent to shards and receivers, and has not arrived. */
  readonly #sent = new Set<Promise<unknown>>();

  constructor(input: RunInput) {
    const { plan, run, lineage, epoch, carried } = input;
    this.#input = input;
    this.#stopped = carried?.stopped ?? null;
    this.#open = new OpenShards(carried?.open);
    this.#window = new RunWindow(plan);
    this.#context = { ...runContextOf(plan, { run, lineage, epoch }), ...hostOf(carried) };
    this.#discovery = carried?.discovery ?? null;
    this.#gate = new RunGate(input);
    this.#books = new RunBooks(carried, Date.now());
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
      this.#window.hear(progress.load);
      this.#checkTolerance();
      this.#publish();
    });
    setHandler(shardCause, (_shard, cause) => this.#pause(cause));
    setHandler(shardParked, (shard, parked) => this.#open.park(shard, parked));
    setHandler(shardWaits, (shard, waits, load) => {
      this.#open.wait(shard, waits);
      this.#window.hear(load);
    });
    setHandler(shardEnded, (result, how) => {
      if (how === 'done') return this.#shardDone(result);
      this.#open.report(result);
      this.#shardCancelled(result.shard);
    });
  }

  async run(): Promise<RunResult> {
    this.#publish();
    try {
      this.#found(this.#discovery ?? (await this.#discover(0)));
      if (this.#gate.asks) this.#awaitApproval();
      this.#watchInherited();
      await this.#runShards();
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
    return this.#finish(this.#mustHaveFound());
  }

  /** The first stretch finds out where the run belongs; the others are listed there. */
  #discover(stretch: number): Promise<Discovery> {
    const list = (placed: Placed) =>
      untilDiscovered(this.#input, placed, stretch, {
        pause: (cause) => this.#pause(cause),
        isPaused: () => this.#gate.paused,
        requests: this.#books.carried.requests,
      });
    if (stretch > 0) return list({ context: this.#context, isSettled: true });
    return onItsHost(this.#input.plan, this.#context, (placed) => {
      this.#context = placed.context;
      Object.assign(this.#books.carried, hostOf(placed.context));
      this.#publish();
      return list(placed);
    });
  }

  /** Takes what was found so far, again after each stretch of the listing. */
  #found(discovery: Discovery): void {
    const before = this.#discovery === discovery ? null : this.#discovery;
    this.#discovery = discovery;
    this.#books.found(discovery, before);
    this.#gate.found(discovery);
    // A run that is still listing is none that somebody waits for.
    if (before === null && discovery.next === undefined) {
      this.#context = withUrgency(this.#context, toDoOf(discovery));
    }
    if (this.#state === 'discovering') this.#state = 'running';
    this.#checkTolerance();
  }

  #mustHaveFound(): Discovery {
    if (this.#discovery) return this.#discovery;
    throw new RangeError('asked for before anything was found');
  }

  /** Keeps the window full, and the history short. */
  async #runShards(): Promise<void> {
    const listing = this.#listing;
    void listing.goOn(this.#mustHaveFound());
    for (;;) {
      const discovery = this.#mustHaveFound();
      if (!this.#hasMore(discovery) && this.#open.size === 0 && !listing.isBusy) break;
      this.#askOnce();
      const draining = this.#isDraining(discovery);
      // Few shards are children that a successor could not await, and a continuation of old plans would lose a pause.
      const mayLeave = this.#isMany(discovery) || (this.#open.size === 0 && !this.#gate.held);
      if (draining && mayLeave && !listing.isBusy) await this.#continue(discovery);
      while (!draining && this.#mayStart(discovery)) {
        await this.#startShard(this.#books.carried.nextShard, discovery);
        this.#books.carried.nextShard += 1;
        this.#window.began();
      }
      this.#publish();
      await this.#untilNews(discovery);
    }
    listing.throwIfFailed();
  }

  /** Waits for what may change what is to be done. */
  async #untilNews(discovery: Discovery): Promise<void> {
    const { size, busy } = this.#open;
    const { held } = this.#gate;
    const { isBusy } = this.#listing;
    const isNews = () => {
      if (this.#open.size < size || this.#open.busy < busy || this.#gate.held !== held) return true;
      if (this.#discovery !== discovery || this.#listing.isBusy !== isBusy) return true;
      return this.#isMany(discovery) && (this.#mayStart(discovery) || this.#isDraining(discovery));
    };
    const lookMs = this.#mayBegin(discovery)
      ? this.#window.lookDueMs(this.#inFlight(), this.#sizeOfNext())
      : null;
    if (lookMs === null) await condition(isNews);
    else if (!(await condition(isNews, lookMs))) await this.#window.look(this.#context);
  }

  /** Not much history is left. A run of many shards goes on in a continuation whatever is under way. */
  #isDraining(discovery: Discovery): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested && (this.#hasMore(discovery) || this.#isMany(discovery));
  }

  #isMany(discovery: Discovery): boolean {
    return isMany(this.#input.plan, discovery);
  }

  #mayStart(discovery: Discovery): boolean {
    // Starting a shard cannot be cancelled, so a cancel takes effect between two of them.
    if (CancellationScope.current().consideredCancelled) return false;
    if (!this.#mayBegin(discovery)) return false;
    return this.#window.heldBy(this.#inFlight(), this.#sizeOfNext()) === 'nothing';
  }

  /** True where only what is in flight may keep it from beginning another shard. */
  #mayBegin(discovery: Discovery): boolean {
    const { nextShard } = this.#books.carried;
    const hasPages = nextShard < discovery.pages;
    return !this.#gate.held && !this.#stopped && hasPages && !this.#gate.bars(nextShard);
  }

  #inFlight(): InFlight {
    return this.#open.inFlight((shard) => this.#sizeOf(shard));
  }

  /** Assets of the shard that comes next; 0 where none does. */
  #sizeOfNext(): number {
    return this.#sizeOf(this.#books.carried.nextShard);
  }

  /** Asks for approval once the canary is done. Without an answer in time the run ends, even while it is paused. */
  #askOnce(): void {
    if (this.#stopped || this.#open.busy > 0) return;
    if (!this.#gate.mustAsk(this.#books.carried.nextShard)) return;
    this.#awaitApproval();
    const progress = this.#progress();
    const question = this.#gate.question(progress.totals);
    this.#send(this.#tellReceivers('waiting', progress, question));
  }

  #awaitApproval(): void {
    this.#gate
      .untilApproved()
      .then((approved) => {
        if (!approved) this.#expire();
      })
      // Fails only by a cancel, which the run hears of itself.
      .catch(() => undefined);
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

  async #startShard(shard: number, discovery: Discovery): Promise<void> {
    const { plan, takeOverMs } = this.#input;
    this.#open.start(shard);
    const { paused } = this.#gate;
    const more = {
      ...(takeOverMs === undefined ? {} : { takeOverMs }),
      ...(this.#isMany(discovery) ? { many: true as const } : {}),
    };
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

  /** Each end is counted once: that of a child may be told by a signal as well. */
  #shardDone(result: ShardResult): void {
    if (!this.#open.has(result.shard)) return;
    this.#open.end(result.shard);
    this.#books.shardDone(result);
    this.#checkTolerance();
  }

  async #shardFailed(shard: number, error: unknown): Promise<void> {
    if (isCancellation(error)) return this.#shardCancelled(shard);
    const cause = error instanceof ChildWorkflowFailure ? error.cause : error;
    await this.#shardBroke(shard, assetFailureOf(cause).message);
  }

  #shardCancelled(shard: number): void {
    if (!this.#open.has(shard)) return;
    const report = this.#reportOf(shard, this.#open.end(shard));
    // A cancelled run cancels its shards itself.
    const byHand = this.#state !== 'cancelling';
    const failure = { ...this.#failureOf(shard), ...shardCancelled };
    this.#books.shardCancelled(report, byHand ? failure : undefined);
    if (byHand) this.#checkTolerance();
  }

  /** Counts a shard that broke. Of its progress only what it had written is known. */
  async #shardBroke(shard: number, message: string): Promise<void> {
    const written = await CancellationScope.nonCancellable(() =>
      booksOf(this.#context).count_shard({ context: this.#context, shard }),
    ).catch(() => ({ totals: noTotals(), failures: [], why: null }));
    if (!this.#open.has(shard)) return;
    this.#open.end(shard);
    const failure = {
      ...this.#failureOf(shard),
      code: 'SHARD_FAILED' satisfies OwnCode,
      message: written.why ?? message,
    };
    this.#books.shardBroke(this.#sizeOf(shard), written, failure);
    this.#checkTolerance();
  }

  #failureOf(shard: number) {
    return { key: workflowIds.shard(this.#input.run, shard), node: '', attempts: 1 };
  }

  /** Also while the run is being cancelled, which waits for the end of them all. */
  #watchInherited(): void {
    CancellationScope.nonCancellable(() =>
      watchInherited(this.#open, this.#context, {
        isHasty: () => this.#state === 'cancelling',
        broke: (shard) => this.#shardBroke(shard, 'it ended without a result'),
      }),
    ).catch(() => undefined);
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
    const { end_strays } = booksOf(this.#context);
    await end_strays({ context: this.#context, from }).catch(() => undefined);
  }

  async #continue(discovery: Discovery): Promise<never> {
    const { carried } = this.#books;
    if (this.#isMany(discovery)) {
      // What an execution sends with its last task never arrives.
      while (this.#sent.size > 0) await Promise.all(this.#sent);
      if (CancellationScope.current().consideredCancelled) throw new CancelledFailure('cancelled');
    }
    const open = this.#open.carried();
    const gate = this.#gate.carried();
    const more = {
      ...(open.length > 0 ? { open } : {}),
      ...(gate ? { gate } : {}),
      ...(this.#stopped ? { stopped: this.#stopped } : {}),
    };
    carried.historyEvents += workflowInfo().historyLength + eventsToClose;
    carried.continuations += 1;
    const { carried: _before, ...input } = this.#input;
    const { open: _open, gate: _gate, stopped: _stopped, ...sums } = carried;
    return continueAsNew<typeof pipelineRun>({
      ...input,
      carried: { ...sums, discovery, ...more },
    });
  }

  /** Does not wait until it has arrived. */
  #send(sending: Promise<unknown>): void {
    // A shard that has just ended cannot be signalled, and need not be.
    const sent = sending.catch(() => undefined).finally(() => this.#sent.delete(sent));
    this.#sent.add(sent);
  }

  #pause(cause: RunCause | null): void {
    if (this.#gate.pause(cause)) this.#tellShards(pause, this.#sinceMs());
  }

  #resume(): void {
    this.#gate.resume();
    this.#tellShards(resume, this.#sinceMs());
  }

  #tellShards<Args extends unknown[]>(signal: SignalDefinition<Args>, ...args: Args): void {
    for (const shard of this.#openShards()) this.#send(shard.signal(signal, ...args));
    this.#publish();
  }

  /** The present time, but later than any that was sent: signals sent together may arrive in any order. */
  #sinceMs(): number {
    this.#toldMs = Math.max(this.#toldMs + 1, Date.now());
    return this.#toldMs;
  }

  /** Cancels by workflow id: a cancel of a child goes to its first execution, and is lost once that has continued as new. */
  #cancelShards(): void {
    for (const shard of this.#openShards()) this.#send(shard.cancel());
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
    const inFlight = this.#window.progress(this.#inFlight(), this.#sizeOfNext());
    // The totals of a finished run contain them.
    if (this.#state !== 'finished') sums.totals.total += this.#unstarted();
    return {
      run,
      pipeline: plan.pipeline,
      state: this.#gate.held && isUnderWay(this.#state) ? 'paused' : this.#state,
      cause: this.#stopped ?? this.#gate.cause(sums.totals),
      ...(canary ? { canary } : {}),
      ...(inFlight ? { inFlight } : {}),
      discovery: this.#discovery,
      ...hostOf(this.#context),
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
    const result = resultOf(this.#input, {
      outcome,
      sums: this.#books.carried,
      discovery,
      stopped,
      historyEvents: this.#historyEvents(),
    });
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

function hostOf({ host }: { host?: string } = {}): { host?: string } {
  return host === undefined ? {} : { host };
}

function isUnderWay(state: RunProgress['state']): boolean {
  return state === 'discovering' || state === 'running';
}
