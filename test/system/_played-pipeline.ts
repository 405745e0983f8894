// Runs the workflows of a run and its shards with fake activities that record their calls.

import { type Client, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure, defaultPayloadConverter } from '@temporalio/common';
import type { NativeConnection } from '@temporalio/worker';
import { afterAll, beforeAll, inject } from 'vitest';
import {
  type Discovered,
  type RunInput,
  type RunProgress,
  type RunResult,
  runCauseType,
  type ShardCount,
  workflowIds,
  workflowNames,
} from '../../src/plan/contract.ts';
import { messages } from '../../src/plan/messages.ts';
import { type RunCause } from '../../src/plan/run-cause.ts';
import { sizeOfShard } from '../../src/plan/shares.ts';
import type { OpenedShard, StepReport } from '../../src/plan/step-contract.ts';
import type { Plan } from '../../src/plan/types.ts';
import { noLoad } from '../../src/plan/window.ts';
import type { WithdrawReport } from '../../src/plan/withdraw-contract.ts';
import { connectTemporal, connectWorker } from '../../src/temporal/connect.ts';
import { step } from '../plan/_steps.ts';
import { AllQueues } from './_all-queues.ts';
import { planOf } from './_played-run.ts';
import type { PlayedActivities } from './_played-steps.ts';
import { until } from './_stack.ts';

type Maybe<T> = T | undefined | Promise<T | undefined>;

/** Results of the activities. Each may wait or throw; the default is success. */
export interface PipelinePlay {
  /** Number of new assets; each shard gets two. */
  assets: number;
  plan?: Partial<Plan>;
  input?: Partial<RunInput>;
  found?: Partial<Discovered>;
  /** `nth` counts from 0. The result replaces `found` for this discovery page. */
  discover?: (nth: number, stretch?: number) => Maybe<Partial<Discovered> | void>;
  open?: (shard: number) => Maybe<Partial<OpenedShard>>;
  make?: (shard: number, assets: number[]) => Maybe<Partial<StepReport>>;
  settle?: (shard: number, part: number) => Maybe<void>;
  /** A side step. */
  tell?: (shard: number) => Maybe<void>;
  count?: (shard: number) => Maybe<ShardCount>;
  withdraw?: () => Maybe<WithdrawReport>;
}

/** How a run ended, with its result, or with the result that its failure carries. */
export interface PlayedEnd {
  status: 'completed' | 'failed' | 'cancelled';
  result: RunResult | null;
  /** The message of a failure. */
  message: string;
  cause: RunCause | null;
}

export interface PlayedPipeline {
  readonly handle: WorkflowHandle;
  /** All calls in order: the activity and its subject. */
  readonly calls: readonly string[];
  /** The subjects of the calls of this activity, sorted, since shards run in parallel. */
  called(activity: string): string[];
  progress(): Promise<RunProgress>;
  /** Resolves when the progress of the run passes the check. */
  untilSays(what: string, check: (progress: RunProgress) => boolean): Promise<RunProgress>;
  /** Resolves when the activity has been called this often. */
  untilCalled(activity: string, times: number): Promise<void>;
  /** Resolves when a cancellation has reached the running activities of this workflow. */
  untilCancelling(workflow: WorkflowHandle): Promise<void>;
  tell(name: 'pause' | 'resume' | 'approve'): Promise<void>;
  shard(number: number): WorkflowHandle;
  end(): Promise<PlayedEnd>;
  /** Each version of the search attributes that the workflow has set. */
  attributes(): Promise<Record<string, unknown>[]>;
  /** Number of executions of the run so far, by continue-as-new. */
  executions(): Promise<number>;
}

export interface PlayedPipelines {
  start(play: PipelinePlay, withSignal?: SentWithStart): Promise<PlayedPipeline>;
}

/** A signal that is sent with the start of the run. */
interface SentWithStart {
  signal: string;
  signalArgs: unknown[];
}

interface Place {
  readonly client: Client;
  readonly connection: NativeConnection;
  /** @default 'default' */
  readonly namespace?: string;
  close?: () => Promise<void>;
}

/** Connects to a real server, which does not skip time. */
export async function connectPlace(env: Record<string, string>): Promise<Place> {
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

export function usePlayedPipelines(place: () => Promise<Place> | Place): PlayedPipelines {
  const taskQueue = `played-pipelines-${process.pid}`;
  const plays = new Map<string, Play>();
  let worker: AllQueues;
  let working: Promise<void>;
  let at: Place;
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
      const play = new Play(given);
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

function activitiesOf(playOf: (run: string) => Play, client: () => Client): PlayedActivities {
  return {
    discover: ({ context, stretch }) => playOf(context.run).discover(stretch),
    open_shard: ({ context, shard }) => playOf(context.run).open(shard),
    template_match: ({ context, shard, assets }) => playOf(context.run).make(shard, assets),
    export: ({ context, shard, assets }) => playOf(context.run).tell(shard, assets),
    settle: async ({ context, shard, part, settled }) => {
      const outcomes = settled.map(({ outcome }) => outcome);
      await playOf(context.run).settle(shard, part, outcomes);
      return undefined;
    },
    count_shard: ({ context, shard }) => playOf(context.run).count(shard),
    cancel_remote: async ({ context, shard, assets }) => {
      playOf(context.run).note('cancel_remote', `${shard}: ${assets.join(' ')}`);
      return { pages: [], requests: {} };
    },
    closed_shards: async ({ context, shards }) => {
      playOf(context.run).note('closed_shards', shards.join(' '));
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
    read_load: async ({ context }) => {
      playOf(context.run).note('read_load', '');
      return noLoad;
    },
    end_strays: async ({ context, from, count }) => {
      playOf(context.run).note('end_strays', `${from}${count === undefined ? '' : ` ${count}`}`);
    },
    withdraw: ({ context }) => playOf(context.run).withdraw(),
    send_notice: async ({ notice: { run, outcome, cause, assets, withdrawn } }) => {
      const { total, complete, failed, skipped } = assets;
      const gone = withdrawn ? ` withdrawn ${withdrawn.archived}` : '';
      const counts = `${total} ${complete} ${failed} ${skipped}${gone}`;
      playOf(run).note('send_notice', `${outcome} ${cause?.code ?? '-'} ${counts}`);
      return { status: 200, attempts: 1 };
    },
  };
}

const day = 24 * 3_600_000;
/** Long timeouts, since skipped time without heartbeats does not mean a dead worker. */
const quiet = { startToCloseMs: day, heartbeatMs: day, timeoutMs: day };

class Play {
  readonly calls: string[] = [];
  readonly plan: Plan;
  readonly #play: PipelinePlay;

  constructor(play: PipelinePlay) {
    this.#play = play;
    this.plan = planOf('/nowhere', [step('make', [], quiet)], { shardSize: 2, ...play.plan });
  }

  note(activity: string, what: string): void {
    this.calls.push(what === '' ? activity : `${activity} ${what}`);
  }

  async discover(stretch?: number): Promise<Discovered> {
    const nth = this.calls.filter((call) => call.startsWith('discover')).length;
    this.note('discover', stretch ? String(stretch) : '');
    const told = (await this.#play.discover?.(nth, stretch)) ?? {};
    return { ...this.#found(), ...told, requests: { listModels: 1 } };
  }

  async open(shard: number): Promise<OpenedShard> {
    this.note('open_shard', String(shard));
    const opened = await this.#play.open?.(shard);
    const size = sizeOfShard(this.#found(), this.plan, shard);
    const assets = opened?.assets ?? Array.from({ length: size }, (_, at) => at);
    const keys = assets.map((at) => `${shard}-${at}`);
    return { assets, keys, complete: [], taken: [], pages: [], ...opened };
  }

  async make(shard: number, assets: number[]) {
    this.note('make', `${shard}: ${assets.join(' ')}`);
    const report = (await this.#play.make?.(shard, assets)) ?? {};
    const told = [...(report.failed ?? []), ...(report.pruned ?? [])];
    const done = assets.filter((at) => !told.includes(at));
    const none = { pruned: [], failed: [], redo: [], pages: [], told: [] };
    return { done, ...none, ...report, requests: { createModels: 1 } };
  }

  async tell(shard: number, done: number[]) {
    this.note('tell', `${shard}: ${done.join(' ')}`);
    await this.#play.tell?.(shard);
    return { done, pruned: [], failed: [], redo: [], pages: [], told: [], requests: {} };
  }

  async settle(shard: number, part: number, outcomes: readonly string[]): Promise<void> {
    await this.#play.settle?.(shard, part);
    this.note('settle', `${shard}: ${outcomes.toSorted().join(' ')}`);
  }

  async count(shard: number): Promise<ShardCount> {
    this.note('count_shard', String(shard));
    const nothing = { total: 0, complete: 0, failed: 0, skipped: 0 };
    return (await this.#play.count?.(shard)) ?? { totals: nothing, failures: [], why: null };
  }

  async withdraw(): Promise<WithdrawReport> {
    this.note('withdraw', '');
    return (await this.#play.withdraw?.()) ?? { assets: 1, archived: 3, deleted: 0 };
  }

  #found(): Discovered {
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
  play: Play;
}

function playedOf({ client, name, handle, play }: Parts): PlayedPipeline {
  const progress = () => handle.query<RunProgress>(messages.progress);
  const called = (activity: string) =>
    play.calls
      .filter((call) => `${call} `.startsWith(`${activity} `))
      .map((call) => call.slice(activity.length + 1))
      .toSorted();
  return {
    handle,
    calls: play.calls,
    called,
    progress,
    async untilSays(what, check) {
      let last = await progress();
      await until(what, async () => {
        last = await progress();
        return check(last);
      });
      return last;
    },
    untilCalled: (activity, times) =>
      until(`${times} calls of ${activity}`, () => called(activity).length >= times),
    untilCancelling: (workflow) =>
      until('a cancel of its calls', async () => {
        const { events } = await workflow.fetchHistory();
        return (events ?? []).some((one) => one.activityTaskCancelRequestedEventAttributes);
      }),
    tell: (signal) => handle.signal(messages[signal]),
    shard: (number) =>
      client.workflow.getHandle(`${name}/shard-${String(number + 1).padStart(4, '0')}`),
    end: () => endOf(handle),
    attributes: () => attributesOf(handle),
    executions: () => executionsOf(client, handle),
  };
}

async function endOf(handle: WorkflowHandle): Promise<PlayedEnd> {
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
