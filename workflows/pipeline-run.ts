// One run: discovers, keeps a bounded window of shards, adds up, and says how it ended.
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  workflowInfo,
} from '@temporalio/workflow';
import { firstFitting } from '../src/plan/bytes.ts';
import {
  type Discovery,
  type Outcome,
  type RunCarried,
  type RunCause,
  type RunContext,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunStart,
  type ShardProgress,
  type ShardResult,
  workflowIds,
} from '../src/plan/contract.ts';
import { runContextOf } from '../src/plan/run-context.ts';
import { sizeOfShard, takenOf, unstartedTotals, untakenTotals } from '../src/plan/shares.ts';
import { breachOf } from '../src/plan/tolerance.ts';
import { addReport, addTotals, copyOfSums, noTotals, outcomeOf } from '../src/plan/totals.ts';
import { type Failure, planSchema } from '../src/plan/types.ts';
import { runDetails } from './details.ts';
import { assetFailureOf, runCauseOf } from './failures.ts';
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
import { RunGate } from './run-gate.ts';
import { startNotices } from './run-notice.ts';
import { failureOf, resultOf } from './run-result.ts';
import { publishOutcome } from './search-attributes.ts';
import { startShard } from './start-shard.ts';
import { untilDiscovered } from './until-discovered.ts';

/** The last workflow task completes and the execution closes after the length was read. */
const eventsToClose = 2;
/** Failures that a run's result carries; the results pages hold all of them. */
const failuresCarried = { count: 200, bytes: 30_000 };
/** For the search attributes, which have room for a few dozen. */
const modelsCarried = 50;

export async function pipelineRun(start: RunStart): Promise<RunResult> {
  const brought: string = start.plan.schema;
  if (brought !== planSchema) {
    throw ApplicationFailure.nonRetryable(
      `this worker runs plans of ${planSchema}, the run brought ${brought}; start a worker of the version that compiled it, or run or apply the pipeline anew`,
      'PLAN_VERSION',
    );
  }
  return new Run(named(start)).run();
}

class Run {
  readonly #input: RunInput;
  readonly #context: RunContext;
  #state: RunProgress['state'] = 'discovering';
  readonly #gate: RunGate;
  /** Why it begins nothing new any more. */
  #stopped: RunCause | null = null;
  #carried: Omit<RunCarried, 'discovery'>;
  #discovery: Discovery | null;
  readonly #open = new OpenShards();

  constructor(input: RunInput) {
    const { plan, run, lineage, epoch, carried } = input;
    this.#input = input;
    this.#context = runContextOf(plan, { run, lineage, epoch });
    this.#discovery = carried?.discovery ?? null;
    this.#gate = new RunGate(input);
    this.#carried = carried ?? {
      startedAtMs: Date.now(),
      nextShard: 0,
      totals: noTotals(),
      steps: {},
      failures: [],
      failedModels: [],
      requests: {},
      historyEvents: 0,
      continuations: 0,
    };
    setHandler(runProgress, () => this.#progress());
    setHandler(pause, () => this.#pause(null));
    setHandler(resume, () => this.#resume());
    setHandler(approve, () => {
      this.#gate.approve();
      if (this.#gate.approved) this.#carried.approved = true;
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
    this.#publish();
    try {
      this.#discovery ??= await untilDiscovered(this.#input, this.#context, {
        pause: (cause) => this.#pause(cause),
        isPaused: () => this.#gate.paused,
        requests: this.#carried.requests,
      });
      if (this.#carried.continuations === 0) {
        addTotals(this.#carried.totals, untakenTotals(this.#discovery));
        this.#addFailures(this.#discovery.refusals ?? []);
      }
      this.#gate.found(this.#discovery);
      this.#state = 'running';
      this.#checkTolerance();
      await this.#runShards(this.#discovery);
    } catch (error) {
      if (!isCancellation(error)) {
        await this.#tellReceivers('failed', this.#progress(), runCauseOf(error));
        throw error;
      }
      await CancellationScope.nonCancellable(async () => {
        this.#state = 'cancelling';
        this.#gate.refuse();
        this.#publish();
        await condition(() => this.#open.size === 0);
        if (this.#input.searchable) this.#publishOutcome('cancelled');
        await this.#tellReceivers('cancelled', this.#progress());
      });
      throw error;
    }
    return this.#finish(this.#discovery);
  }

  /** Keeps the window full; continues as new only when it has drained, since children of an ended run are not its successor's to await. */
  async #runShards(discovery: Discovery): Promise<void> {
    const { window } = this.#input.plan;
    while (this.#hasMore(discovery) || this.#open.size > 0) {
      this.#askOnce();
      const draining = workflowInfo().continueAsNewSuggested && this.#hasMore(discovery);
      // A pause does not travel, nor does a deadline, so a run that is held stays where it is.
      if (draining && this.#open.size === 0 && !this.#gate.held) await this.#continue(discovery);
      while (!draining && this.#open.busy < window && this.#mayStart(discovery)) {
        await this.#startShard(this.#carried.nextShard);
        this.#carried.nextShard += 1;
      }
      this.#publish();
      const { size, busy } = this.#open;
      const { held } = this.#gate;
      await condition(
        () => this.#open.size < size || this.#open.busy < busy || this.#gate.held !== held,
      );
    }
  }

  #mayStart(discovery: Discovery): boolean {
    const { held } = this.#gate;
    return !held && this.#hasMore(discovery) && !this.#gate.bars(this.#carried.nextShard);
  }

  /** Asks for approval once the canary is done. Nobody's yes is a no, also while the run is paused. */
  #askOnce(): void {
    if (this.#stopped || this.#open.busy > 0) return;
    if (!this.#gate.mustAsk(this.#carried.nextShard)) return;
    this.#gate
      .untilApproved()
      .then((approved) => {
        if (!approved) this.#expire();
      })
      // Only a cancel, which the run itself hears of.
      .catch(() => undefined);
    const progress = this.#progress();
    const question = this.#gate.question(progress.totals);
    this.#tellReceivers('waiting', progress, question).catch(() => undefined);
  }

  #expire(): void {
    this.#stopped = this.#gate.expire();
    this.#tellShards(resume);
    this.#tellShards(stop);
  }

  #hasMore({ pages }: Discovery): boolean {
    return !this.#stopped && this.#carried.nextShard < pages;
  }

  async #startShard(shard: number): Promise<void> {
    const { plan } = this.#input;
    this.#open.start(shard);
    const { paused } = this.#gate;
    const starting = startShard({ plan, context: this.#context, shard, paused });
    const child = await starting.catch((error: unknown) => {
      // One that never was ends never: a run that is cancelled while it starts shards would wait for it.
      this.#open.end(shard);
      throw error;
    });
    child
      .result()
      .then(
        (result) => this.#shardDone(result),
        (error: unknown) => this.#shardFailed(shard, error),
      )
      .catch(() => undefined);
    // A shard that was not there yet could not be told.
    if (this.#stopped) await child.signal(stop).catch(() => undefined);
    if (this.#gate.paused !== paused) {
      await child.signal(this.#gate.paused ? pause : resume).catch(() => undefined);
    }
  }

  #shardDone(result: ShardResult): void {
    this.#open.end(result.shard);
    addReport(this.#carried, result);
    this.#addFailures(result.failures);
    const room = Math.max(modelsCarried - this.#carried.failedModels.length, 0);
    this.#carried.failedModels.push(...result.failedModels.slice(0, room));
    this.#checkTolerance();
  }

  /** A shard that broke takes its assets with it; nobody knows how far they came, so they count as failed. */
  #shardFailed(shard: number, error: unknown): void {
    const last = this.#open.end(shard);
    if (isCancellation(error)) {
      addReport(this.#carried, this.#reportOf(shard, last));
      this.#addFailures(last?.failures ?? []);
      return;
    }
    const size = this.#sizeOf(shard);
    const { message } = assetFailureOf(error instanceof ChildWorkflowFailure ? error.cause : error);
    addTotals(this.#carried.totals, { total: size, complete: 0, failed: size, skipped: 0 });
    this.#addFailures([
      {
        key: workflowIds.shard(this.#input.run, shard),
        node: '',
        code: 'SHARD_FAILED',
        message,
        attempts: 1,
      },
    ]);
    this.#checkTolerance();
  }

  /** A shard that has not opened yet does not know its assets. */
  #reportOf(shard: number, last: ShardProgress | null): Partial<ShardProgress> {
    return { ...last, totals: { ...noTotals(), ...last?.totals, total: this.#sizeOf(shard) } };
  }

  #sizeOf(shard: number): number {
    return sizeOfShard(this.#discovery, this.#input.plan, shard);
  }

  /** Whoever resumes a run that too many failures have paused has looked at them, so it is not asked again. */
  #checkTolerance(): void {
    const { tolerate } = this.#input.plan;
    const found = this.#discovery;
    if (!tolerate || !found || this.#carried.breached) return;
    const cause = breachOf(tolerate, this.#progress().totals.failed, takenOf(found));
    if (!cause) return;
    this.#carried.breached = true;
    if (tolerate.onBreach === 'stop') {
      this.#stopped = cause;
      this.#tellShards(stop);
    } else if (this.#hasMore(found) || this.#open.size > 0) {
      this.#pause(cause);
    }
  }

  #addFailures(failures: readonly Failure[]): void {
    const { failures: known } = this.#carried;
    this.#carried.failures = firstFitting([...known, ...failures], failuresCarried);
  }

  async #continue(discovery: Discovery): Promise<never> {
    this.#carried.historyEvents += workflowInfo().historyLength + eventsToClose;
    this.#carried.continuations += 1;
    const { carried: _before, ...input } = this.#input;
    return continueAsNew<typeof pipelineRun>({
      ...input,
      carried: { ...this.#carried, discovery },
    });
  }

  #pause(cause: RunCause | null): void {
    if (this.#gate.pause(cause)) this.#tellShards(pause);
  }

  #resume(): void {
    this.#gate.resume();
    this.#tellShards(resume);
  }

  #tellShards(signal: SignalDefinition<[]>): void {
    for (const shard of this.#open.numbers()) {
      const handle = getExternalWorkflowHandle(workflowIds.shard(this.#input.run, shard));
      // A shard that has just ended cannot be told, and need not be.
      handle.signal(signal).catch(() => undefined);
    }
    this.#publish();
  }

  #progress(): RunProgress {
    const sums = copyOfSums(this.#carried);
    sums.historyEvents += workflowInfo().historyLength;
    const failures = [...this.#carried.failures];
    for (const [shard, report] of this.#open.reports()) {
      addReport(sums, this.#reportOf(shard, report));
      failures.push(...(report?.failures ?? []));
    }
    const { run, plan } = this.#input;
    const canary = this.#gate.canary();
    // Those of a run that has finished are in its totals.
    if (this.#state !== 'finished') sums.totals.total += this.#unstarted();
    return {
      run,
      pipeline: plan.pipeline,
      state: this.#gate.held && isUnderWay(this.#state) ? 'paused' : this.#state,
      cause: this.#stopped ?? this.#gate.cause(sums.totals),
      ...(canary ? { canary } : {}),
      discovery: this.#discovery,
      ...sums,
      openShards: this.#open.numbers(),
      shardsDone: this.#carried.nextShard - this.#open.size,
      failures: firstFitting(failures, failuresCarried),
    };
  }

  /** Assets of shards that are still to be started. */
  #unstarted(): number {
    const { nextShard } = this.#carried;
    const next = this.#open.has(nextShard) ? nextShard + 1 : nextShard;
    return this.#discovery ? unstartedTotals(this.#discovery, this.#input.plan, next).total : 0;
  }

  #publish(): void {
    setCurrentDetails(runDetails(this.#input.plan, this.#progress()));
  }

  #publishOutcome(outcome: RunResult['outcome']): void {
    publishOutcome(outcome, this.#carried.failures, this.#carried.failedModels);
  }

  #tellReceivers(
    outcome: Outcome | 'waiting',
    { totals, failures }: Pick<RunProgress, 'totals' | 'failures'>,
    cause: RunCause | null = null,
  ): Promise<void> {
    const { plan, run } = this.#input;
    const { startedAtMs } = this.#carried;
    return startNotices(plan, { run, outcome, assets: totals, failures, cause, startedAtMs });
  }

  async #finish(discovery: Discovery): Promise<RunResult> {
    this.#state = 'finished';
    const { totals, failures, nextShard } = this.#carried;
    addTotals(totals, unstartedTotals(discovery, this.#input.plan, nextShard));
    const stopped = this.#stopped;
    const outcome = stopped ? 'failed' : outcomeOf(totals);
    await this.#tellReceivers(outcome, { totals, failures }, stopped);
    const result = resultOf(this.#input, {
      outcome,
      sums: this.#carried,
      discovery,
      stopped,
      historyEvents: this.#historyEvents(),
    });
    this.#publish();
    if (this.#input.searchable) this.#publishOutcome(result.outcome);
    if (result.outcome === 'failed') throw failureOf(result);
    return result;
  }

  /** Of all its executions, up to their close; the outcome's search attributes are an event of their own. */
  #historyEvents(): number {
    const { historyEvents } = this.#carried;
    const toClose = eventsToClose + (this.#input.searchable ? 1 : 0);
    return historyEvents + workflowInfo().historyLength + toClose;
  }
}

function isUnderWay(state: RunProgress['state']): boolean {
  return state === 'discovering' || state === 'running';
}
