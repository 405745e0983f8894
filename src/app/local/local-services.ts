// Starts sandbox, receiver, worker and, unless the environment specifies one, a Temporal server, for `dev` and `demo`.
import { join } from 'node:path';
import { type Client, createClient } from '../../api/client.ts';
import type { ResponseAnomaly } from '../../api/responses/anomalies.ts';
import { asRecord } from '../../api/unknown-values.ts';
import { findKnownFailure } from '../../failures/classify-error.ts';
import { commandFailures } from '../../failures/commands.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { workspaceQueueOf } from '../../plan/run/queues.ts';
import type { RunningSandbox, SandboxOptions, SandboxPackage } from '../../sandbox/interface.ts';
import type { Environment } from '../../settings/environment.ts';
import { createLogger } from '../../settings/logger.ts';
import { connectTemporal, connectWorker } from '../../temporal/connection/connect.ts';
import { DevServerError, isPortTaken, startDevServer } from '../../temporal/server/dev-server.ts';
import { chooseTemporal, findTemporalServer } from '../../temporal/server/find-server.ts';
import { isPortFree } from '../../temporal/server/free-ports.ts';
import { formatExit } from '../../temporal/server/run-command.ts';
import type { App } from '../app.ts';
import type { CleanupStack } from '../cleanup-stack.ts';
import { assertOpenFilesLimit, readOpenFilesLimit } from '../open-files.ts';
import { logAnomaly } from '../platform-client.ts';
import { installWorkerRuntime, verifyKey } from '../worker/run-worker.ts';
import { startWorker, type WorkerOptions } from '../worker/worker.ts';
import { chooseWorkerVersion, ownBuildId } from '../worker/worker-version.ts';
import { loadSandbox, lockSandboxData } from './load-sandbox.ts';
import { startLocalReceiver } from './local-receiver.ts';

export interface LocalOptions {
  /** Folder for state that survives restarts. If null, no state is kept. */
  data: string | null;
  sandbox: SandboxOptions;
  /** Task queue of the worker. Null selects the default queue of the sandbox's workspace. */
  taskQueue: string | null;
  /** Time limit in ms for activities that are running at shutdown. */
  graceMs: number;
  /** Aborts the start. */
  stop: AbortSignal;
}

export type LocalServices = Awaited<ReturnType<typeof startLocalServices>>;

// Temporal's default ports. If either is in use, two free ports are used instead.
const preferredPorts = { grpc: 7233, ui: 8233 };

/** Starts all services and adds them to `cleanup`. If this fails, the caller must stop the started services. */
export async function startLocalServices(app: App, cleanup: CleanupStack, options: LocalOptions) {
  // Fails early if the sandbox is not installed, before a Temporal server is downloaded or built.
  const { startSandbox } = await loadSandbox();
  const [temporal, sandbox] = await settleBoth(
    startTemporal(app, cleanup, options),
    startPlatform(app, cleanup, options, startSandbox),
  );
  const { apiKey, url: baseUrl, origin } = sandbox;
  const client = await openClient(app, cleanup, { baseUrl, apiKey });
  const workspace = await verifyKey(client, options.stop);
  const taskQueue = options.taskQueue ?? workspaceQueueOf(workspace.id);
  const baseEnv: Environment = {
    ...app.env,
    TEMPORAL_ADDRESS: temporal.address,
    TEMPORAL_NAMESPACE: temporal.namespace,
    RENDERLINE_BASE_URL: baseUrl,
    RENDERLINE_API_KEY: apiKey,
    RENDERLINE_TASK_QUEUE: taskQueue,
    ...(temporal.ui === null ? {} : { RENDERLINE_TEMPORAL_UI: temporal.ui }),
  };
  options.stop.throwIfAborted();
  const platform = { baseUrl, apiKey, taskQueue };
  const receiver = await startLocalReceiver(app, cleanup, { env: baseEnv, ...platform });
  const { url: webhookUrl, wakeUpsUrl } = receiver;
  const env: Environment = { ...baseEnv, RENDERLINE_WAKE_UPS_URL: wakeUpsUrl };
  options.stop.throwIfAborted();
  const worker = await startLocalWorker(app, cleanup, {
    environment: env,
    client,
    workspace,
    apiKey,
    taskQueue,
    shutdownGraceMs: options.graceMs,
    wakeUpsUrl,
    temporalUi: temporal.ui,
  });
  const broken = Promise.race([
    temporal.ended,
    worker.done.then(() => waitForever(), rethrowAs('The worker failed')),
  ]);
  // Callers need not await the promise, so its rejection must count as handled.
  broken.catch(() => undefined);
  return {
    /** Environment variables that let other commands find these services. */
    env,
    temporalAddress: temporal.address,
    /** Null if an existing Temporal server is used and its UI is not configured. */
    temporalUi: temporal.ui,
    namespace: temporal.namespace,
    baseUrl,
    apiKey,
    sandboxPage: `${origin}/`,
    webhookUrl,
    wakeUpsUrl,
    taskQueue,
    /** Rejects when the worker fails, or when a Temporal server that was started here stops unexpectedly. */
    broken,
  };
}

/** Waits until both promises have settled, even if one rejects, so that no service can start after the cleanup. */
async function settleBoth<A, B>(first: Promise<A>, second: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([first, second]);
  return [await first, await second];
}

async function startTemporal(app: App, cleanup: CleanupStack, { data, stop }: LocalOptions) {
  const { env } = app;
  const choice = chooseTemporal(env);
  if (choice.kind === 'existing') {
    const connection = await connectTemporal({ env });
    await connection.close();
    const { address, namespace } = connection;
    app.note(`Temporal: using the server at ${address} (TEMPORAL_ADDRESS)`);
    const ui = (await app.config()).temporalUi.value;
    return { address, namespace, ui, ended: waitForever() };
  }
  const onProgress = (line: string) => app.note(line);
  const cacheDir = (await app.config()).cacheDir.value;
  const { path } = await findTemporalServer({ env, cacheDir, onProgress, signal: stop });
  const arePortsFree =
    (await isPortFree(preferredPorts.grpc)) && (await isPortFree(preferredPorts.ui));
  const startOn = (ports?: typeof preferredPorts) =>
    startDevServer({
      binary: path,
      signal: stop,
      ...omitUndefined({ ports }),
      ...(data === null
        ? {}
        : { dbFilename: join(data, 'temporal.db'), logFile: join(data, 'temporal.log') }),
    });
  // The start is repeated on free ports, because another process may take a port between the check and its use.
  const onFreePorts = (error: unknown) => {
    if (isPortTaken(error)) return startOn();
    throw error;
  };
  const server = await (arePortsFree ? startOn(preferredPorts).catch(onFreePorts) : startOn());
  cleanup.add('the Temporal server', () => server.stop());
  const { address, namespace, uiAddress, exited } = server;
  const ended = exited.then((end): never => {
    const message = `The local Temporal server stopped while it was in use (${formatExit(end)}).`;
    throw new DevServerError(message, server.output(), commandFailures.TEMPORAL_ENDED);
  });
  ended.catch(() => undefined);
  return { address, namespace, ui: uiAddress, ended };
}

async function startPlatform(
  app: App,
  cleanup: CleanupStack,
  { data, sandbox }: LocalOptions,
  startSandbox: SandboxPackage['startSandbox'],
) {
  const folder = data === null ? undefined : join(data, 'sandbox');
  if (folder !== undefined) cleanup.add("the sandbox's data", await lockSandboxData(folder));
  // The platform must accept a private address, because the receiver runs on this machine.
  const settings = { ...sandbox, allowPrivateUrls: true, ...omitUndefined({ data: folder }) };
  const sandboxServer = await startOnFreePort(startSandbox, settings);
  cleanup.add('the sandbox', () => sandboxServer.stop());
  app.note(`Sandbox: ${sandboxServer.url}`);
  return sandboxServer;
}

/** Starts a sandbox on its port, or on a free one if another program uses that port. */
export function startOnFreePort(
  startSandbox: SandboxPackage['startSandbox'],
  options: SandboxOptions,
): Promise<RunningSandbox> {
  return startSandbox(options).catch((error: unknown) => {
    if (asRecord(error)['code'] !== 'EADDRINUSE') throw error;
    return startSandbox({ ...options, port: 0 });
  });
}

async function openClient(
  app: App,
  cleanup: CleanupStack,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Promise<Client> {
  const logger = createLogger({ stream: app.logStream, env: app.env, secrets: [apiKey] });
  await installWorkerRuntime(logger);
  const onAnomaly = (anomaly: ResponseAnomaly) => logAnomaly(logger, anomaly);
  const client = createClient({ baseUrl, apiKey, onAnomaly });
  cleanup.add('the API client', () => client.close());
  return client;
}

async function startLocalWorker(
  app: App,
  cleanup: CleanupStack,
  options: Omit<WorkerOptions, 'connection' | 'namespace'> & { environment: Environment },
) {
  assertOpenFilesLimit(await readOpenFilesLimit());
  await app.usePlugins();
  const connected = await connectWorker({ env: options.environment });
  cleanup.add('the connection of the worker', () => connected.close());
  const { taskQueue } = options;
  const { connection, namespace } = connected;
  const versionRequest = { deployment: undefined, buildId: ownBuildId() };
  // A version is chosen because the task queue may already have versioned workers on an existing server.
  const { version } = await chooseWorkerVersion(connected, taskQueue, versionRequest);
  const worker = await startWorker({
    ...(version === null ? {} : { version, takesOver: true }),
    ...options,
    connection,
    namespace,
  });
  cleanup.add('the worker', async () => {
    worker.shutdown();
    await worker.done;
  });
  app.note(`Worker: task queue ${taskQueue}`);
  return worker;
}

function waitForever(): Promise<never> {
  return new Promise(() => {});
}

/** Returns a rejection handler that adds the name of the failed part to errors that do not explain themselves. */
export function rethrowAs(part: string): (error: unknown) => never {
  return (error) => {
    if (error instanceof Error && findKnownFailure(error) !== null) throw error;
    throw new Error(`${part}: ${error instanceof Error ? error.message : String(error)}`);
  };
}
