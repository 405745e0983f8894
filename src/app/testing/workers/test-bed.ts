// What one test needs: a time-skipping Temporal server, a sandbox that uses the server's clock, and a worker. Tests
// cannot share a server, because skipping time affects everything on it.
import { setMaxListeners } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { type Client, createClient } from '../../../api/client.ts';
import { RateBudget } from '../../../api/rate-limit/budget.ts';
import type { PlatformEvent } from '../../../receiver/event.ts';
import { registerWebhook } from '../../../receiver/register.ts';
import { Secrets } from '../../../receiver/secrets.ts';
import { startReceiver } from '../../../receiver/server.ts';
import type { RunningSandbox, SandboxPackage } from '../../../sandbox/interface.ts';
import type { Environment } from '../../../settings/environment.ts';
import { startTimeSkipping } from '../../../temporal/server/test-server.ts';
import type { CleanupStack } from '../../cleanup-stack.ts';
import { type KillRule, startKillableWorker } from './killable-worker.ts';
import { namespace, startTestWorker, type TestWorkerConfig } from './test-worker.ts';

export interface TestBed {
  /** Folder of the test. It is deleted at the end. */
  folder: string;
  sandbox: RunningSandbox;
  client: Client;
  temporal: TemporalClient;
  /** Skips `ms` of time, then waits until the platform has delivered its notifications. */
  advanceTime: (ms: number) => Promise<void>;
  now: () => number;
  /** True if the worker runs in a separate process that the test kills. */
  isKillable: boolean;
  /** Runs a task whose calls to the server are aborted when the test ends. */
  runScoped: <T>(task: () => Promise<T>) => Promise<T>;
  /** Rejects if the worker fails. */
  workerFailure: Promise<never>;
  /** Handler of the platform's events. Tests of event-started pipelines replace it. */
  onEvent: { keep: (event: PlatformEvent) => Promise<void> };
}

export interface TestBedOptions {
  /** Path of the server's start script. */
  server: string;
  sandbox: SandboxPackage;
  rateLimit: number;
  notifications: boolean;
  /** Rules that decide when the worker is killed. If there are none, the worker runs in this process. */
  killRules: readonly KillRule[];
  environment: Environment;
}

/** Starts everything that one test needs, and adds it to `resources`, even if the start fails. */
export async function openTestBed(
  resources: CleanupStack,
  options: TestBedOptions,
): Promise<TestBed> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'renderline-test-')));
  resources.add('the folder of a test', () => rm(folder, { recursive: true, force: true }));
  const server = await startTimeSkipping(options.server);
  resources.add('the Temporal server of a test', () => server.teardown());
  const { connection, nativeConnection, address } = server;
  const testEnd = new AbortController();
  setMaxListeners(0, testEnd.signal);
  const runScoped: TestBed['runScoped'] = (task) =>
    connection.withAbortSignal(testEnd.signal, task);
  // A copy of the server's clock, for code that cannot ask the server each time. It advances with the machine's clock,
  // catches up whenever the server's time is read, and never goes back.
  let aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  const read = async () => {
    const nowMs = await runScoped(() => server.currentTimeMs());
    aheadMs = Math.max(aheadMs, nowMs - Date.now());
  };
  await read();
  const sandbox = await startPlatform(resources, options, now);
  const pass = async (ms: number) => {
    await sandbox.idle();
    // The server returns at once if nothing else is running.
    await runScoped(() => server.sleep(ms));
    await read();
    await sandbox.deliverEvents();
  };
  const clock = { now, read, sleep: pass };
  const { url: baseUrl, apiKey } = sandbox;
  const client = createClient({ baseUrl, apiKey, now, budget: new RateBudget() });
  resources.add('the API client of a test', () => client.close());
  const onEvent: TestBed['onEvent'] = { keep: async () => undefined };
  const wakeUpsUrl = options.notifications
    ? await receiveEvents(resources, { client, now, onEvent }, apiKey)
    : null;
  const { environment, killRules } = options;
  const workerConfig: TestWorkerConfig = { baseUrl, apiKey, wakeUpsUrl, environment };
  let workerEnd: Promise<unknown>;
  if (killRules.length === 0) {
    const workerConnection = await Connection.connect({ address });
    const workerDeps = { connection: workerConnection, nativeConnection, clock };
    ({ done: workerEnd } = await startTestWorker(resources, workerConfig, workerDeps));
  } else {
    const killable = await startKillableWorker({ ...workerConfig, address, killRules }, clock);
    resources.add('the worker process of a test', () => killable.stop());
    workerEnd = killable.done;
  }
  // If a client retried a call after the server had stopped, the process would crash.
  resources.add('calls of a test to its server', async () => testEnd.abort());
  const broken = workerEnd.then((): never => {
    throw new Error('the worker of the test has stopped');
  });
  broken.catch(() => undefined);
  // The client of Temporal's test environment would skip time whenever code waits for a result.
  const temporal = new TemporalClient({ connection, namespace });
  const isKillable = killRules.length > 0;
  const calls = { advanceTime: pass, now, runScoped, onEvent };
  return { folder, sandbox, client, temporal, isKillable, workerFailure: broken, ...calls };
}

async function startPlatform(
  resources: CleanupStack,
  { sandbox: { startSandbox }, rateLimit }: TestBedOptions,
  clock: () => number,
): Promise<RunningSandbox> {
  const options = { seed: 1, rateLimit, pictureScale: 0, allowPrivateUrls: true, clock };
  const sandbox = await startSandbox(options);
  resources.add('the sandbox of a test', () => sandbox.stop());
  return sandbox;
}

/** Starts a receiver of notifications. @returns the address where workers receive wake-ups */
async function receiveEvents(
  resources: CleanupStack,
  { client, now, onEvent }: Pick<TestBed, 'client' | 'now' | 'onEvent'>,
  apiKey: string,
): Promise<string> {
  const secrets = new Secrets([], { read: null });
  const receiving = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    apiKey,
    secrets,
    now,
    persist: (event) => onEvent.keep(event),
  });
  resources.add('the receiver of notifications', () => receiving.stop());
  secrets.add(await registerWebhook(client, receiving.url, false));
  return receiving.wakeUpsUrl;
}
