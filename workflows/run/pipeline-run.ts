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
import type {
  Discovery,
  RunInput,
  RunProgress,
  RunResult,
  RunStart,
} from '../../src/plan/contract/contract.ts';
import { countSkipped, countTaken, countToProcess } from '../../src/plan/contract/sharding.ts';
import { withAssetCount } from '../../src/plan/run/priority.ts';
import { picturesChangedCode, type RunCause } from '../../src/plan/run/run-cause.ts';
import {
  hostFields,
  isRunInProgress,
  type RunContext,
  runContextOf,
} from '../../src/plan/run/run-context.ts';
import { addTotals, type Outcome, outcomeOf, type Totals } from '../../src/plan/shard/totals.ts';
import { checkTolerance } from '../../src/plan/tolerance.ts';
import { assertHasPlan, assertOwnName } from '../check-start.ts';
import { continueUnlessCancelled, eventsToClose } from '../continue-unless-cancelled.ts';
import { runDetails } from '../details.ts';
import { findRunCause } from '../failures.ts';
import { approve, pause, resume, runProgress, shardBlocked } from '../messages.ts';
import { type NoticeDetails, type NoticeOutcome, startNotices } from '../run-notice.ts';
import { publishOutcome } from '../search-attributes.ts';
import { withRunId } from '../with-run-id.ts';
import { Listing } from './listing.ts';
import { RunDeadline } from './run-deadline.ts';
import { emitDiscovered, emitFinished, emitStarted } from './run-events.ts';
import { RunHold } from './run-hold.ts';
import { listManifestWarnings, writeManifests } from './run-manifests.ts';
import { writeRunReport } from './run-report.ts';
import { failureOf, resultOf } from './run-result.ts';
import { RunShards, removeFailures } from './run-shards.ts';
import { RunTotals } from './run-totals.ts';
import { RunWindow } from './run-window.ts';
import { withdraw } from './run-withdrawal.ts';
import { handleDecisions, handleShardSignals } from './shard-signals.ts';

export async function pipelineRun(start: RunStart): Promise<RunResult> {
  assertHasPlan(start);
  assertOwnName(start);
  return new Run(withRunId(start)).run();
}

type ProgressCounts = Pick<RunProgress, 'totals' | 'failures'>;

class Run {
  readonly #input: RunInput;
  #context: RunContext;
  #state: RunProgress['state'] = 'discovering';
  #outcome: Outcome | null = null;
  readonly #hold: RunHold;
  /** Why the run starts nothing new. Null while it may start shards. */
  #stopCause: RunCause | null;
  readonly #totals: RunTotals;
  #discovery: Discovery | null;
  readonly #listing: Listing;
  readonly #shards: RunShards;
  readonly #window: RunWindow;
  readonly #deadline: RunDeadline;

  constructor(input: RunInput) {
    const { plan, carried } = input;
    this.#input = input;
    this.#stopCause = carried?.stopped ?? null;
    this.#window = new RunWindow(plan);
    this.#context = { ...runContextOf(plan, input), ...hostFields(carried) };
    this.#discovery = carried?.discovery ?? null;
    this.#hold = new RunHold(input);
    this.#totals = new RunTotals(carried, Date.now());
    this.#deadline = new RunDeadline(input, this.#totals.carried);
    const state = {
      context: () => this.#context,
      isPaused: () => this.#hold.paused,
      isStopped: () => this.#stopCause !== null,
    };
    this.#listing = new Listing(input, {
      ...state,
      setHost: (context) => this.#setHost(context),
      addDiscovery: (discovery) => this.#addDiscovery(discovery),
      pause: (cause) => this.#pause(cause),
      startsNewRecords: () => this.#hold.startsNewRecords,
      requests: this.#totals.carried.requests,
    });
    this.#shards = new RunShards(input, this.#totals, {
      ...state,
      discovery: () => this.#discovery,
      isCancelling: () => this.#state === 'cancelling',
      onShardFinished: () => this.#checkTolerance(),
    });
    setHandler(runProgress, () => this.#progress());
    setHandler(pause, (_sinceMs, note) => this.#pause(note?.general ?? null));
    setHandler(resume, (_sinceMs, note) => this.#resume(note));
    setHandler(approve, () => {
      if (this.#hold.approve()) this.#totals.carried.approved = true;
      this.#publish();
    });
    handleDecisions(input.run, this.#shards, this.#totals, (cause) =>
      this.#notify('waiting', this.#progress(), { cause }),
    );
    handleShardSignals(this.#shards, this.#window, () => {
      this.#checkTolerance();
      this.#publish();
    });
    setHandler(shardBlocked, (_shard, cause) => this.#pause(cause));
  }

  async run(): Promise<RunResult> {
    let discovery: Discovery;
    emitStarted(this.#input);
    this.#publish();
    void this.#deadline.watch(
      () => this.#progress(),
      (progress, details) => {
        this.#publish();
        this.#shards.send(this.#notify('late', progress, details));
      },
    );
    try {
      discovery = this.#discovery ?? (await this.#listing.listFirst());
      this.#addDiscovery(discovery);
      if (this.#hold.isWaitingForApproval) this.#awaitApproval();
      this.#shards.watchInherited();
      discovery = await this.#runShards(discovery);
      if (!this.#stopCause)
        await withdraw(this.#input, this.#context, discovery, this.#totals, this.#hold);
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      await CancellationScope.nonCancellable(() =>
        isCancellation(error) ? this.#handleCancellation() : this.#handleFailure(error),
      );
      throw error;
    }
    // All assets have ended, so a cancellation would only prevent the manifests, the report and the notices.
    return CancellationScope.nonCancellable(() => this.#finish(discovery));
  }

  async #handleFailure(error: unknown): Promise<void> {
    this.#stopCause = findRunCause(error);
    await writeManifests(this.#input, this.#context, this.#discovery);
    this.#publishOutcome('failed');
    await this.#notify('failed', this.#progress(), { cause: this.#stopCause });
  }

  async #handleCancellation(): Promise<void> {
    this.#state = 'cancelling';
    this.#hold.refuse();
    this.#publish();
    this.#shards.cancel();
    await condition(() => this.#shards.open.size === 0 && !this.#listing.isBusy);
    await this.#shards.endOrphans();
    await writeManifests(this.#input, this.#context, this.#discovery);
    const { location: report } = await this.#writeReport('cancelled', this.#progress());
    this.#publishOutcome('cancelled');
    await this.#notify('cancelled', this.#progress(), { report });
  }

  #setHost(context: RunContext): void {
    this.#context = context;
    Object.assign(this.#totals.carried, hostFields(context));
    this.#publish();
  }

  /** Stores what was found so far. Called again after each discovery page. */
  #addDiscovery(discovery: Discovery): void {
    const previousDiscovery = this.#discovery === discovery ? null : this.#discovery;
    if (this.#discovery !== discovery) emitDiscovered(this.#input, discovery, previousDiscovery);
    this.#discovery = discovery;
    this.#totals.addDiscovery(discovery, previousDiscovery);
    this.#hold.setDiscovery(discovery);
    if (previousDiscovery === null) {
      const isWhole = discovery.nextDiscoveryPage === undefined;
      this.#context = withAssetCount(this.#context, countToProcess(discovery), isWhole);
    }
    if (this.#state === 'discovering') this.#state = 'running';
    this.#checkTolerance();
  }

  /** Keeps the window full and the history short. Returns everything that was found. */
  async #runShards(first: Discovery): Promise<Discovery> {
    const listing = this.#listing;
    let discovery = first;
    void listing.listRemaining(first);
    while (this.#hasMore(discovery) || this.#shards.open.size > 0 || listing.isBusy) {
      this.#requestApprovalOnce();
      const draining = this.#isDraining(discovery);
      if (draining && !listing.isBusy && this.#mayContinue()) await this.#continue(discovery);
      while (!draining && this.#mayStart(discovery)) {
        await this.#shards.start(this.#totals.carried.nextShard);
        this.#totals.carried.nextShard += 1;
        this.#window.resetCheckDelay();
      }
      this.#publish();
      await this.#waitForChange(discovery);
      discovery = this.#discovery ?? discovery;
    }
    listing.throwIfFailed();
    return discovery;
  }

  /** Waits until the run may have something to do, or until it must read the load, which it then reads. */
  async #waitForChange(discovery: Discovery): Promise<void> {
    const { open } = this.#shards;
    const { size, busy } = open;
    const { isHeld } = this.#hold;
    const { isBusy } = this.#listing;
    const loadCheckMs = this.#msUntilLoadCheck(discovery);
    const hasChanged = () =>
      open.size < size ||
      open.busy < busy ||
      this.#discovery !== discovery ||
      this.#listing.isBusy !== isBusy ||
      this.#hold.isHeld !== isHeld ||
      (this.#shards.hasManyShards &&
        // A draining run starts no shard, and continues as new once its listing is no longer busy.
        (this.#isDraining(discovery)
          ? !this.#listing.isBusy
          : this.#mayStart(discovery) ||
            (loadCheckMs === null && this.#msUntilLoadCheck(discovery) !== null)));
    if (loadCheckMs === null) await condition(hasChanged);
    else if (!(await condition(hasChanged, loadCheckMs, { summary: 'until the next load check' })))
      await this.#window.refreshLoad(this.#context);
  }

  /** Returns the time until the load must be read again, ms. Null if the load is not what prevents another shard. */
  #msUntilLoadCheck(discovery: Discovery): number | null {
    if (!this.#mayBegin(discovery)) return null;
    return this.#window.msUntilLoadCheck(this.#shards.inFlight, this.#shards.sizeOfNext());
  }

  /** True if the run must continue as new soon. A run of many shards does so with open shards too. */
  #isDraining(discovery: Discovery): boolean {
    const { continueAsNewSuggested } = workflowInfo();
    return continueAsNewSuggested && (this.#hasMore(discovery) || this.#shards.hasManyShards);
  }

  /** True if the run may continue as new now. A run with few shards must have no open shards and must not be held. */
  #mayContinue(): boolean {
    return this.#shards.hasManyShards || (this.#shards.open.size === 0 && !this.#hold.isHeld);
  }

  #mayStart(discovery: Discovery): boolean {
    // Starting a shard cannot be cancelled, so a cancellation takes effect between two starts.
    if (CancellationScope.current().consideredCancelled) return false;
    if (!this.#mayBegin(discovery)) return false;
    return this.#window.heldBy(this.#shards.inFlight, this.#shards.sizeOfNext()) === 'nothing';
  }

  /** True if there is a next shard that only the window may prevent. */
  #mayBegin(discovery: Discovery): boolean {
    const { nextShard } = this.#totals.carried;
    const hasPages = nextShard < discovery.pages;
    return !this.#hold.isHeld && !this.#stopCause && hasPages && !this.#hold.isBlocked(nextShard);
  }

  /** Requests approval once the canary is done. Without approval in time, the run ends, even while it is paused. */
  #requestApprovalOnce(): void {
    if (this.#stopCause || this.#shards.open.busy > 0) return;
    if (!this.#hold.isApprovalDue(this.#totals.carried.nextShard)) return;
    this.#awaitApproval();
    const progress = this.#progress();
    this.#notifyOfRequest(progress, this.#hold.approvalCause(progress.totals));
  }

  #notifyOfRequest(progress: RunProgress, cause: RunCause | null): void {
    const nth = this.#totals.addApprovalRequest();
    this.#shards.send(this.#notify('waiting', progress, { cause, nth }));
  }

  #awaitApproval(): void {
    this.#hold
      .untilApproved()
      .then((approved) => (approved ? undefined : this.#expire()))
      // The promise rejects only if the run is cancelled, which is handled elsewhere.
      .catch(() => undefined);
  }

  #expire(): void {
    this.#stopCause = this.#hold.expire();
    this.#shards.resume();
    this.#shards.stop();
    this.#publish();
  }

  #hasMore(discovery: Discovery): boolean {
    const hasPages = this.#totals.carried.nextShard < discovery.pages;
    return !this.#stopCause && (hasPages || this.#listing.hasMore(discovery));
  }

  /** Pauses or stops the run once if too many assets failed. Whoever resumes the run has seen the failures. */
  #checkTolerance(): void {
    const { tolerate } = this.#input.plan;
    const discovery = this.#discovery;
    if (!tolerate || !discovery || this.#totals.carried.breached) return;
    const { failed } = this.#progress().totals;
    const cause = checkTolerance(tolerate, failed, countTaken(discovery));
    if (!cause) return;
    this.#totals.carried.breached = true;
    if (tolerate.onBreach === 'stop') {
      this.#stopCause = cause;
      this.#shards.stop();
      this.#publish();
    } else if (this.#hasMore(discovery) || this.#shards.open.size > 0) {
      this.#pause(cause);
    }
  }

  async #continue(discovery: Discovery): Promise<never> {
    const { carried } = this.#totals;
    if (this.#shards.hasManyShards) await this.#shards.untilSent();
    carried.historyEvents += workflowInfo().historyLength + eventsToClose;
    carried.continuations += 1;
    const { carried: _before, ...input } = this.#input;
    const open = this.#shards.open.carried();
    const state = { open, gate: this.#hold.carried(), stopped: this.#stopCause };
    const next = { ...input, carried: this.#totals.carriedWith(discovery, state) };
    return continueUnlessCancelled<typeof pipelineRun>([next]);
  }

  #pause(cause: RunCause | null): void {
    const change = this.#hold.pause(cause);
    if (change === 'none') return;
    if (change === 'paused') this.#shards.pause();
    this.#publish();
    if (cause?.code === picturesChangedCode) this.#notifyOfRequest(this.#progress(), cause);
  }

  #resume(note: Parameters<RunHold['resume']>[0]): void {
    if (!this.#hold.resume(note)) return;
    this.#shards.resume();
    this.#publish();
  }

  #progress(): RunProgress {
    const openShards = this.#shards.reports();
    const sums = this.#totals.withReports(openShards.map(({ lastReport }) => lastReport));
    sums.historyEvents += workflowInfo().historyLength;
    const { run, plan } = this.#input;
    const canary = this.#hold.canary();
    // The assets of unstarted shards are not added for a finished run, because its totals already include them.
    if (this.#state !== 'finished') sums.totals.total += this.#unstarted();
    return {
      run,
      pipeline: plan.pipeline,
      state: this.#hold.isHeld && isRunInProgress(this.#state) ? 'paused' : this.#state,
      cause: this.#causeOf(sums.totals),
      ...(canary ? { canary } : {}),
      ...this.#deadline.progress,
      inFlight: this.#window.progress(this.#shards.inFlight, this.#shards.sizeOfNext()),
      ...this.#totals.withdrawn,
      discovery: this.#discovery,
      ...hostFields(this.#context),
      ...sums,
      openShards: openShards.map(removeFailures),
      shardsDone: this.#startedShards - this.#shards.open.size,
    };
  }

  /** Returns why the run is held or stopped. A pause comes first: a stopped and paused run ends after its resume. */
  #causeOf(totals: Totals): RunCause | null {
    const holdCause = this.#hold.cause(totals);
    return this.#hold.paused ? (holdCause ?? this.#stopCause) : (this.#stopCause ?? holdCause);
  }

  /** Returns the number of assets in shards that have not been started. */
  #unstarted(): number {
    const { plan } = this.#input;
    return this.#discovery ? countSkipped(this.#discovery, plan, this.#startedShards).total : 0;
  }

  /** Number of started shards, including one that is being started. */
  get #startedShards(): number {
    const { nextShard } = this.#totals.carried;
    return this.#shards.open.has(nextShard) ? nextShard + 1 : nextShard;
  }

  #publish(): void {
    setCurrentDetails(runDetails(this.#input.plan, this.#progress(), this.#outcome));
  }

  #publishOutcome(outcome: RunResult['outcome']): void {
    this.#outcome = outcome;
    this.#publish();
    emitFinished(this.#input, this.#totals.carried, { outcome, cause: this.#stopCause?.code });
    publishOutcome(outcome, this.#input, this.#totals.carried);
  }

  #notify(outcome: NoticeOutcome, sums: ProgressCounts, details?: NoticeDetails): Promise<void> {
    const { totals: assets, failures } = sums;
    return startNotices(this.#input, {
      outcome,
      assets,
      failures,
      ...this.#totals.summary,
      ...details,
    });
  }

  #writeReport(outcome: Outcome, sums: ProgressCounts) {
    const end = { ...sums, ...this.#totals.summary, discovery: this.#discovery };
    return writeRunReport(this.#input, this.#context, { outcome, cause: this.#stopCause, ...end });
  }

  async #finish(discovery: Discovery): Promise<RunResult> {
    this.#state = 'finished';
    const { totals, failures, nextShard } = this.#totals.carried;
    addTotals(totals, countSkipped(discovery, this.#input.plan, nextShard));
    if (nextShard < discovery.pages) await this.#shards.endOrphans();
    const listing = await writeManifests(this.#input, this.#context, this.#discovery);
    this.#stopCause ??= listing.cause;
    const stopped = this.#stopCause;
    const outcome = stopped ? 'failed' : outcomeOf(totals);
    const report = await this.#writeReport(outcome, { totals, failures });
    const unwritten = [...report.warnings, ...listManifestWarnings(this.#input, listing, stopped)];
    await this.#notify(outcome, { totals, failures }, { cause: stopped, report: report.location });
    const ending = { outcome, sums: this.#totals.carried, discovery, stopped, unwritten };
    const historyEvents = this.#totals.historyEvents(this.#input);
    const result = resultOf(this.#input, { ...ending, historyEvents });
    this.#publishOutcome(result.outcome);
    if (result.outcome === 'failed') throw failureOf(result);
    return result;
  }
}
