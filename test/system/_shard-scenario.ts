// Runs the workflow of one shard with fake activities that record their calls, on a server that skips time.

import { Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type Activities,
  type ShardInput,
  type ShardResult,
  workflowNames,
} from '../../src/plan/contract/contract.ts';
import type { OpenedShard, StepInput, StepReport } from '../../src/plan/shard/step-contract.ts';
import type { Plan, Step } from '../../src/plan/types.ts';
import { runContext } from '../engine/_context.ts';
import { AllQueues } from './_all-queues.ts';
import type { FakeActivities } from './_fake-activities.ts';
import { planOf } from './_run-scenario.ts';
import { useTimeSkipping } from './_temporal.ts';

/** The result of an activity; by default all its assets are done at once. */
export interface FakeStepResult extends Partial<StepReport> {
  takesMs?: number;
}

export interface ShardScenario {
  steps: Step[];
  assets: number;
  /** `nth` counts the calls of this step from 0. It may throw. */
  runStep?: (input: StepInput, nth: number) => FakeStepResult;
  /** Called before a part is finalized; it may throw. */
  onFinalize?: (nth: number) => void;
  opened?: Partial<OpenedShard>;
  plan?: Partial<Plan>;
}

/** Times are in whole minutes since the start of the shard, without the seconds that are not skipped. */
export interface ShardScenarioRun {
  readonly handle: WorkflowHandle<(input: ShardInput) => Promise<ShardResult>>;
  readonly calls: { step: string; assets: number[]; at: number; wait: StepInput['wait'] }[];
  readonly finalized: { part: number; outcomes: Record<number, string>; at: number }[];
  /** Assets whose work on the platform is to be cancelled. */
  readonly cancelled: number[];
  /** Names of the signals that the shard has sent to its run. */
  sentSignals(): Promise<string[]>;
  /** Skips this many minutes. */
  pass(minutes: number): Promise<void>;
}

export interface ShardScenarios {
  start(name: string, play: ShardScenario): Promise<ShardScenarioRun>;
}

/** Waits check for a cancellation this often. */
const sliceMs = 1_000;

export function useShardScenarios(): ShardScenarios {
  const inUse = useTimeSkipping();
  const taskQueue = `played-shards-${process.pid}`;
  const plays = new Map<string, ScenarioState>();
  const playOf = (run: string) => {
    const play = plays.get(run);
    if (!play) throw new Error(`no shard of ${run} was started`);
    return play;
  };
  let worker: AllQueues;
  let working: Promise<void>;
  beforeAll(async () => {
    const activities: FakeActivities = {
      openShard: ({ context }) => playOf(context.run).open(),
      template_match: (input) => playOf(input.context.run).call(input),
      finalizeAssets: (input) => playOf(input.context.run).finalizeAssets(input),
      cancelRemoteJobs: (input) => playOf(input.context.run).cancelRemote(input),
    };
    worker = await AllQueues.create({
      connection: inUse.environment.nativeConnection,
      taskQueue,
      workflowBundle: { codePath: inject('workflowBundle') },
      activities,
      // Cancellations come with the responses to heartbeats.
      maxHeartbeatThrottleInterval: '100ms',
    });
    working = worker.run();
  }, 120_000);
  afterAll(async () => {
    worker.shutdown();
    await working;
  });
  return {
    async start(name, given) {
      const { environment } = inUse;
      const play = new ScenarioState(given, environment, await environment.currentTimeMs());
      plays.set(name, play);
      const plan = planOf('/nowhere', given.steps, given.plan);
      const context = runContext({ run: name });
      const handle = await environment.client.workflow.start<
        (input: ShardInput) => Promise<ShardResult>
      >(workflowNames.shard, {
        taskQueue,
        workflowId: `${name}/shard`,
        args: [{ plan, context, shard: 0, parent: name, paused: false }],
      });
      const { calls, finalized, cancelled } = play;
      return {
        handle,
        calls,
        finalized,
        cancelled,
        pass: (minutes) => environment.sleep(minutes * 60_000),
        async sentSignals() {
          const { events } = await handle.fetchHistory();
          return (events ?? []).flatMap(
            (event) =>
              event.signalExternalWorkflowExecutionInitiatedEventAttributes?.signalName ?? [],
          );
        },
      };
    },
  };
}

type Environment = ReturnType<typeof useTimeSkipping>['environment'];

class ScenarioState {
  readonly calls: ShardScenarioRun['calls'] = [];
  readonly finalized: ShardScenarioRun['finalized'] = [];
  readonly cancelled: number[] = [];
  readonly #play: ShardScenario;
  readonly #environment: Environment;
  readonly #startedMs: number;
  readonly #running = new Set<Promise<unknown>>();
  #settlings = 0;

  constructor(play: ShardScenario, environment: Environment, startedMs: number) {
    this.#play = play;
    this.#environment = environment;
    this.#startedMs = startedMs;
  }

  async open(): Promise<OpenedShard> {
    const assets = Array.from({ length: this.#play.assets }, (_, at) => at);
    const keys = assets.map((at) => `a-${at}`);
    return { assets, keys, complete: [], takenByOtherRuns: [], pages: [], ...this.#play.opened };
  }

  async call(input: StepInput) {
    const { step, assets, wait } = input;
    const nth = this.calls.filter((call) => call.step === step.id).length;
    const call = { step: step.id, assets, wait, at: 0 };
    this.calls.push(call);
    call.at = await this.#now();
    const { takesMs = 0, ...report } = this.#play.runStep?.(input, nth) ?? {};
    await this.#tracked(wait ? this.#waitFor(takesMs) : this.#sleep(takesMs));
    const told = Object.values(report).flat();
    const done = assets.filter((at) => !told.includes(at));
    const rest = {
      pruned: [],
      failed: [],
      retry: [],
      pages: [],
      reportedFailures: [],
      requests: { [step.id]: 1 },
    };
    return { done, ...rest, ...report };
  }

  async finalizeAssets({
    part,
    outcomes: finalized,
  }: Parameters<Activities['finalizeAssets']>[0]): Promise<undefined> {
    this.#settlings += 1;
    this.#play.onFinalize?.(this.#settlings - 1);
    const outcomes = Object.fromEntries(
      finalized.map(({ assetIndex: at, outcome }) => [at, outcome]),
    );
    this.finalized.push({ part, outcomes, at: await this.#now() });
    const ended = this.finalized.flatMap((one) => Object.keys(one.outcomes)).length;
    // The workflow ends now. The server would never skip time again if a wait that was interrupted ended after it.
    if (ended === this.#play.assets) await Promise.allSettled(this.#running);
  }

  async cancelRemote({ assets }: Parameters<Activities['cancelRemoteJobs']>[0]) {
    this.cancelled.push(...assets);
    return { pages: [], requests: {} };
  }

  async #now(): Promise<number> {
    const ms = (await this.#environment.currentTimeMs()) - this.#startedMs;
    return Math.floor(ms / 60_000);
  }

  async #sleep(ms: number): Promise<void> {
    if (ms > 0) await this.#environment.sleep(ms);
  }

  async #tracked(work: Promise<void>): Promise<void> {
    this.#running.add(work);
    try {
      await work;
    } finally {
      this.#running.delete(work);
    }
  }

  async #waitFor(ms: number): Promise<void> {
    const { cancellationSignal } = Context.current();
    for (let leftMs = ms; leftMs > 0; leftMs -= sliceMs) {
      cancellationSignal.throwIfAborted();
      Context.current().heartbeat();
      await this.#sleep(Math.min(leftMs, sliceMs));
    }
  }
}
