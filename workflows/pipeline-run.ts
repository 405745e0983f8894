// One run: discovers assets, keeps a bounded window of shards, adds up their results, and determines the outcome.
import {
  CancellationScope,
  ContinueAsNew,
  condition,
  isCancellation,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Discovery,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunStart,
  type RunWarning,
} from '../src/plan/contract.ts';
import { withToDo } from '../src/plan/priority.ts';
import { picturesChanged, type RunCause } from '../src/plan/run-cause.ts';
import { hostOf, isUnderWay, type RunContext, runContextOf } from '../src/plan/run-context.ts';
import { takenOf, toDoOf, unstartedTotals } from '../src/plan/shares.ts';
import { breachOf } from '../src/plan/tolerance.ts';
import { addTotals, type Outcome, outcomeOf } from '../src/plan/totals.ts';
import { booksOf } from './activity-options.ts';
import { continueUnlessCancelled } from './continue-unless-cancelled.ts';
import { runDetails } from './details.ts';
import { runCauseOf } from './failures.ts';
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
} from './messages.ts';
import { named } from './named.ts';
import { refuseOtherName, refuseWithoutPlan } from './refuse-start.ts';
import { RunBooks } from './run-books.ts';
import { RunGate } from './run-gate.ts';
import { tellEnded, tellFound, tellStarted } from './run-news.ts';
import { startNotices } from './run-notice.ts';
import { leaveReport } from './run-report.ts';
import { failureOf, resultOf } from './run-result.ts';
import { RunShards } from './run-shards.ts';
import { RunWindow } from './run-window.ts';
import { withdraw } from './run-withdrawal.ts';
import { publishOutcome } from './search-attributes.ts';

/** Events after the history's length was read: the last workflow task completes and the execution closes. */
const eventsToClose = 2;
export async function pipelineRun(start: RunStart): Promise<RunResult> {
  refuseWithoutPlan(start);
  refuseOtherName(start);
  return new Run(named(start)).run();
}

type Counted = Pick<RunProgress, 'totals' | 'failures'>;

class Run {
  readonly #input: RunInput;
  #context: RunContext;
  #state: RunProgress['state'] = 'discovering';
  readonly #gate: RunGate;
  /** Why the run starts nothing new; null while it may. */
  #stopped: RunCause | null;
  readonly #books: RunBooks;
  #discovery: Discovery | null;
  readonly #listing: Listing;
  readonly #shards: RunShards;
  readonly #window: RunWindow;

  constructor(input: RunInput) {
    const { plan, carried } = input;
    this.#input = input;
    this.#stopped = carried?.stopped ?? null;
    this.#window = new RunWindow(plan);
    this.#context = { ...runContextOf(plan, input), ...hostOf(carried) };
    this.#discovery = carried?.discovery ?? null;
    this.#gate = new RunGate(input);
    this.#books = new RunBooks(carried, Date.now());
    this.#listing = new Listing(input, {
      context: () => this.#context,
      placed: (context) => this.#placed(context),
      found: (discovery) => this.#found(discovery),
      pause: (cause) => this.#pause(cause),
      isPaused: () => this.#gate.paused,
      isStopped: () => this.#stopped !== null,
      requests: this.#books.carried.requests,
    });
    this.#shards = new RunShards(input, this.#books, {
      context: () => this.#context,
      found: () => this.#discovery,
      isPaused: () => this.#gate.paused,
      isStopped: () => this.#stopped !== null,
      isCancelling: () => this.#state === 'cancelling',
      ended: () => this.#checkTolerance(),
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
      this.#shards.open.report(progress);
      this.#window.hear(progress.load);
      this.#checkTolerance();
      this.#publish();
    });
    setHandler(shardCause, (_shard, cause) => this.#pause(cause));
    setHandler(shardParked, (shard, parked) => this.#shards.open.park(shard, parked));
    setHandler(shardWaits, (shard, waits, load) => {
      this.#shards.open.wait(shard, waits);
      this.#window.hear(load);
    });
    setHandler(shardEnded, (result, how) => this.#shards.hearEnd(result, how));
  }

  async run(): Promise<RunResult> {
    let found: Discovery;
    tellStarted(this.#input);
    this.#publish();
    try {
      found = this.#discovery ?? (await this.#listing.begin());
      this.#found(found);
      if (this.#gate.asks) this.#awaitApproval();
      this.#shards.watchInherited();
      found = await this.#runShards(found);
      if (!this.#stopped)
        await withdraw(this.#input, this.#context, found, this.#books, this.#gate);
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      if (!isCancellation(error)) {
        this.#stopped = runCauseOf(error);
        this.#publish();
        this.#publishOutcome('failed');
        await this.#tellReceivers('failed', this.#progress(), this.#stopped);
        throw error;
      }
      await CancellationScope.nonCancellable(async () => {
        this.#state = 'cancelling';
        this.#gate.refuse();
        this.#publish();
        this.#shards.cancel();
        await condition(() => this.#shards.open.size === 0 && !this.#listing.isBusy);
        await this.#endStrays();
        await this.#leaveReport('cancelled', this.#progress());
        this.#publishOutcome('cancelled');
        await this.#tellReceivers('cancelled', this.#progress());
      });
      throw error;
    }
    return this.#finish(found);
  }

  /** Called when the host of the run is known. */
  #placed(context: RunContext): void {
    this.#context = context;
    Object.assign(this.#books.carried, hostOf(context));
    this.#publish();
  }

  /** Takes what was found so far; called again after each discovery page. */
  #found(discovery: Discovery): void {
    const before = this.#discovery === discovery ? null : this.#discovery;
    if (this.#discovery !== discovery) tellFound(this.#input, discovery, before);
    this.#discovery = discovery;
    this.#books.found(discovery, before);
    this.#gate.found(discovery);
    if (before === null) {
      this.#context = withToDo(this.#context, toDoOf(discovery), discovery.next === undefined);
    }
    if (this.#state === 'discovering') this.#state = 'running';
    this.#checkTolerance();
  }

  /** Keeps the window full and the history short. Returns everything that was found in the end. */
  async #runShards(first: Discovery): Promise<Discovery> {
    const listing = this.#listing;
    let found = first;
    void listing.goOn(first);
    while (this.#hasMore(found) || this.#shards.open.size > 0 || listing.isBusy) {
      this.#askOnce();
      const draining = this.#isDraining(found);
      if (draining && !listing.isBusy && this.#mayContinue()) await this.#continue(found);
      while (!draining && this.#mayStart(found)) {
        await this.#shards.start(this.#books.carried.nextShard);
        this.#books.carried.nextShard += 1;
        this.#window.began();
      }
      this.#publish();
      await this.#untilNews(found);
      found = this.#discovery ?? found;
    }
    listing.throwIfFailed();
    return found;
  }

  /** Waits until something changes what must be done next. */
  async #untilNews(discovery: Discovery): Promise<void> {
    const { open } = this.#shards;
    const { size, busy } = open;
    const { held } = this.#gate;
    const { isBusy } = this.#listing;
    const lookMs = this.#lookDueMs(discovery);
    const isNews = () =>
      open.size < size ||
      open.busy < busy ||
      this.#discovery !== discovery ||
      this.#listing.isBusy !== isBusy ||
      this.#gate.held !== held ||
      (this.#shards.areMany &&
        (this.#mayStart(discovery) ||
          this.#isDraining(discovery) ||
          (lookMs === null && this.#lookDueMs(discovery) !== null)));
    if (lookMs === null) await condition(isNews);
    else if (!(await condition(isNews, lookMs))) await this.#window.look(this.#context);
  }

  /** Time until the load must be read again, ms; null if the load is not what prevents another shard. */
  #lookDueMs(discovery: Discovery): number | null {
    if (!this.#mayBegin(discovery)) return null;
    return this.#window.lookDueMs(this.#shards.inFlight, this.#sizeOfNext());
  }

  /** True if little history is left. A run of many shards continues as new whatever is open. */
  #isDraining(discovery: Discovery): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested && (this.#hasMore(discovery) || this.#shards.areMany);
  }

  /** A run of few shards must wait for them: its continuation could not await them. Old plans carry no pause. */
  #mayContinue(): boolean {
    return this.#shards.areMany || (this.#shards.open.size === 0 && !this.#gate.held);
  }

  #mayStart(discovery: Discovery): boolean {
    // Starting a shard cannot be cancelled, so a cancel takes effect between two starts.
    if (CancellationScope.current().consideredCancelled) return false;
    if (!this.#mayBegin(discovery)) return false;
    return this.#window.heldBy(this.#shards.inFlight, this.#sizeOfNext()) === 'nothing';
  }

  /** True if only the assets in flight may prevent another shard. */
  #mayBegin(discovery: Discovery): boolean {
    const { nextShard } = this.#books.carried;
    const hasPages = nextShard < discovery.pages;
    return !this.#gate.held && !this.#stopped && hasPages && !this.#gate.bars(nextShard);
  }

  /** Number of assets of the next shard; 0 if there is none. */
  #sizeOfNext(): number {
    return this.#shards.sizeOf(this.#books.carried.nextShard);
  }

  /** Asks for approval once the canary is done. Without approval in time the run ends, even while it is paused. */
  #askOnce(): void {
    if (this.#stopped || this.#shards.open.busy > 0) return;
    if (!this.#gate.mustAsk(this.#books.carried.nextShard)) return;
    this.#awaitApproval();
    const progress = this.#progress();
    const question = this.#gate.question(progress.totals);
    this.#shards.send(this.#tellReceivers('waiting', progress, question));
  }

  #awaitApproval(): void {
    this.#gate
      .untilApproved()
      .then((approved) => (approved ? undefined : this.#expire()))
      // Fails only if the run is cancelled, which is handled elsewhere.
      .catch(() => undefined);
  }

  #expire(): void {
    this.#stopped = this.#gate.expire();
    this.#shards.resume();
    this.#shards.stop();
    this.#publish();
  }

  #hasMore(discovery: Discovery): boolean {
    const hasPages = this.#books.carried.nextShard < discovery.pages;
    return !this.#stopped && (hasPages || this.#listing.hasMore(discovery));
  }

  /** Pauses or stops the run if too many assets failed; only once, since whoever resumes it has seen them. */
  #checkTolerance(): void {
    const { tolerate } = this.#input.plan;
    const found = this.#discovery;
    if (!tolerate || !found || this.#books.carried.breached) return;
    const cause = breachOf(tolerate, this.#progress().totals.failed, takenOf(found));
    if (!cause) return;
    this.#books.carried.breached = true;
    if (tolerate.onBreach === 'stop') {
      this.#stopped = cause;
      this.#shards.stop();
      this.#publish();
    } else if (this.#hasMore(found) || this.#shards.open.size > 0) {
      this.#pause(cause);
    }
  }

  /** Ends shards that this execution never started; an execution before a reset may have left them. */
  async #endStrays(): Promise<void> {
    const from = this.#books.carried.nextShard;
    // The run must end even if this fails; the orphaned shards then end by themselves.
    const { end_strays } = booksOf(this.#context);
    await end_strays({ context: this.#context, from }).catch(() => undefined);
  }

  async #continue(discovery: Discovery): Promise<never> {
    const { carried } = this.#books;
    if (this.#shards.areMany) await this.#shards.untilSent();
    carried.historyEvents += workflowInfo().historyLength + eventsToClose;
    carried.continuations += 1;
    const { carried: _before, ...input } = this.#input;
    const open = this.#shards.open.carried();
    const more = { open, gate: this.#gate.carried(), stopped: this.#stopped };
    const next = { ...input, carried: this.#books.handedOn(discovery, more) };
    return continueUnlessCancelled<typeof pipelineRun>([next]);
  }

  #pause(cause: RunCause | null): void {
    if (!this.#gate.pause(cause)) return;
    this.#shards.pause();
    this.#publish();
    if (cause?.code !== picturesChanged) return;
    this.#shards.send(this.#tellReceivers('waiting', this.#progress(), cause));
  }

  #resume(): void {
    this.#gate.resume();
    this.#shards.resume();
    this.#publish();
  }

  #progress(): RunProgress {
    const openShards = this.#shards.reports();
    const sums = this.#books.with(openShards.map(({ counted }) => counted));
    sums.historyEvents += workflowInfo().historyLength;
    const { run, plan } = this.#input;
    const canary = this.#gate.canary();
    const inFlight = this.#window.progress(this.#shards.inFlight, this.#sizeOfNext());
    // The totals of a finished run already include these assets.
    if (this.#state !== 'finished') sums.totals.total += this.#unstarted();
    return {
      run,
      pipeline: plan.pipeline,
      state: this.#gate.held && isUnderWay(this.#state) ? 'paused' : this.#state,
      cause: this.#stopped ?? this.#gate.cause(sums.totals),
      ...(canary ? { canary } : {}),
      ...(inFlight ? { inFlight } : {}),
      ...this.#books.withdrawn,
      discovery: this.#discovery,
      ...hostOf(this.#context),
      ...sums,
      openShards,
      shardsDone: this.#books.carried.nextShard - this.#shards.open.size,
    };
  }

  /** Number of assets in shards that are not started yet. */
  #unstarted(): number {
    const { nextShard } = this.#books.carried;
    const next = this.#shards.open.has(nextShard) ? nextShard + 1 : nextShard;
    return this.#discovery ? unstartedTotals(this.#discovery, this.#input.plan, next).total : 0;
  }

  #publish(): void {
    setCurrentDetails(runDetails(this.#input.plan, this.#progress()));
  }

  #publishOutcome(outcome: RunResult['outcome']): void {
    const { carried } = this.#books;
    tellEnded(this.#input, carried, { outcome, cause: this.#stopped?.code });
    const { searchable, unsearched, plan } = this.#input;
    if (searchable) publishOutcome(outcome, plan, carried, unsearched);
  }

  #tellReceivers(
    outcome: Outcome | 'waiting',
    { totals, failures }: Counted,
    cause: RunCause | null = null,
  ): Promise<void> {
    const { plan, run } = this.#input;
    const ending = { run, outcome, assets: totals, failures, cause, ...this.#books.ending };
    return startNotices(plan, ending);
  }

  #leaveReport(outcome: Outcome, sums: Counted): Promise<RunWarning[]> {
    const known = { ...sums, ...this.#books.ending, found: this.#discovery };
    return leaveReport(this.#input, this.#context, { outcome, cause: this.#stopped, ...known });
  }

  async #finish(discovery: Discovery): Promise<RunResult> {
    this.#state = 'finished';
    const { totals, failures, nextShard } = this.#books.carried;
    addTotals(totals, unstartedTotals(discovery, this.#input.plan, nextShard));
    if (nextShard < discovery.pages) await this.#endStrays();
    const stopped = this.#stopped;
    const outcome = stopped ? 'failed' : outcomeOf(totals);
    const unwritten = await this.#leaveReport(outcome, { totals, failures });
    await this.#tellReceivers(outcome, { totals, failures }, stopped);
    const result = resultOf(this.#input, {
      outcome,
      sums: this.#books.carried,
      discovery,
      stopped,
      unwritten,
      historyEvents: this.#historyEvents(),
    });
    this.#publish();
    this.#publishOutcome(result.outcome);
    if (result.outcome === 'failed') throw failureOf(result);
    return result;
  }

  /** History events of all executions, including their close. Publishing the outcome adds one. */
  #historyEvents(): number {
    const { historyEvents } = this.#books.carried;
    const toClose = eventsToClose + (this.#input.searchable ? 1 : 0);
    return historyEvents + workflowInfo().historyLength + toClose;
  }
}
