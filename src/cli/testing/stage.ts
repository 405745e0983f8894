// Everything that one test needs, in this process: a server that skips time, a sandbox on its clock, a worker. Each test has
// its own, since the time of a server is that of all that runs on it.
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as TemporalClient } from '@temporalio/client';
import type { TestWorkflowEnvironment } from '@temporalio/testing';
import { createDeps } from '../../../activities/deps.ts';
import { RateBudget } from '../../api/budget.ts';
import { type Client, createClient } from '../../api/client.ts';
import { workspaceOf } from '../../api/workspace.ts';
import type { RunningSandbox, SandboxPackage } from '../../sandbox/interface.ts';
import type { Environment } from '../../settings/environment.ts';
import { OpenWorkflows } from '../../temporal/open-workflows.ts';
import { SkippedClock } from '../../temporal/skipped-clock.ts';
import { startSkippingWorker } from '../../temporal/skipping-worker.ts';
import { startTimeSkipping } from '../../temporal/test-server.ts';
import type { Resources } from '../resources.ts';

export interface Stage {
  /** Of the test; removed at the end. */
  folder: string;
  clock: SkippedClock;
  sandbox: RunningSandbox;
  client: Client;
  temporal: TemporalClient;
  taskQueue: string;
  /** Lets time pass, and the platform tell of what has happened meanwhile. */
  pass: (ms: number) => Promise<void>;
  /** Rejects when the worker breaks. */
  broken: Promise<never>;
}

export interface StageOptions {
  /** Start script of the server. */
  server: string;
  sandbox: SandboxPackage;
  rateLimit: number;
  environment: Environment;
}

const taskQueue = 'test';

/** Adds what it starts to `resources`, also where it fails. */
export async function openStage(resources: Resources, options: StageOptions): Promise<Stage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'renderline-test-')));
  resources.add('the folder of a test', () => rm(folder, { recursive: true, force: true }));
  const server = await startTimeSkipping(options.server);
  resources.add('the Temporal server of a test', () => server.teardown());
  const clock = new SkippedClock(server);
  await clock.read();
  const sandbox = await startPlatform(resources, options, clock);
  const { url: baseUrl, apiKey } = sandbox;
  const client = createClient({ baseUrl, apiKey, now: clock.now, budget: new RateBudget() });
  resources.add('the API client of a test', () => client.close());
  const temporal = plainClient(server);
  const settle = async () => {
    await sandbox.idle();
    await sandbox.delivered();
  };
  const worker = await startSkippingWorker({
    connection: server.nativeConnection,
    namespace,
    taskQueue,
    clock,
    settle,
    deps: createDeps({
      client,
      workspace: await workspaceOf(client, { maxWaitMs: 10_000 }),
      workflows: new OpenWorkflows(temporal, undefined),
      secrets: [apiKey],
      environment: options.environment,
      now: clock.now,
    }),
  });
  resources.add('the worker of a test', async () => {
    worker.shutdown();
    await worker.done.catch(() => undefined);
  });
  const broken = worker.done.then((): never => {
    throw new Error('the worker of the test has stopped');
  });
  broken.catch(() => undefined);
  const pass = async (ms: number) => {
    await sandbox.idle();
    await clock.sleep(ms);
    await sandbox.delivered();
  };
  return { folder, clock, sandbox, client, temporal, taskQueue, pass, broken };
}

const namespace = 'default';

/** The environment's own client would let time pass whenever somebody waits for a result. */
function plainClient({ connection }: TestWorkflowEnvironment): TemporalClient {
  return new TemporalClient({ connection, namespace });
}

async function startPlatform(
  resources: Resources,
  { sandbox: { startSandbox }, rateLimit }: StageOptions,
  clock: SkippedClock,
): Promise<RunningSandbox> {
  const sandbox = await startSandbox({
    seed: 1,
    rateLimit,
    // A refusal tells when to come again, and that is waited for in real time.
    windowSeconds: 2,
    pictureScale: 0,
    allowPrivateUrls: true,
    clock: clock.now,
  });
  resources.add('the sandbox of a test', () => sandbox.stop());
  return sandbox;
}
