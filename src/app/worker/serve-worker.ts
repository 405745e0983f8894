import { hostname } from 'node:os';
import { formatClockWarning } from '../../api/clock.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { workspaceQueueOf } from '../../plan/run/queues.ts';
import type { Environment } from '../../settings/environment.ts';
import { createLogger } from '../../settings/logger.ts';
import { readLinkKey } from '../../settings/secrets/decision-link.ts';
import type { AssetNaming } from '../../telemetry/log-assets.ts';
import { connectWorker } from '../../temporal/connection/connect.ts';
import { TaskFailures } from '../../temporal/runs/task-failures.ts';
import { type Machine, readMachine } from '../../temporal/tuning/machine.ts';
import { resolveTuning, type Tuning } from '../../temporal/tuning/tuning.ts';
import type { App } from '../app.ts';
import { assertOpenFilesLimit, readOpenFilesLimit } from '../open-files.ts';
import { withPlatform } from '../platform-client.ts';
import { usageError } from '../renderline-error.ts';
import { type HealthOptions, type HealthServer, startConfiguredHealth } from './health-server.ts';
import type { MetricsOptions } from './metrics-target.ts';
import { startObservability } from './observability.ts';
import { describeEncryption } from './payload-encryption.ts';
import { runWorkerUntil, verifyKey } from './run-worker.ts';
import { assertTemporaryFolder } from './temporary-folder.ts';
import { type RunningWorker, startWorker } from './worker.ts';
import { type GivenTuning, readTuningOptions } from './worker-tuning.ts';
import {
  chooseWorkerVersion,
  createVersionOptions,
  type GivenVersion,
  readVersionRequest,
} from './worker-version.ts';

/** Time limit for connecting, generous enough for a very busy machine. A wrong address still fails immediately. */
const connectTimeoutMs = 20_000;

export interface ServeWorkerOptions
  extends HealthOptions,
    MetricsOptions,
    GivenTuning,
    GivenVersion {
  /** Name shared by all workers that use the same local folders. @default name of the machine */
  host?: string | undefined;
  /** How individual assets are logged. See `readAssetNaming`. */
  logAssets?: string | true | undefined;
}

export interface StartedWorker {
  shape: {
    schema: 'renderline/worker/v1';
    workspace: string;
    taskQueue: string;
    host: string;
    namespace: string;
    address: string;
    healthPort: number | null;
    deployment: string | null;
    buildId: string | null;
    payloads: string;
    tuning: Tuning & Machine;
    metricsUrl: string | null;
  };
  baseUrl: string;
  healthUrl: string | null;
}

/**
 * Starts a worker, and stops it gracefully when `stop` aborts.
 * @param onStarted called once the worker polls
 * @throws RenderlineError for options that cannot be used; the error of a worker that failed
 */
export async function serveWorker(
  app: App,
  options: ServeWorkerOptions,
  { stop, onStarted }: { stop: AbortSignal; onStarted: (worker: StartedWorker) => void },
): Promise<void> {
  const { env } = app;
  const { host = hostname() } = options;
  const machine = readMachine();
  const tuning = resolveTuning(readTuningOptions(options, env), machine);
  const assets = readAssetNaming(options.logAssets, env);
  const versionRequest = readVersionRequest(options, env);
  assertOpenFilesLimit(await readOpenFilesLimit());
  await assertTemporaryFolder();
  await app.usePlugins();
  const { apiKey } = await app.platform();
  await withPlatform(app, async (client) => {
    const workspace = await verifyKey(client, stop);
    const config = await app.config();
    const taskQueue = config.taskQueue.value ?? workspaceQueueOf(workspace.id);
    const ui = config.ui.value;
    const linkKey = readLinkKey(env);
    const secrets = [apiKey, linkKey ?? apiKey];
    const logger = createLogger({ stream: app.logStream, env, level: 'info', secrets });
    const failures = new TaskFailures();
    const observability = await startObservability({
      env,
      endpoint: options,
      logger,
      failures,
      budget: client.budget,
      build: { buildId: versionRequest.buildId, process: 'worker' },
      now: () => client.now(),
      ...omitUndefined({ assets }),
    });
    const wrongClock = formatClockWarning(client.clockAheadMs());
    if (wrongClock !== null) logger.warn(wrongClock);
    const temporal = await connectWorker({ env, timeoutMs: connectTimeoutMs });
    let worker: RunningWorker | null = null;
    let health: HealthServer | null = null;
    try {
      const findProblem = () =>
        worker?.isRunning() ? failures.trouble : 'the worker is not running';
      health = await startConfiguredHealth(options, env, findProblem);
      const { connection, namespace, address } = temporal;
      const chosenVersion = await chooseWorkerVersion(temporal, taskQueue, versionRequest);
      const { version, isJoined, warning } = chosenVersion;
      if (warning !== null) logger.warn(warning);
      worker = await startWorker({
        connection,
        namespace,
        client,
        apiKey,
        workspace,
        fields: config.fields.value,
        taskQueue,
        host,
        environment: env,
        tuning,
        ...createVersionOptions(logger, version, isJoined),
        tracing: observability.tracing,
        wakeUpsUrl: config.wakeUpsUrl.value,
        temporalUi: config.temporalUi.value,
        decisionLinks: ui && linkKey !== null ? { origin: ui.origin, key: linkKey } : null,
        onSharing: ({ isShared, reason }) => {
          const problem = 'the rate limit cannot be shared; this worker uses its own budget';
          if (isShared) logger.info('workers of this API key share its rate limit');
          else logger.warn({ reason }, problem);
        },
        onWakeUpState: ({ listening, reason }) => {
          const problem = 'no wake-ups from the receiver; waits poll at their own interval';
          if (listening) logger.info('connected to the receiver for wake-ups');
          else logger.warn({ reason }, problem);
        },
      });
      onStarted({
        shape: {
          schema: 'renderline/worker/v1',
          workspace: workspace.name ?? workspace.id,
          taskQueue,
          host,
          namespace,
          address,
          healthPort: health?.port ?? null,
          deployment: version?.deployment ?? null,
          buildId: version?.buildId ?? null,
          payloads: describeEncryption(env),
          tuning: { ...tuning, ...machine },
          metricsUrl: observability.metricsUrl,
        },
        baseUrl: client.baseUrl,
        healthUrl: health?.url ?? null,
      });
      await runWorkerUntil(worker, stop);
    } finally {
      await health?.close();
      await observability.stop();
      await temporal.close();
    }
  });
}

const variable = 'RENDERLINE_LOG_ASSETS';

/**
 * @param flag value of `--log-assets`, or true without a value
 * @returns undefined if individual assets are logged only at level `debug`
 * @throws RenderlineError for a value other than `key`, `hash`, `1` (as `key`) and `0` (as if not set)
 */
export function readAssetNaming(
  flag: string | true | undefined,
  env: Environment,
): AssetNaming | undefined {
  const value = flag ?? (env[variable] || undefined);
  if (value === undefined || value === '0') return undefined;
  if (value === true || value === '1' || value === 'key') return 'key';
  if (value === 'hash') return 'hash';
  const origin = flag === undefined ? variable : '--log-assets';
  const fix = 'For example: --log-assets, or --log-assets hash';
  throw usageError(`${origin} "${value}" is not allowed: use key or hash.`, fix);
}
