// Tests that may run in parallel: each lane has its own sandbox and worker.

import { describe, expect } from 'vitest';
import { type InProcessCommand, runInProcess, startWorkerInProcess } from './_in-process.ts';
import { type ProductInUse, type RunReport, reportOf, useProductWith } from './_runs.ts';
import { fastSandbox } from './_sandbox.ts';
import type { Env, Stoppable } from './_stack.ts';

export interface Lane<Worker = InProcessCommand> extends ProductInUse<Worker> {
  /** Sets fault rules while the work runs. */
  withFaults<T>(rules: unknown[], work: () => Promise<T>): Promise<T>;
  /** Number of requests for an operation so far. */
  requestsOf(operation: string): Promise<number>;
  /** Id of the only model with this name. */
  modelNamed(name: string): Promise<string>;
  projectNamed(name: string): Promise<string>;
  /** `show RUN --json` */
  show(id: string): Promise<Shown>;
  /** `cancel`, `pause` or `resume RUN --json` */
  control(action: 'cancel' | 'pause' | 'resume', id: string): Promise<{ state: string }>;
  /** Resumes a paused run and waits for its end. */
  resumeAndWait(id: string): Promise<RunReport>;
}

export interface Shown extends RunReport {
  results: { key: string; outcome: string; platformIds: { jobId?: string } }[];
  steps: { id: string; count: { done: number } }[];
}

const quick = [...fastSandbox, '--window-seconds', '1'];

/** Tests of a lane run one after the other, in parallel with the tests of other lanes. */
export function inLane(
  name: string,
  temporal: { readonly env: Env },
  tests: (lane: Lane) => void,
  sandboxFlags = quick,
): void {
  inLaneWith(startWorkerInProcess, name, temporal, tests, sandboxFlags);
}

/** Like `inLane`, with a worker that `startWorker` starts. */
export function inLaneWith<Worker extends Stoppable>(
  startWorker: (env: Env) => Promise<Worker>,
  name: string,
  temporal: { readonly env: Env },
  tests: (lane: Lane<Worker>) => void,
  sandboxFlags = quick,
): void {
  describe.concurrent(name, () => {
    describe.sequential('', () => {
      tests(makeLane(useProductWith(temporal, sandboxFlags, startWorker)));
    });
  });
}

function makeLane<Worker>(product: ProductInUse<Worker>): Lane<Worker> {
  const find = async <T extends { name: string }>(kind: string, name: string): Promise<T> => {
    const answer = await product.sandbox.api('GET', `/${kind}?limit=100`);
    const found = (answer as Record<string, T[]>)[kind]?.filter((item) => item.name === name) ?? [];
    const [only] = found;
    if (!only || found.length > 1) throw new Error(`${found.length} ${kind} are named ${name}`);
    return only;
  };
  const answer = async <T>(args: string[]): Promise<T> => {
    const finished = await runInProcess(args, product.env);
    expect(finished.code, finished.stderr).toBe(0);
    return JSON.parse(finished.stdout) as T;
  };
  return {
    get sandbox() {
      return product.sandbox;
    },
    get env() {
      return product.env;
    },
    get worker() {
      return product.worker;
    },
    async withFaults(rules, work) {
      await product.sandbox.set('faults', rules);
      try {
        return await work();
      } finally {
        await product.sandbox.set('faults', []);
      }
    },
    requestsOf: async (operation) => (await product.sandbox.stats()).requests[operation] ?? 0,
    modelNamed: async (name) =>
      (await find<{ name: string; modelId: string }>('models', name)).modelId,
    projectNamed: async (name) =>
      (await find<{ name: string; projectId: string }>('projects', name)).projectId,
    show: (id) => answer<Shown>(['show', id, '--json']),
    control: (action, id) => answer<{ state: string }>([action, id, '--json']),
    async resumeAndWait(id) {
      await answer(['resume', id, '--json']);
      return reportOf(await runInProcess(['show', id, '--wait', '--json'], product.env));
    },
  };
}
