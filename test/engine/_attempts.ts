// A step's activity as Temporal has it run: tried again until it answers, by a worker that may be another each time.

import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { createDeps, type Deps } from '../../activities/deps.ts';
import { runStep } from '../../activities/run-step.ts';
import { stepTypes } from '../../src/nodes/index.ts';
import type { StepInput, StepOutput } from '../../src/plan/contract.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { runContext } from './_context.ts';
import type { SandboxRun } from './_sandbox-run.ts';

/** More than any work here takes. */
const attemptsAtMost = 60;
const quiet = new DefaultLogger('ERROR');

export interface AttemptOptions {
  /** Changes what a worker has for an attempt, counted from 1. */
  worker?: (deps: Deps, attempt: number) => Deps;
  /** Done between two attempts. */
  between?: (attempt: number) => void | Promise<void>;
  /** @default 'run-1' */
  run?: string;
}

export interface Ended {
  results: Map<string, StepOutput['results'][number]>;
  attempts: number;
  /** Requests of the last attempt. */
  requests: Record<string, number>;
}

/** Plays one step of a plan for assets that have come to it. */
export async function attempts(
  at: SandboxRun,
  plan: Plan,
  activity: string,
  assets: readonly Asset[],
  { worker = (deps) => deps, between, run = 'run-1' }: AttemptOptions = {},
): Promise<Ended> {
  const input = inputOf(at, plan, activity, assets, run);
  const type = stepTypes.find((known) => known.type === activity);
  if (type === undefined) throw new Error(`no activity ${activity}`);
  for (let attempt = 1; attempt <= attemptsAtMost; attempt += 1) {
    const deps = worker(
      createDeps({
        client: at.client,
        isAlive: () => Promise.resolve(false),
        secrets: [at.sandbox.apiKey],
        now: () => at.nowMs,
      }),
      attempt,
    );
    const environment = new MockActivityEnvironment({ attempt }, { logger: quiet });
    try {
      const done = () => runStep(type, input, deps);
      const { results, requests } = (await environment.run(done)) as StepOutput;
      await at.sandbox.idle();
      return {
        results: new Map(results.map((result) => [result.key, result])),
        attempts: attempt,
        requests,
      };
    } catch (error) {
      if (!(error instanceof ApplicationFailure) || error.nonRetryable) throw error;
      await between?.(attempt);
      await at.sandbox.idle();
      at.pass(Number(error.nextRetryDelay ?? 1_000) / 1_000);
    }
  }
  throw new Error(`${activity} did not end in ${attemptsAtMost} attempts`);
}

function inputOf(
  at: SandboxRun,
  plan: Plan,
  activity: string,
  assets: readonly Asset[],
  run: string,
): StepInput {
  const step = plan.steps.find((one) => one.activity === activity);
  if (step === undefined) throw new Error(`the plan has no step ${activity}`);
  const records = { type: 'local', path: at.folder };
  const { parameters, connectors, operations } = plan;
  const named = operations === undefined ? {} : { operations };
  return {
    context: runContext({ run, lineage: run, parameters, connectors, records, ...named }),
    shard: 0,
    step,
    assets: [...assets],
    wait: null,
  };
}
