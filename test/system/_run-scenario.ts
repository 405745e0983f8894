// Runs with step durations from a table, on a server that skips time: real workflows, engine activities and step
// runner, with nodes that only wait.

import { ApplicationFailure, Context } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, inject } from 'vitest';
import { z } from 'zod';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { runStep } from '../../activities/shard/run-step.ts';
import { createClient } from '../../src/api/client.ts';
import type { StepType } from '../../src/engine/node-type.ts';
import {
  failIfOverdue,
  takeReadyResults,
  toPollClock,
  toReadyResults,
} from '../../src/engine/wait-results.ts';
import { renderFailures } from '../../src/features/renders/failures.ts';
import { type RunInput, workflowIds, workflowNames } from '../../src/plan/contract/contract.ts';
import type { StepInput } from '../../src/plan/shard/step-contract.ts';
import {
  type AssetResult,
  type Failure,
  type Plan,
  planSchema,
  type Step,
} from '../../src/plan/types.ts';
import { noWorkflows } from '../engine/_context.ts';
import { noStages } from '../plan/_steps.ts';
import { AllQueues } from './_all-queues.ts';
import type { FakeActivities } from './_fake-activities.ts';
import { useTimeSkipping } from './_temporal.ts';

/** The duration and result of a step. */
export interface FakeStep {
  /** How long an asset stays in a wait step, ms; call steps take no time. */
  takesMs?: (key: string) => number;
  result?: (key: string) => AssetResult;
}

export type FakeSteps = Record<string, FakeStep>;

export interface RunScenario {
  readonly environment: TestWorkflowEnvironment;
  /** Starts a run of this plan, which must be prepared. */
  start(name: string, plan: Plan): Promise<WorkflowHandle>;
  /** Dependencies of the worker, to prepare manifests and read results. */
  readonly deps: Deps;
}

export function planOf(folder: string, steps: Step[], more: Partial<Plan> = {}): Plan {
  const connectorSpec = { type: 'local', path: folder };
  return {
    schema: planSchema,
    hash: 'h',
    pipeline: 'played',
    file: 'played.yaml',
    parameters: {},
    connectors: {},
    records: connectorSpec,
    destination: connectorSpec,
    recipe: 'r',
    stages: noStages,
    discovery: { node: 'take', activity: 'connector_poll', config: {}, key: null },
    steps,
    shardSize: 250,
    window: 8,
    inFlight: 25_000,
    route: [],
    ...more,
  };
}

/** Real polls come at intervals, so several assets that complete within a second are seen together. */
const pollIntervalMs = 1_000;

/** What the discovery of a run finds. */
export interface FakeDiscovery {
  keys: string[];
  refused?: Failure[];
}

export function useRunScenarios(
  script: FakeSteps,
  discoveryOf: (run: string) => FakeDiscovery,
): RunScenario {
  const inUse = useTimeSkipping();
  const taskQueue = `played-${process.pid}`;
  // The server's time, which is that of the workflows, when it was last read.
  let clockMs = 0;
  const readClock = async () => {
    clockMs = await inUse.environment.currentTimeMs();
  };
  const deps = createDeps({
    // No request is ever sent to this address.
    client: createClient({ baseUrl: 'http://127.0.0.1:9/api/v1', apiKey: 'svc_a_b' }),
    workflows: noWorkflows,
    secrets: [],
    now: () => clockMs,
  });
  /** The server does not skip time while an attempt waits for its retry, so the attempt sleeps instead. */
  const step = async (input: StepInput) => {
    for (;;) {
      await readClock();
      try {
        return await runStep(typeOf(script, input), input, deps, () => undefined);
      } catch (error) {
        const delay = error instanceof ApplicationFailure ? error.nextRetryDelay : undefined;
        if (!delay) throw error;
        await inUse.environment.sleep(delay);
        const activity = Context.current();
        activity.heartbeat();
        activity.cancellationSignal.throwIfAborted();
      }
    }
  };
  let worker: AllQueues;
  let working: Promise<void>;
  beforeAll(async () => {
    const real = createActivities(deps);
    worker = await AllQueues.create({
      connection: inUse.environment.nativeConnection,
      taskQueue,
      workflowBundle: { codePath: inject('workflowBundle') },
      // Activities receive cancellations with heartbeats, which are frequent because skipped hours pass in a moment.
      maxHeartbeatThrottleInterval: 20,
      activities: {
        ...real,
        discover: async ({ context, shardSize }) => {
          await readClock();
          const { keys, refused = [] } = discoveryOf(context.run);
          const assets = keys.map((key) => ({
            key,
            source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
            reason: 'new' as const,
          }));
          const total = assets.length + refused.length;
          const counts = { total, new: assets.length, changed: 0, unchanged: 0 };
          return deps.storeOf(context).runAssets.write({ assets, shardSize, counts, refused });
        },
        connector_poll: step,
        model_ready: step,
        template_match: step,
        render: step,
        render_complete: step,
        export: step,
      } satisfies FakeActivities,
    });
    working = worker.run();
  }, 120_000);
  afterAll(async () => {
    worker.shutdown();
    await working;
  });
  return {
    get environment() {
      return inUse.environment;
    },
    deps,
    async start(name, plan) {
      const input: RunInput = { plan, run: name, lineage: name, epoch: 0, searchable: false };
      return inUse.environment.client.workflow.start(workflowNames.run, {
        taskQueue,
        workflowId: workflowIds.run(name),
        args: [input],
      });
    },
  };
}

function typeOf(script: FakeSteps, { step, wait }: StepInput): StepType {
  const { takesMs = () => 0, result } = script[step.id] ?? {};
  return {
    type: 'template_match',
    config: z.object({}),
    mode: wait ? 'wait' : 'call',
    profile: { batch: 50, startToClose: '1m', timeout: '1h' },
    route: () => '',
    run: async (_config, assets, context) => {
      const done = (key: string): AssetResult => result?.(key) ?? { key, outcome: 'done' };
      if (!wait) return assets.map(({ key }) => done(key));
      const nowMs = context.runNow();
      const found = assets.flatMap((asset) => {
        const endsMs = (asset.enteredAtMs ?? 0) + takesMs(asset.key);
        const sinceMs = Math.ceil(endsMs / pollIntervalMs) * pollIntervalMs;
        const timedOut = failIfOverdue(asset, nowMs, {
          failure: renderFailures.RENDER_TIMEOUT,
          what: 'it did not end',
          status: undefined,
        });
        const ready = nowMs >= sinceMs ? done(asset.key) : null;
        const times = { clocks: context, firstSeenAtMs: toPollClock(sinceMs, context) };
        return toReadyResults(asset, ready, timedOut, times);
      });
      return takeReadyResults(found, assets.length, context);
    },
  };
}

export interface Cost {
  events: number;
  bytes: number;
  /** Bytes of the largest event. */
  largest: number;
  executions: number;
}

const { HistoryEvent } = temporal.api.history.v1;

/** Size of a workflow's histories over all its executions. */
export async function costOf(
  { client }: TestWorkflowEnvironment,
  workflowId: string,
): Promise<Cost> {
  const cost: Cost = { events: 0, bytes: 0, largest: 0, executions: 0 };
  let runId: string | undefined = (await client.workflow.getHandle(workflowId).describe()).runId;
  while (runId) {
    const history: temporal.api.history.v1.IHistory = await client.workflow
      .getHandle(workflowId, runId)
      .fetchHistory();
    const events = history.events ?? [];
    cost.executions += 1;
    for (const event of events) {
      const { length } = HistoryEvent.encode(event).finish();
      cost.events += 1;
      cost.bytes += length;
      cost.largest = Math.max(cost.largest, length);
    }
    runId =
      events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId ?? undefined;
  }
  return cost;
}
