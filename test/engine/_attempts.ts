// Runs a step's activity as Temporal does: it retries until the activity returns, possibly on another worker each time.

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { runStep } from '../../activities/shard/run-step.ts';
import { openShard } from '../../activities/shard/shards.ts';
import { stepTypes } from '../../src/features/index.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import type { RunContext } from '../../src/plan/run/run-context.ts';
import type { OpenedShard, StepInput, StepOutput } from '../../src/plan/shard/step-contract.ts';
import type { Asset, AssetResult, Plan } from '../../src/plan/types.ts';
import type { AssetUpdate } from '../../src/store/runs/shard-pages.ts';
import { manifestAsset, withManifest } from '../store/_store.ts';
import { noWorkflows, runContext } from './_context.ts';
import type { SandboxRun } from './_sandbox-run.ts';

/** More attempts than any test here needs. */
const maxAttempts = 60;
const quiet = new DefaultLogger('ERROR');

export interface AttemptOptions {
  /** Changes the worker's dependencies for an attempt, counted from 1. */
  worker?: (deps: Deps, attempt: number) => Deps;
  /** Called between two attempts. */
  betweenAttempts?: (attempt: number) => void | Promise<void>;
  /** @default 'run-1' */
  run?: string;
  /** Number of the rerun. @default 0, no rerun */
  epoch?: number;
  /** Abandoned run whose calls this run takes over. */
  previousRun?: string;
}

export interface AttemptsResult {
  /** Results by asset key. */
  results: Map<string, AssetResult>;
  attempts: number;
  /** Number of requests of the last attempt. */
  requests: Record<string, number>;
}

/** Runs one step of a plan for assets that have reached it. */
export async function runAttempts(
  at: SandboxRun,
  plan: Plan,
  activity: string,
  assets: readonly Asset[],
  {
    worker = (deps) => deps,
    betweenAttempts: between,
    run = 'run-1',
    epoch = 0,
    previousRun: after,
  }: AttemptOptions = {},
): Promise<AttemptsResult> {
  const input = await readInput(at, plan, activity, assets, { run, epoch });
  const { shard } = input;
  if (after !== undefined)
    await depsOf(at)
      .storeOf(input.context)
      .writeOrigins(shard, [{ run: after, shard }]);
  const type = stepTypes.find((known) => known.type === activity);
  if (type === undefined) throw new Error(`no activity ${activity}`);
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const deps = worker(depsOf(at), attempt);
    const environment = new MockActivityEnvironment({ attempt }, { logger: quiet });
    try {
      const done = () => runStep(type, input, deps, () => undefined);
      const output = (await environment.run(done)) as StepOutput;
      await at.sandbox.idle();
      const pages = await deps.storeOf(input.context).pages(input.shard).read(output.pages);
      const results = resultsOf(
        output,
        pages.flatMap(({ updates }) => updates),
        assets,
      );
      return { results, attempts: attempt, requests: output.requests };
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || error.nonRetryable) throw error;
      await between?.(attempt);
      await at.sandbox.idle();
      at.pass(Number(error.nextRetryDelay ?? 1_000) / 1_000);
    }
  }
  throw new Error(`${activity} did not end in ${maxAttempts} attempts`);
}

/** The dependencies of a worker. */
export function depsOf(at: SandboxRun): Deps {
  return createDeps({
    client: at.client,
    workflows: noWorkflows,
    secrets: [at.sandbox.apiKey],
    now: () => at.nowMs,
  });
}

/** The store of a run whose records are in the folder of the files. */
export function contextOf(at: SandboxRun, more: Partial<RunContext> = {}): RunContext {
  const records = { type: 'local', path: at.folder };
  return runContext({ run: 'run-1', lineage: 'run-1', records, ...more });
}

/** The assets after a run has taken them over. */
export async function takeOverAssets(
  at: SandboxRun,
  run: Partial<RunContext>,
  assets: readonly Asset[],
): Promise<AssetUpdate[]> {
  const deps = depsOf(at);
  const context = contextOf(at, run);
  const page = assets.map(({ key, source }) => manifestAsset(key, { source }));
  const store = await withManifest(deps.storeOf(context), page);
  const opening = () => openShard({ context, shard: 0 }, deps);
  const { pages } = (await new MockActivityEnvironment().run(opening)) as OpenedShard;
  return (await store.pages(0).read(pages)).flatMap(({ updates }) => updates);
}

/** Writes the first page of the shard with these assets and their ids. */
async function readInput(
  at: SandboxRun,
  plan: Plan,
  activity: string,
  assets: readonly Asset[],
  { run, epoch }: { run: string; epoch: number },
): Promise<StepInput> {
  const step = plan.steps.find((one) => one.activity === activity);
  if (step === undefined) throw new Error(`the plan has no step ${activity}`);
  const { parameters, connectors, operations } = plan;
  const named = operations === undefined ? {} : { operations };
  const context = contextOf(at, { run, epoch, lineage: run, parameters, connectors, ...named });
  const store = depsOf(at).storeOf(context);
  await withManifest(
    store,
    assets.map(({ key, source }) => manifestAsset(key, { source })),
  );
  const known = assets.map(({ platformIds }, position) => ({ assetIndex: position, platformIds }));
  const pages = await store.pages(0).write('known', '', known);
  return { context, shard: 0, step, assets: known.map((one) => one.assetIndex), pages, wait: null };
}

function resultsOf(
  { done, pruned, failed, retry }: StepOutput,
  updates: readonly AssetUpdate[],
  assets: readonly Asset[],
): Map<string, AssetResult> {
  const ends = { done, pruned, failed, retry };
  const results = Object.entries(ends).flatMap(([outcome, positions]) =>
    positions.map((position): [string, AssetResult] => {
      const key = assets[position]?.key ?? '';
      const {
        failure,
        assetIndex: _at,
        forget: forgetIds,
        ...update
      } = updates.find((one) => one.assetIndex === position) ?? { assetIndex: 0 };
      return [
        key,
        { key, outcome, ...update, ...omitUndefined({ forgetIds }), ...failure } as AssetResult,
      ];
    }),
  );
  return new Map(results);
}
