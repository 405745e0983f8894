// Runs on a platform with a rate limit, on a server that skips time: the real workflows, with activities that only take
// the requests and the time of a platform.
import { ApplicationFailure, Context } from '@temporalio/activity';
import { afterEach, inject } from 'vitest';
import {
  type RunInput,
  type RunProgress,
  workflowNames,
} from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import { sizeOfShard } from '../../src/plan/contract/sharding.ts';
import type { StepInput, StepOutput } from '../../src/plan/shard/step-contract.ts';
import type { Load } from '../../src/plan/shard/window.ts';
import type { Plan } from '../../src/plan/types.ts';
import { startTimeSkipping } from '../../src/temporal/server/test-server.ts';
import { step } from '../plan/_steps.ts';
import { AllQueues } from '../system/_all-queues.ts';
import type { FakeActivities } from '../system/_fake-activities.ts';
import { planOf } from '../system/_run-scenario.ts';

const taskQueue = 'allowance-scenario';
const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** Long timeouts, since skipped time without heartbeats does not mean a dead worker. */
const quiet = { startToCloseMs: dayMs, heartbeatMs: dayMs, timeoutMs: dayMs };
/** Activities check for cancellation and the end of the test this often. */
const sliceMs = 20_000;

const steps = [
  step('upload', [], { activity: 'connector_poll', batch: 50, ...quiet }),
  step('ready', ['upload'], { activity: 'model_ready', mode: 'wait', batch: 250, ...quiet }),
  step('shots', ['ready'], { activity: 'render', batch: 50, ...quiet }),
  step('done', ['shots'], { activity: 'render_complete', mode: 'wait', batch: 250, ...quiet }),
  step('deliver', ['done'], { activity: 'export', batch: 50, ...quiet }),
];

export interface AllowanceScenario {
  assets: number;
  plan?: Partial<Plan>;
  /** Requests per minute. */
  allowance: number;
  /** Requests of a call with fifty assets, by step id. */
  requests: Partial<Record<'upload' | 'shots' | 'deliver', number>>;
  /** Duration of an asset in a step, ms: waits run in parallel, calls of the worker one after the other. */
  takesMs: Partial<Record<'upload' | 'ready' | 'shots' | 'done' | 'deliver', number>>;
  /** The memory that the worker reports. */
  memory?: () => number;
}

export interface AllowanceScenarioRun {
  /** Requests sent in each minute since the start. */
  readonly sent: readonly number[];
  /** Number of times that the load was read. */
  readonly polls: () => number;
  pass(minutes: number): Promise<void>;
  progress(): Promise<RunProgress>;
}

/** Each run has its own server, since a server stops skipping time when an activity outlives its workflow. */
export function useAllowanceScenarios(): {
  start(name: string, play: AllowanceScenario): Promise<AllowanceScenarioRun>;
} {
  let played: StartedScenario | null = null;
  afterEach(async () => {
    await played?.stop();
    played = null;
  });
  return {
    async start(name, play) {
      const environment = await startTimeSkipping(inject('testServerPath'));
      const platform = new Platform(play, environment, await environment.currentTimeMs());
      const worker = await workerOf(platform, environment);
      const working = worker.run();
      const ended = new AbortController();
      /** A call that outlives its connection, as after a timeout of the test, would be retried and throw. */
      const untilEnd = <T>(call: () => Promise<T>) =>
        environment.connection.withAbortSignal(ended.signal, call);
      played = {
        async stop() {
          ended.abort();
          platform.end();
          await environment.client.workflow.getHandle(name).terminate();
          worker.shutdown();
          await working;
          await environment.teardown();
        },
      };
      const { plan } = platform;
      const input: RunInput = { plan, run: name, lineage: name, epoch: 0, searchable: false };
      const handle = await environment.client.workflow.start(workflowNames.run, {
        taskQueue,
        workflowId: name,
        args: [input],
      });
      return {
        sent: platform.sent,
        polls: () => platform.looks,
        pass: (minutes) => untilEnd(() => environment.sleep(minutes * minuteMs)),
        progress: () => untilEnd(() => handle.query<RunProgress>(messages.progress)),
      };
    },
  };
}

function workerOf(platform: Platform, { nativeConnection }: Environment): Promise<AllQueues> {
  const call = (input: StepInput) => platform.call(input);
  const wait = (input: StepInput) => platform.wait(input);
  const activities: FakeActivities = {
    discover: async () => platform.found,
    openShard: async ({ shard }) => platform.open(shard),
    connector_poll: call,
    model_ready: wait,
    render: call,
    render_complete: wait,
    export: call,
    finalizeAssets: async () => undefined,
    compactPages: async () => ({ pages: [] }),
    readLoad: () => platform.look(),
  };
  return AllQueues.create({
    connection: nativeConnection,
    taskQueue,
    workflowBundle: { codePath: inject('workflowBundle') },
    activities,
    maxConcurrentActivityTaskExecutions: 2_000,
  });
}

interface StartedScenario {
  stop(): Promise<void>;
}

type Environment = Awaited<ReturnType<typeof startTimeSkipping>>;

const apartMs = 200;

class Platform {
  readonly plan: Plan;
  readonly found;
  readonly sent: number[] = [];
  looks = 0;
  #isOver = false;
  readonly #play: AllowanceScenario;
  readonly #environment: Environment;
  readonly #startedMs: number;
  /** Times from which the next request may be sent and the next call of the worker may start. */
  #freeMs = { allowance: 0, worker: 0 };
  /** End times already in use, by shard. */
  readonly #ends = new Map<number, Set<number>>();

  constructor(play: AllowanceScenario, environment: Environment, startedMs: number) {
    this.#play = play;
    this.#environment = environment;
    this.#startedMs = startedMs;
    this.plan = planOf('/nowhere', steps, { inFlight: 25_000, ...play.plan });
    const { assets: total } = play;
    const pages = Math.ceil(total / this.plan.shardSize);
    this.found = { pages, total, new: total, changed: 0, unchanged: 0, refused: 0 };
  }

  open(shard: number) {
    const size = sizeOfShard(this.found, this.plan, shard);
    const assets = Array.from({ length: size }, (_, at) => at);
    return { assets, keys: [], complete: [], takenByOtherRuns: [], pages: [] };
  }

  /** Waits for its requests in the queue of all calls, and for the worker. */
  async call({ step: { id }, shard, assets }: StepInput): Promise<StepOutput> {
    const name = id as 'upload' | 'shots' | 'deliver';
    const nowMs = await this.#environment.currentTimeMs();
    const requests = Math.ceil(((this.#play.requests[name] ?? 0) * assets.length) / 50);
    let untilMs = nowMs;
    for (let sent = 0; sent < requests; sent += 1) {
      untilMs = Math.max(nowMs, this.#freeMs.allowance);
      this.#freeMs.allowance = untilMs + minuteMs / this.#play.allowance;
      const minute = Math.floor((untilMs - this.#startedMs) / minuteMs);
      this.sent[minute] = (this.sent[minute] ?? 0) + 1;
    }
    const takesMs = this.#play.takesMs[name] ?? 0;
    if (takesMs > 0) {
      this.#freeMs.worker = Math.max(untilMs, this.#freeMs.worker) + takesMs;
      untilMs = this.#freeMs.worker;
    }
    await this.#sleep(this.#endMs(shard, untilMs) - nowMs);
    return { ...this.#done(assets), ...this.#load(await this.#environment.currentTimeMs()) };
  }

  /** Wakes everything that sleeps. */
  end(): void {
    this.#isOver = true;
  }

  async #sleep(ms: number): Promise<void> {
    for (let leftMs = ms; leftMs > 0; leftMs -= sliceMs) {
      await this.#environment.sleep(Math.min(leftMs, sliceMs));
      if (this.#isOver) throw ApplicationFailure.nonRetryable('it is over');
    }
  }

  /** Activities of a shard end at different times: the test server loses a workflow task that cancels an ended one. */
  #endMs(shard: number, ms: number): number {
    const ends = this.#ends.get(shard) ?? new Set();
    this.#ends.set(shard, ends);
    let end = Math.ceil(ms / apartMs);
    while (ends.has(end)) end += 1;
    ends.add(end);
    return end * apartMs;
  }

  /** Passes on full calls, and the rest at the end. */
  async wait({ step: { id }, shard, assets, wait }: StepInput): Promise<StepOutput> {
    const takesMs = this.#play.takesMs[id as 'ready' | 'done'] ?? 0;
    const endsMs = assets
      .map((at, index) => ({ at, ms: (wait?.enteredAtMs[index] ?? 0) + takesMs + 20 * at }))
      .sort((one, other) => one.ms - other.ms);
    const enough = this.#endMs(
      shard,
      endsMs[Math.min(wait?.batchAssets ?? 1, endsMs.length) - 1]?.ms ?? 0,
    );
    for (;;) {
      const nowMs = await this.#environment.currentTimeMs();
      if (nowMs >= enough) {
        const done = endsMs.filter(({ ms }) => ms <= nowMs).map(({ at }) => at);
        return { ...this.#done(done), ...this.#load(nowMs) };
      }
      Context.current().cancellationSignal.throwIfAborted();
      Context.current().heartbeat();
      await this.#sleep(Math.min(enough - nowMs, sliceMs));
    }
  }

  async look(): Promise<Load> {
    this.looks += 1;
    return this.#loadAt(await this.#environment.currentTimeMs());
  }

  /** The load as workers report it, which is nothing while there is plenty of allowance and memory. */
  #load(nowMs: number): { load?: Load } {
    const load = this.#loadAt(nowMs);
    return Math.max(load.pressure, load.memory) < 0.5 ? {} : { load };
  }

  #loadAt(nowMs: number): Load {
    const minute = Math.floor((nowMs - this.#startedMs) / minuteMs);
    const pressure = Math.min(1, (this.sent[minute] ?? 0) / this.#play.allowance);
    return { pressure, memory: this.#play.memory?.() ?? 0.1 };
  }

  #done(done: number[]): StepOutput {
    return {
      done,
      pruned: [],
      failed: [],
      retry: [],
      pages: [],
      reportedFailures: [],
      requests: {},
    };
  }
}
