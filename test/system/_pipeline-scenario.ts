// Runs the workflows of a run and its shards with fake activities that record their calls.

import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type DiscoverResult,
  type RunInput,
  type RunProgress,
  type RunResult,
  type RunWarning,
  runCauseType,
  type ShardCount,
  workflowIds,
  workflowNames,
} from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import { sizeOfShard } from '../../src/plan/contract/sharding.ts';
import type { WithdrawResult } from '../../src/plan/contract/withdraw-contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { OpenedShard, StepReport } from '../../src/plan/shard/step-contract.ts';
import { noLoad } from '../../src/plan/shard/window.ts';
import type { Plan } from '../../src/plan/types.ts';
import { connectTemporal, connectWorker } from '../../src/temporal/connection/connect.ts';
import { step } from '../plan/_steps.ts';
import { AllQueues } from './_all-queues.ts';
import type { FakeActivities } from './_fake-activities.ts';
import { planOf } from './_run-scenario.ts';
import { waitUntil } from './_stack.ts';

type Maybe<T> = T | undefined | Promise<T | undefined>;

/** Results of the activities. Each may wait or throw; the default is success. */
export interface PipelineScenario {
  /** Number of new assets; each shard gets two. */
  assets: number;
  plan?: Partial<Plan>;
  input?: Partial<RunInput>;
  found?: Partial<DiscoverResult>;
  /** `nth` counts from 0. The result replaces `found` for this discovery page. */
  discover?: (nth: number, stretch?: number) => Maybe<Partial<DiscoverResult> | void>;
  open?: (shard: number) => Maybe<Partial<OpenedShard>>;
  runStep?: (shard: number, assets: number[]) => Maybe<Partial<StepReport>>;
  finalize?: (shard: number, part: number) => Maybe<void>;
  /** A side step. */
  sideStep?: (shard: number) => Maybe<void>;
  count?: (shard: number) => Maybe<ShardCount>;
  withdraw?: () => Maybe<WithdrawResult>;
  /** `nth` counts from 1. */
  writeManifests?: (nth: number) => Maybe<RunWarning[] | void>;
  writeReport?: () => Maybe<void>;
}

/** How a run ended, with its result, or with the result that its failure carries. */
export interface ScenarioEnd {
  status: 'completed' | 'failed' | 'cancelled';
  result: RunResult | null;
  /** The message of a failure. */
  message: string;
  cause: RunCause | null;
}

export interface PipelineScenarioRun {
  readonly handle: WorkflowHandle;
  /** All calls in order: the activity and its subject. */
  readonly calls: readonly string[];
  /** The subjects of the calls of this activity, sorted, since shards run in parallel. */
  callsOf(activity: string): string[];
  progress(): Promise<RunProgress>;
  /** Resolves when the progress of the run passes the check. */
  waitForProgress(what: string, check: (progress: RunProgress) => boolean): Promise<RunProgress>;
  /** Resolves when the activity has been called this often. */
  waitForCalls(activity: string, times: number): Promise<void>;
  /** Resolves when a cancellation has reached the running activities of this workflow. */
  waitForCancel(workflow: WorkflowHandle): Promise<void>;
  signal(name: 'pause' | 'resume' | 'approve'): Promise<void>;
  shard(number: number): WorkflowHandle;
  end(): Promise<ScenarioEnd>;
  /** Each version of the search attributes that the workflow has set. */
  attributes(): Promise<Record<string, unknown>[]>;
  /** Number of executions of the run so far, by continue-as-new. */
  executions(): Promise<number>;
}

export interface PipelineScenarios {
  start(play: PipelineScenario, withSignal?: SentWithStart): Promise<PipelineScenarioRun>;
}

/** A signal that is sent with the start of the run. */
interface SentWithStart {
  signal: string;
  signalArgs: unknown[];
}

interface TemporalConnection {
  readonly client: Client;
  readonly connection: NativeConnection;
  /** @default 'default' */
  readonly namespace?: string;
  close?: () => Promise<void>;
}

/** Connects to a real server, which does not skip time. */
export async function connectToTemporal(env: Record<string, string>): Promise<TemporalConnection> {
  const asked = await connectTemporal({ env });
  const worked = await connectWorker({ env });
  return {
    client: asked.client,
    connection: worked.connection,
    namespace: worked.namespace,
    async close() {
      await asked.close();
      await worked.close();
    },
  };
}

export function usePipelineScenarios(
  place: () => Promise<TemporalConnection> | TemporalConnection,
): PipelineScenarios {
  const taskQueue = `played-pipelines-${process.pid}`;
  const plays = new Map<string, ScenarioState>();
  let worker: AllQueues;
  let working: Promise<void>;
  let at: TemporalConnection;
  beforeAll(async () => {
    at = await place();
    worker = await AllQueues.create({
      connection: at.connection,
      ...(at.namespace === undefined ? {} : { namespace: at.namespace }),
      taskQueue,
      workflowBundle: { codePath: inject('workflowBundle') },
      activities: activitiesOf(
        (run) => {
          const play = plays.get(run);
          if (!play) throw ApplicationFailure.nonRetryable(`no run ${run} was started`);
          return play;
        },
        () => at.client,
      ),
      // Activities receive cancellations with heartbeats.
      maxHeartbeatThrottleInterval: 20,
      // A failed test may leave activities blocked.
      shutdownForceTime: '5s',
    });
    working = worker.run();
  }, 120_000);
  afterAll(async () => {
    worker.shutdown();
    await working;
    await at.close?.();
  });
  return {
    async start(given, withSignal) {
      const name = `played-${plays.size + 1}`;
      const { client } = at;
      const play = new ScenarioState(given);
      plays.set(name, play);
      const { plan } = play;
      const input = { plan, run: name, lineage: name, epoch: 0, searchable: false, ...given.input };
      const options = { taskQueue, workflowId: name, args: [input] };
      const handle = await (withSignal
        ? client.workflow.signalWithStart(workflowNames.run, { ...options, ...withSignal })
        : client.workflow.start(workflowNames.run, options));
      return playedOf({ client, name, handle: client.workflow.getHandle(handle.workflowId), play });
    },
  };
}

function activitiesOf(
  playOf: (run: string) => ScenarioState,
  client: () => Client,
): FakeActivities {
  return {
    discover: ({ context, discoveryPage: stretch }) => playOf(context.run).discover(stretch),
    openShard: ({ context, shard }) => playOf(context.run).open(shard),
    template_match: ({ context, shard, assets }) => playOf(context.run).make(shard, assets),
    export: ({ context, shard, assets }) => playOf(context.run).tell(shard, assets),
    finalizeAssets: async ({ context, shard, part, outcomes: settled }) => {
      const outcomes = settled.map(({ outcome }) => outcome);
      await playOf(context.run).finalizeAssets(shard, part, outcomes);
      return undefined;
    },
    countShard: ({ context, shard }) => playOf(context.run).count(shard),
    cancelRemoteJobs: async ({ context, shard, assets }) => {
      playOf(context.run).note('cancelRemoteJobs', `${shard}: ${assets.join(' ')}`);
      return { pages: [], requests: {} };
    },
    listClosedShards: async ({ context, shards }) => {
      playOf(context.run).note('listClosedShards', shards.join(' '));
      const ended = await Promise.all(
        shards.map(async (shard) => {
          const { status } = await client()
            .workflow.getHandle(workflowIds.shard(context.run, shard))
            .describe();
          return status.name === 'RUNNING' ? [] : [shard];
        }),
      );
      return ended.flat();
    },
    readLoad: async ({ context }) => {
      playOf(context.run).note('readLoad', '');
      return noLoad;
    },
    endOrphanedChildren: async ({ context, firstShard: from, count }) => {
      playOf(context.run).note(
        'endOrphanedChildren',
        `${from}${count === undefined ? '' : ` ${count}`}`,
      );
    },
    withdraw: ({ context }) => playOf(context.run).withdraw(),
    writeManifests: ({ context, manifests }) =>
      playOf(context.run).writeManifests(manifests.map(({ path }) => path).join(' ')),
    writeReport: ({ context, path }) => playOf(context.run).writeReport(path),
    sendNotice: async ({ notice: { run, outcome, cause, assets, withdrawn } }) => {
      const { total, complete, failed, skipped } = assets;
      const gone = withdrawn ? ` withdrawn ${withdrawn.archived}` : '';
      const counts = `${total} ${complete} ${failed} ${skipped}${gone}`;
      playOf(run).note('sendNotice', `${outcome} ${cause?.code ?? '-'} ${counts}`);
      return { status: 200, attempts: 1 };
    },
  };
}

const day = 24 * 3_600_000;
/** Long timeouts, since skipped time without heartbeats does not mean a dead worker. */
const quiet = { startToCloseMs: day, heartbeatMs: day, timeoutMs: day };

class ScenarioState {
  readonly calls: string[] = [];
  readonly plan: Plan;
  readonly #play: PipelineScenario;

  constructor(play: PipelineScenario) {
    this.#play = play;
    this.plan = planOf('/nowhere', [step('make', [], quiet)], { shardSize: 2, ...play.plan });
  }

  note(activity: string, what: string): void {
    this.calls.push(what === '' ? activity : `${activity} ${what}`);
  }

  async discover(stretch?: number): Promise<DiscoverResult> {
    const nth = this.calls.filter((call) => call.startsWith('discover')).length;
    this.note('discover', stretch ? String(stretch) : '');
    const overrides = (await this.#play.discover?.(nth, stretch)) ?? {};
    return { ...this.#found(), ...overrides, requests: { listModels: 1 } };
  }

  async open(shard: number): Promise<OpenedShard> {
    this.note('openShard', String(shard));
    const opened = await this.#play.open?.(shard);
    const size = sizeOfShard(this.#found(), this.plan, shard);
    const assets = opened?.assets ?? Array.from({ length: size }, (_, at) => at);
    const keys = assets.map((at) => `${shard}-${at}`);
    return { assets, keys, complete: [], takenByOtherRuns: [], pages: [], ...opened };
  }

  async make(shard: number, assets: number[]) {
    this.note('make', `${shard}: ${assets.join(' ')}`);
    const report = (await this.#play.runStep?.(shard, assets)) ?? {};
    const overrides = [...(report.failed ?? []), ...(report.pruned ?? [])];
    const done = assets.filter((at) => !overrides.includes(at));
    const none = { pruned: [], failed: [], retry: [], pages: [], reportedFailures: [] };
    return { done, ...none, ...report, requests: { createModels: 1 } };
  }

  async tell(shard: number, done: number[]) {
    this.note('tell', `${shard}: ${done.join(' ')}`);
    await this.#play.sideStep?.(shard);
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

  async finalizeAssets(shard: number, part: number, outcomes: readonly string[]): Promise<void> {
    await this.#play.finalize?.(shard, part);
    this.note('finalizeAssets', `${shard}: ${outcomes.toSorted().join(' ')}`);
  }

  async count(shard: number): Promise<ShardCount> {
    this.note('countShard', String(shard));
    const nothing = { total: 0, complete: 0, failed: 0, skipped: 0 };
    return (await this.#play.count?.(shard)) ?? { totals: nothing, failures: [], reason: null };
  }

  async withdraw(): Promise<WithdrawResult> {
    this.note('withdraw', '');
    return (await this.#play.withdraw?.()) ?? { assets: 1, archived: 3, deleted: 0 };
  }

  async writeManifests(paths: string): Promise<RunWarning[] | undefined> {
    this.note('writeManifests', paths);
    const nth = this.calls.filter((call) => call.startsWith('writeManifests')).length;
    return (await this.#play.writeManifests?.(nth)) ?? undefined;
  }

  async writeReport(path: string): Promise<void> {
    this.note('writeReport', path);
    await this.#play.writeReport?.();
  }

  #found(): DiscoverResult {
    const { assets, found } = this.#play;
    const pages = Math.ceil(assets / this.plan.shardSize);
    const counts = { total: assets, new: assets, changed: 0, unchanged: 0, refused: 0 };
    return { pages, ...counts, ...found };
  }
}

interface Parts {
  client: Client;
  name: string;
  handle: WorkflowHandle;
  play: ScenarioState;
}

function playedOf({ client, name, handle, play }: Parts): PipelineScenarioRun {
  const progress = () => handle.query<RunProgress>(messages.progress);
  const called = (activity: string) =>
    play.calls
      .filter((call) => `${call} `.startsWith(`${activity} `))
      .map((call) => call.slice(activity.length + 1))
      .toSorted();
  return {
    handle,
    calls: play.calls,
    callsOf: called,
    progress,
    async waitForProgress(what, check) {
      let last = await progress();
      await waitUntil(what, async () => {
        last = await progress();
        return check(last);
      });
      return last;
    },
    waitForCalls: (activity, times) =>
      waitUntil(`${times} calls of ${activity}`, () => called(activity).length >= times),
    waitForCancel: (workflow) =>
      waitUntil('a cancel of its calls', async () => {
        const { events } = await workflow.fetchHistory();
        return (events ?? []).some((one) => one.activityTaskCancelRequestedEventAttributes);
      }),
    signal: (signal) => handle.signal(messages[signal]),
    shard: (number) =>
      client.workflow.getHandle(`${name}/shard-${String(number + 1).padStart(4, '0')}`),
    end: () => endOf(handle),
    attributes: () => attributesOf(handle),
    executions: () => executionsOf(client, handle),
  };
}

async function endOf(handle: WorkflowHandle): Promise<ScenarioEnd> {
  const nothing = { result: null, message: '', cause: null };
  try {
    return { ...nothing, status: 'completed', result: (await handle.result()) as RunResult };
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause: why } = error;
    if (why instanceof CancelledFailure) return { ...nothing, status: 'cancelled' };
    const failed = { ...nothing, status: 'failed', message: why?.message ?? '' } as const;
    if (!(why instanceof ApplicationFailure)) return failed;
    const [detail] = why.details ?? [];
    if (why.type === runCauseType) return { ...failed, cause: detail as RunCause };
    return { ...failed, result: (detail as RunResult | undefined) ?? null };
  }
}

async function attributesOf(handle: WorkflowHandle): Promise<Record<string, unknown>[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ upsertWorkflowSearchAttributesEventAttributes: upserted }) => {
    const fields = upserted?.searchAttributes?.indexedFields;
    if (!fields) return [];
    const read = Object.entries(fields).map(([field, payload]) => [
      field,
      defaultPayloadConverter.fromPayload(payload),
    ]);
    return [Object.fromEntries(read) as Record<string, unknown>];
  });
}

async function executionsOf(client: Client, { workflowId }: WorkflowHandle): Promise<number> {
  let count = 0;
  let runId: string | null | undefined = (await client.workflow.getHandle(workflowId).describe())
    .runId;
  while (runId) {
    count += 1;
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    runId = events?.[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId;
  }
  return count;
}

/** Blocks activities until the test opens the gate. */
export function gate(): { passed: Promise<void>; open: () => void } {
  let open = () => undefined as void;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open };
}

/** The failure with which an activity reports a cause that stops the run. */
export function causeFailure(cause: RunCause): ApplicationFailure {
  return ApplicationFailure.create({
    message: cause.message,
    type: runCauseType,
    nonRetryable: true,
    details: [cause],
  });
}
