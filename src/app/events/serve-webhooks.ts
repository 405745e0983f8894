// Receives the platform's notifications until stopped. They are wake-ups for workers, and events that start runs.

import { waitForAbort } from '../../api/abort.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import { findAddressProblem, readAllowedHosts } from '../../api/network/allowed-hosts.ts';
import { commandFailures } from '../../failures/commands.ts';
import { workspaceQueueOf } from '../../plan/run/queues.ts';
import { Readiness } from '../../receiver/readiness.ts';
import { formatAddress } from '../../receiver/register.ts';
import { isRunPath, RunRequestHandler } from '../../receiver/runs/run-request-handler.ts';
import { startReceiver } from '../../receiver/server.ts';
import type { WebhookHandler } from '../../receiver/webhook-handler.ts';
import type { Environment } from '../../settings/environment.ts';
import { createLogger, type Logger } from '../../settings/logger.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { App } from '../app.ts';
import { CleanupStack } from '../cleanup-stack.ts';
import { type HttpStartsOptions, openHttpStarts } from '../http-starts/http-starts.ts';
import { withPlatform } from '../platform-client.ts';
import { explainError, RenderlineError, usageError } from '../renderline-error.ts';
import { type HealthOptions, startConfiguredHealth } from '../worker/health-server.ts';
import { chooseMetricsTarget, type MetricsOptions } from '../worker/metrics-target.ts';
import { type Observability, startObservability } from '../worker/observability.ts';
import { verifyKey } from '../worker/run-worker.ts';
import { ownBuildId } from '../worker/worker-version.ts';
import { openEventDispatcher } from './event-dispatcher.ts';
import { awaitSecret, createWebhookSecrets, explainMissingSecret } from './webhook-secrets.ts';

export interface ServeWebhooksOptions extends HealthOptions, MetricsOptions {
  host: string;
  /** Port to listen on. With 0, a free port is chosen. */
  port: number;
  /** Path that the platform posts to. */
  path: string;
  /** Public address to register as the workspace's webhook. @default RENDERLINE_WEBHOOK_URL */
  register?: string | undefined;
  /** Replace a registered webhook that has another address. */
  replace?: boolean | undefined;
  /** Also start runs for programs that have a credential of the pipeline. @default RENDERLINE_ALLOW_RUNS */
  allowRuns?: boolean | undefined;
}

export interface StartedReceiver {
  schema: 'renderline/webhooks/v1';
  url: string;
  wakeUpsUrl: string;
  healthUrl: string;
  healthPort: number | null;
  metricsUrl: string | null;
  /** Address that this receiver registered, without its query. Null if it registered none. */
  registered: string | null;
  /** Pipelines with event triggers. */
  pipelines: readonly string[];
  /** URL for starting runs over HTTP, and the pipelines that can be started. Null if this is off. */
  runs: { url: string; pipelines: readonly string[]; problems: readonly string[] } | null;
}

const urlVariable = 'RENDERLINE_WEBHOOK_URL';
const runsVariable = 'RENDERLINE_ALLOW_RUNS';

/** Serves until `stop` aborts. @returns counts by outcome @throws RenderlineError for invalid options or webhook */
export async function serveWebhooks(
  app: App,
  givenOptions: ServeWebhooksOptions,
  { stop, onStarted }: { stop: AbortSignal; onStarted: (receiver: StartedReceiver) => void },
): Promise<WebhookHandler['counts']> {
  const { env } = app;
  const options = {
    ...givenOptions,
    register: givenOptions.register ?? (env[urlVariable] || undefined),
  };
  checkOptions(options, env);
  const note = (text: string) => app.note(text);
  const cleanup = new CleanupStack(note);
  try {
    return await withPlatform(app, async (client) => {
      const { apiKey } = await app.platform();
      const logger = createLogger({ stream: app.logStream, env, secrets: [apiKey] });
      const readiness = new Readiness(logger, readMonotonicMs);
      let findProblem = (): string | null => 'the receiver is still starting';
      const health = await startConfiguredHealth(options, env, () => findProblem());
      if (health !== null) cleanup.add('the health server', () => health.close());
      const { id } = await verifyKey(client, stop);
      const taskQueue = (await app.config()).taskQueue.value ?? workspaceQueueOf(id);
      const pipelines = openEventDispatcher(() => connectTemporal({ env }), taskQueue, {
        onProblem: (error) => readiness.set(error === null ? null : explainError(error)),
      });
      cleanup.add('the list of pipelines', () => pipelines.close());
      const { host, port, path, register, replace = false } = options;
      const secrets = await createWebhookSecrets(client, env, { register, replace });
      if (secrets.valid.length === 0) await awaitSecret(secrets, { note, stop });
      const now = () => client.now();
      const observability = await startMetrics(options, env, logger, now);
      if (observability !== null) cleanup.add('metrics', () => observability.stop());
      const isAllowed = options.allowRuns ?? env[runsVariable] === '1';
      const runs = isAllowed ? openRunReceiver(app, taskQueue, logger, now) : null;
      const receiver = await startReceiver({
        host,
        port,
        path,
        apiKey,
        secrets,
        persist: (event) => pipelines.deliver(event),
        findProblem: () => readiness.problem,
        now,
        onTrouble: (message) => logger.warn(message),
        runs: runs?.receiver,
      });
      // Best effort: without Temporal the receiver still forwards wake-ups, and catches up on missed events later.
      const pipelineNames = await pipelines.catchUp().catch(() => []);
      findProblem = () =>
        readiness.problem?.message ?? explainMissingSecret(secrets, receiver.handler.counts);
      onStarted({
        schema: 'renderline/webhooks/v1',
        url: receiver.url,
        wakeUpsUrl: receiver.wakeUpsUrl,
        healthUrl: receiver.healthUrl,
        healthPort: health?.port ?? null,
        metricsUrl: observability?.metricsUrl ?? null,
        registered: register === undefined ? null : formatAddress(register),
        pipelines: pipelineNames,
        runs: runs && { url: `${new URL(receiver.url).origin}/pipelines`, ...(await runs.list()) },
      });
      await waitForAbort(stop);
      await receiver.stop();
      return receiver.handler.counts;
    });
  } finally {
    await cleanup.stopAll();
  }
}

/** Starts metrics if configured. Only then is Temporal's runtime loaded, which serves the metrics. */
async function startMetrics(
  endpoint: MetricsOptions,
  env: Environment,
  logger: Logger,
  now: () => number,
): Promise<Observability | null> {
  if ((await chooseMetricsTarget(endpoint, env)) === null) return null;
  const build = { buildId: ownBuildId(), process: 'receiver' } as const;
  return startObservability({ env, endpoint, logger, build, now });
}

function openRunReceiver(app: App, taskQueue: string, logger: Logger, now: () => number) {
  const onError: HttpStartsOptions['onError'] = ({ code, fix, message }) =>
    logger.error({ code, fix }, `A request to start a run failed: ${message}`);
  const httpApp = new App({ ...app.settings, via: 'http' });
  const { find, list, pipelines } = openHttpStarts({ app: httpApp, taskQueue, onError });
  const handleError = (error: unknown) => onError(explainError(error));
  const handler = new RunRequestHandler({ find, now, onError: handleError });
  return { receiver: { handler, pipelines: () => pipelines()?.length ?? null }, list };
}

function checkOptions({ path, register, replace }: ServeWebhooksOptions, env: Environment): void {
  const isTaken = path === '/wake-ups' || path === '/health' || isRunPath(`${path}/`);
  if (isTaken || !/^\/[\w./~-]*$/.test(path)) {
    const message = `--path ${path} cannot be used for notifications.`;
    throw new RenderlineError(commandFailures.WRONG_PATH, message);
  }
  if (replace === true && register === undefined) {
    const fix = 'renderline webhooks --register https://HOST/webhooks --replace';
    throw usageError('--replace requires --register.', fix);
  }
  if (register === undefined) return;
  if (!/^https?:$/.test(protocolOf(register))) {
    const fix = 'Specify the public address at which the platform reaches this receiver.';
    const message = `The webhook's address ${formatAddress(register)} is not an http(s) URL.`;
    throw usageError(message, fix);
  }
  const url = new URL(register);
  const refusal = findAddressProblem(url, readAllowedHosts(env));
  if (refusal === null) return;
  const message = `--register (or ${urlVariable}): notifications cannot be sent to ${url.host}: the host ${refusal.reason}.`;
  throw usageError(message, refusal.fix);
}

const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');
