// One run: discovers, keeps a bounded window of shards, adds up, and says how it ended.
import {
  ApplicationFailure,
  CancellationScope,
  ChildWorkflowCancellationType,
  ChildWorkflowFailure,
  condition,
  continueAsNew,
  getExternalWorkflowHandle,
  isCancellation,
  ParentClosePolicy,
  proxyActivities,
  type SignalDefinition,
  setCurrentDetails,
  setHandler,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import {
  type Activities,
  type Discovery,
  type Outcome,
  type RunCarried,
  type RunCause,
  type RunContext,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunStart,
  runCauseType,
  type ShardResult,
  workflowIds,
} from '../src/plan/contract.ts';
import { runContextOf } from '../src/plan/run-context.ts';
import { sizeOfShard, takenOf, unstartedTotals, untakenTotals } from '../src/plan/shares.ts';
import { breachOf } from '../src/plan/tolerance.ts';
import {
  addReport,
  addRequests,
  addTotals,
  copyOfSums,
  noTotals,
  outcomeOf,
} from '../src/plan/totals.ts';
import { type Failure, planSchema } from '../src/plan/types.ts';
import { bookkeeping } from './activity-options.ts';
import { assetBatch } from './asset-batch.ts';
import { runDetails } from './details.ts';
import { assetFailureOf, runCauseOf } from './failures.ts';
import {
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
import { startNotices } from './run-notice.ts';
import { publishOutcome, publishPause } from './search-attributes.ts';

const { discover } = proxyActivities<Activities>(bookkeeping);

/** The last workflow task completes and the execution closes after the length was read. */
const eventsToClose = 2;
/** Failures that a run's result carries; the results pages hold all of them. */
const failuresCarried = 200;

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
  #cause: RunCause | null = null;
  #paused = false;
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
      this.#discovery ??= await this.#untilDiscovered();
      if (this.#carried.continuations === 0) {
        addTotals(this.#carried.totals, untakenTotals(this.#discovery));
        this.#addFailures(this.#discovery.refused);
      }
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
        this.#publish();
        await condition(() => this.#open.size === 0);
        if (this.#input.searchable) this.#publishOutcome('cancelled');
        await this.#tellReceivers('cancelled', this.#progress());
      });
      throw error;
    }
    return this.#finish(this.#discovery);
  }

  async #untilDiscovered(): Promise<Discovery> {
    for (;;) {
      try {
        const { plan, ids, limits } = this.#input;
        const { discovery, shardSize } = plan;
        const input = {
          context: this.#context,
          discovery,
          shardSize,
          ...(ids ? { ids } : {}),
          ...(limits ? { caps: { limits, plan } } : {}),
        };
        const { requests = {}, ...found } = await discover(input);
        addRequests(this.#carried.requests, requests);
        return found;
      } catch (error) {
        const cause = runCauseOf(error);
        if (!cause) throw error;
        if (cause.kind === 'never' || cause.kind === 'not-found') {
          throw ApplicationFailure.create({
            message: `${cause.code}: ${cause.message}. ${cause.fix}`,
            type: runCauseType,
            nonRetryable: true,
            details: [cause],
          });
        }
        this.#pause(cause);
        await condition(() => !this.#paused);
      }
    }
  }

  /** Keeps the window full; continues as new only when it has drained, since children of an ended run are not its successor's to await. */
  async #runShards(discovery: Discovery): Promise<void> {
    const { window } = this.#input.plan;
    while (this.#hasMore(discovery) || this.#open.size > 0) {
      const draining = workflowInfo().continueAsNewSuggested && this.#hasMore(discovery);
      // A pause does not travel, so a paused run stays where it is.
      if (draining && this.#open.size === 0 && !this.#paused) await this.#continue(discovery);
      while (!draining && !this.#paused && this.#open.busy < window && this.#hasMore(discovery)) {
        await this.#startShard(this.#carried.nextShard);
        this.#carried.nextShard += 1;
      }
      this.#publish();
      const { size, busy } = this.#open;
      const paused = this.#paused;
      await condition(
        () => this.#open.size < size || this.#open.busy < busy || this.#paused !== paused,
      );
    }
  }

  #hasMore({ pages }: Discovery): boolean {
    return !this.#stopped && this.#carried.nextShard < pages;
  }

  async #startShard(shard: number): Promise<void> {
    const { plan, run } = this.#input;
    this.#open.start(shard);
    const paused = this.#paused;
    const child = await startChild(assetBatch, {
      workflowId: workflowIds.shard(run, shard),
      args: [
        {
          plan,
          context: this.#context,
          shard,
          parent: workflowInfo().workflowId,
          paused,
        },
      ],
      staticSummary: `${plan.pipeline} · shard ${shard + 1}`,
      cancellationType: ChildWorkflowCancellationType.WAIT_CANCELLATION_COMPLETED,
      parentClosePolicy: ParentClosePolicy.REQUEST_CANCEL,
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
    if (this.#paused !== paused) {
      await child.signal(this.#paused ? pause : resume).catch(() => undefined);
    }
  }

  #shardDone(result: ShardResult): void {
    this.#open.end(result.shard);
    addReport(this.#carried, result);
    this.#addFailures(result.failures);
    this.#carried.failedModels.push(...result.failedModels);
    this.#checkTolerance();
  }

  /** A shard that broke takes its assets with it; nobody knows how far they came, so they count as failed. */
  #shardFailed(shard: number, error: unknown): void {
    const last = this.#open.end(shard);
    if (isCancellation(error)) {
      addReport(this.#carried, last ?? {});
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

  #sizeOf(shard: number): number {
    return sizeOfShard(this.#discovery, this.#input.plan.shardSize, shard);
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
    const room = failuresCarried - this.#carried.failures.length;
    this.#carried.failures.push(...failures.slice(0, Math.max(room, 0)));
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
    this.#cause ??= cause;
    if (this.#paused) return;
    this.#paused = true;
    if (this.#input.searchable) publishPause(true);
    this.#tellShards(pause);
  }

  #resume(): void {
    this.#cause = null;
    if (this.#paused && this.#input.searchable) publishPause(false);
    this.#paused = false;
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
      addReport(sums, report ?? { totals: { ...noTotals(), total: this.#sizeOf(shard) } });
      failures.push(...(report?.failures ?? []));
    }
    return {
      run: this.#input.run,
      pipeline: this.#input.plan.pipeline,
      state: this.#paused && isUnderWay(this.#state) ? 'paused' : this.#state,
      cause: this.#stopped ?? this.#cause,
      discovery: this.#discovery,
      ...sums,
      openShards: this.#open.numbers(),
      shardsDone: this.#carried.nextShard - this.#open.size,
      failures: failures.slice(0, failuresCarried),
    };
  }

  #publish(): void {
    setCurrentDetails(runDetails(this.#input.plan, this.#progress()));
  }

  #publishOutcome(outcome: RunResult['outcome']): void {
    publishOutcome(outcome, this.#carried.failures, this.#carried.failedModels);
  }

  #tellReceivers(
    outcome: Outcome,
    { totals, failures }: Pick<RunProgress, 'totals' | 'failures'>,
    cause: RunCause | null = null,
  ): Promise<void> {
    const { plan, run } = this.#input;
    const { startedAtMs } = this.#carried;
    return startNotices(plan, { run, outcome, assets: totals, failures, cause, startedAtMs });
  }

  /** Closes the run: a failed run closes as Failed, with its result as the failure's detail. */
  async #finish(discovery: Discovery): Promise<RunResult> {
    const { totals, failures, requests, historyEvents, startedAtMs, nextShard } = this.#carried;
    addTotals(totals, unstartedTotals(discovery, this.#input.plan.shardSize, nextShard));
    const cause = this.#stopped;
    const outcome = cause ? 'failed' : outcomeOf(totals);
    await this.#tellReceivers(outcome, { totals, failures }, cause);
    const result: RunResult = {
      run: this.#input.run,
      pipeline: this.#input.plan.pipeline,
      outcome,
      assets: {
        ...totals,
        new: discovery.new,
        changed: discovery.changed,
        unchanged: discovery.unchanged,
      },
      ...(cause ? { cause } : {}),
      failures,
      ...(discovery.warnings ? { warnings: discovery.warnings } : {}),
      requests,
      // The outcome's search attributes are an event of their own.
      historyEvents:
        historyEvents +
        workflowInfo().historyLength +
        eventsToClose +
        (this.#input.searchable ? 1 : 0),
      startedAtMs,
      seconds: Math.round((Date.now() - startedAtMs) / 100) / 10,
    };
    this.#state = 'finished';
    this.#publish();
    if (this.#input.searchable) this.#publishOutcome(result.outcome);
    if (result.outcome === 'failed') {
      throw ApplicationFailure.create({
        message: cause
          ? `${cause.code}: ${cause.message}`
          : `all ${totals.failed} of ${totals.total} assets failed`,
        type: 'RunFailed',
        nonRetryable: true,
        details: [result],
      });
    }
    return result;
  }
}

function isUnderWay(state: RunProgress['state']): boolean {
  return state === 'discovering' || state === 'running';
}
