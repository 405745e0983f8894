// Everything that one test needs: a server that skips time, a sandbox on its clock, a worker. Each test has its own, since the
// time of a server is that of all that runs on it.
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
  /** Of the test; removed at the end. */
  folder: string;
  sandbox: RunningSandbox;
  client: Client;
  temporal: TemporalClient;
  /** Lets time pass, and the platform tell of what has happened meanwhile. */
  pass: (ms: number) => Promise<void>;
  now: () => number;
  /** The worker is one that a test kills. */
  mayDie: boolean;
  /** Calls of the server below it end with the test. */
  within: <T>(work: () => Promise<T>) => Promise<T>;
  /** Rejects when the worker breaks. */
  broken: Promise<never>;
  /** Who is told of the platform's events. */
  onEvent: { keep: (event: PlatformEvent) => Promise<void> };
}

export interface StageOptions {
  /** Start script of the server. */
  server: string;
  sandbox: SandboxPackage;
  rateLimit: number;
  notifications: boolean;
  /** When the worker dies; without any it is in this process. */
  deaths: readonly Death[];
  environment: Environment;
}

/** Adds what it starts to `resources`, also where it fails. */
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
  // A call that its client would try again after the server has gone breaks the process.
  resources.add('calls of a test to its server', async () => over.abort());
  const broken = done.then((): never => {
    throw new Error('the worker of the test has stopped');
  });
  broken.catch(() => undefined);
  // The environment's own client would let time pass whenever somebody waits for a result.
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

/** Gives the address of the hints for workers. */
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
