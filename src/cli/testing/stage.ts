// Everything that one test needs: a time-skipping Temporal server, a sandbox that uses the server's clock, and a worker.
// Tests cannot share them, because skipping time affects everything on a server.
import { setMaxListeners } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection, Client as TemporalClient } from '@temporalio/client';
import { RateBudget } from '../../api/budget.ts';
import { type Client, createClient } from '../../api/client.ts';
import type { PlatformEvent } from '../../receiver/event.ts';
import { registerWebhook } from '../../receiver/register.ts';
import { Secrets } from '../../receiver/secrets.ts';
import type { RunningSandbox, SandboxPackage } from '../../sandbox/interface.ts';
import type { Environment } from '../../settings/environment.ts';
import { SkippedClock } from '../../temporal/skipped-clock.ts';
import { startTimeSkipping } from '../../temporal/test-server.ts';
import { startReceiving } from '../receiving.ts';
import type { Resources } from '../resources.ts';
import { type Death, startMortalWorker } from './mortal-worker.ts';
import { namespace, startTestWorker, type WorkerPlace } from './test-worker.ts';

export interface Stage {
  /** Folder of the test; deleted at the end. */
  folder: string;
  sandbox: RunningSandbox;
  client: Client;
  temporal: TemporalClient;
  /** Skips time, and waits until the platform has delivered its notifications. */
  pass: (ms: number) => Promise<void>;
  now: () => number;
  /** Whether the worker runs in a separate process that the test kills. */
  mayDie: boolean;
  /** Does work whose calls to the server are aborted when the test ends. */
  within: <T>(work: () => Promise<T>) => Promise<T>;
  /** Rejects if the worker fails. */
  broken: Promise<never>;
  /** Handler of the platform's events; replaced by tests of event-started pipelines. */
  onEvent: { keep: (event: PlatformEvent) => Promise<void> };
}

export interface StageOptions {
  /** Path of the server's start script. */
  server: string;
  sandbox: SandboxPackage;
  rateLimit: number;
  notifications: boolean;
  /** When the worker is killed; if empty, the worker runs in this process. */
  deaths: readonly Death[];
  environment: Environment;
}

/** Adds everything that it starts to `resources`, also if it fails. */
export async function openStage(resources: Resources, options: StageOptions): Promise<Stage> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'renderline-test-')));
  resources.add('the folder of a test', () => rm(folder, { recursive: true, force: true }));
  const server = await startTimeSkipping(options.server);
  resources.add('the Temporal server of a test', () => server.teardown());
  const { connection, nativeConnection, address } = server;
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const within: Stage['within'] = (work) => connection.withAbortSignal(over.signal, work);
  const skipped = new SkippedClock({
    currentTimeMs: () => within(() => server.currentTimeMs()),
    sleep: (ms) => within(() => server.sleep(ms)),
  });
  await skipped.read();
  const sandbox = await startPlatform(resources, options, skipped.now);
  const pass = async (ms: number) => {
    await sandbox.idle();
    await skipped.sleep(ms);
    await sandbox.delivered();
  };
  const clock = { now: skipped.now, read: () => skipped.read(), sleep: pass };
  const { url: baseUrl, apiKey } = sandbox;
  const client = createClient({ baseUrl, apiKey, now: clock.now, budget: new RateBudget() });
  resources.add('the API client of a test', () => client.close());
  const onEvent: Stage['onEvent'] = { keep: async () => undefined };
  const hintsUrl = options.notifications
    ? await receiveEvents(resources, { client, apiKey, now: clock.now, onEvent })
    : null;
  const { environment, deaths } = options;
  const place: WorkerPlace = { baseUrl, apiKey, hintsUrl, environment };
  let done: Promise<unknown>;
  if (deaths.length === 0) {
    const own = await Connection.connect({ address });
    const ways = { connection: own, nativeConnection, clock };
    ({ done } = await startTestWorker(resources, place, ways));
  } else {
    const mortal = await startMortalWorker({ ...place, address, deaths }, clock);
    resources.add('the worker process of a test', () => mortal.stop());
    done = mortal.done;
  }
  // If a client retried a call after the server has stopped, the process would crash.
  resources.add('calls of a test to its server', async () => over.abort());
  const broken = done.then((): never => {
    throw new Error('the worker of the test has stopped');
  });
  broken.catch(() => undefined);
  // The client of Temporal's test environment would skip time whenever code waits for a result.
  const temporal = new TemporalClient({ connection, namespace });
  const mayDie = deaths.length > 0;
  const { now } = clock;
  return { folder, sandbox, client, temporal, pass, now, mayDie, within, broken, onEvent };
}

async function startPlatform(
  resources: Resources,
  { sandbox: { startSandbox }, rateLimit }: StageOptions,
  clock: () => number,
): Promise<RunningSandbox> {
  const sandbox = await startSandbox({
    seed: 1,
    rateLimit,
    pictureScale: 0,
    allowPrivateUrls: true,
    clock,
  });
  resources.add('the sandbox of a test', () => sandbox.stop());
  return sandbox;
}

/** Starts a receiver of notifications. @returns the address of wake-ups for workers */
async function receiveEvents(
  resources: Resources,
  { client, apiKey, now, onEvent }: Pick<Stage, 'client' | 'now' | 'onEvent'> & { apiKey: string },
): Promise<string> {
  const secrets = new Secrets([], { read: null });
  const receiving = await startReceiving({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    apiKey,
    secrets,
    now,
    warn: () => undefined,
    pipelines: { keep: (event) => onEvent.keep(event) },
  });
  resources.add('the receiver of notifications', () => receiving.stop());
  secrets.learn(await registerWebhook(client, receiving.url, false));
  return receiving.hintsUrl;
}
