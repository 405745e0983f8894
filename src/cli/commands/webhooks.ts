// `renderline webhooks`: receives the platform's notifications until stopped.

import type { Command } from '@commander-js/extra-typings';
import { monotonicMs } from '../../api/clock.ts';
import { allowedHosts, refuseAddress } from '../../api/network/allowed-hosts.ts';
import type { Workspace } from '../../api/workspace.ts';
import { CleanupStack } from '../../app/cleanup-stack.ts';
import { type EventDispatcher, openEventDispatcher } from '../../app/events/event-dispatcher.ts';
import {
  type RunningWebhookReceiver,
  startWebhookReceiver,
} from '../../app/events/webhook-receiver.ts';
import { awaitSecret, findSecretFault, webhookSecrets } from '../../app/events/webhook-secrets.ts';
import { untilAborted } from '../../app/interrupts.ts';
import { withPlatform } from '../../app/platform-client.ts';
import { explainError, RenderlineError } from '../../app/renderline-error.ts';
import { chooseMetricsTarget, type MetricsFlags } from '../../app/worker/metrics-target.ts';
import { type Observability, startObservability } from '../../app/worker/observability.ts';
import { verifyKey } from '../../app/worker/run-worker.ts';
import { ownBuildId } from '../../app/worker/worker-version.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { workspaceQueue } from '../../plan/run/queues.ts';
import { Readiness } from '../../receiver/readiness.ts';
import { shownAddress } from '../../receiver/register.ts';
import type { Environment } from '../../settings/environment.ts';
import { createLogger, type Logger } from '../../settings/logger.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { type HealthFlags, healthOptions, startHealthIfSet } from '../health-options.ts';
import { numberParser, portParser } from '../params.ts';
import type { Session } from '../session.ts';

const defaultPort = 8099;
/** Alternative to `--register`. */
const urlVariable = 'RENDERLINE_WEBHOOK_URL';

interface Flags extends HealthFlags, MetricsFlags {
  host: string;
  port: number;
  path: string;
  register?: string | undefined;
  replace?: true | undefined;
}

export function declareWebhooks(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port; 0 takes a free port', numberParser('--port'), defaultPort)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--path <path>', 'path that the platform posts to', '/webhooks')
    .option(
      '--register <url>',
      "register this public address as the workspace's webhook (RENDERLINE_WEBHOOK_URL)",
    )
    .option(
      '--metrics-port <n>',
      'serve metrics for Prometheus at /metrics; 0 takes a free port',
      portParser('--metrics-port'),
    )
    .option('--metrics-host <address>', 'address of the metrics (default: 127.0.0.1)')
    .option('--replace', 'with --register: replace a webhook with another address')
    .option(...healthOptions.port)
    .option(...healthOptions.host)
    .action(session.action((flags) => receiveUntilStopped(session, flags)));
}

async function receiveUntilStopped(session: Session, given: Flags): Promise<number> {
  const { io, output } = session;
  const stop = io.interrupts.handleFirst();
  const flags = { ...given, register: given.register ?? (io.env[urlVariable] || undefined) };
  checkFlags(flags, io.env);
  const note = (text: string) => output.note(text);
  const cleanup = new CleanupStack(note);
  try {
    return await withPlatform(session, async (client) => {
      const { apiKey } = await session.platform();
      const logger = createLogger({ stream: io.stderr, env: io.env, secrets: [apiKey] });
      const readiness = new Readiness(logger, monotonicMs);
      let findProblem = (): string | null => 'the receiver is still starting';
      const health = await startHealthIfSet(flags, io.env, () => findProblem());
      if (health !== null) cleanup.add('the answer to probes', () => health.close());
      const pipelines = await openPipelines(session, await verifyKey(client, stop), (error) =>
        readiness.set(error === null ? null : explainError(error)),
      );
      cleanup.add('the list of pipelines', () => pipelines.close());
      const { host, port, path, register, replace = false } = flags;
      const secrets = await webhookSecrets(client, io.env, { register, replace });
      if (secrets.valid.length === 0) await awaitSecret(secrets, { note, stop });
      const now = () => client.now();
      const observability = await startMetrics(session, flags, logger, now);
      if (observability !== null) cleanup.add('metrics', () => observability.stop());
      const listenOptions = { host, port, path, apiKey, now };
      const warn = (message: string) => logger.warn(message);
      const receiver = await startWebhookReceiver({
        ...listenOptions,
        secrets,
        pipelines,
        warn,
        readiness,
      });
      // Best effort: without Temporal the receiver still forwards wake-ups, and catches up on missed events later.
      const known = await pipelines.catchUp().catch(() => []);
      findProblem = () => readiness.fault?.message ?? findSecretFault(secrets, receiver.counts);
      announce(
        session,
        receiver,
        { ...flags, healthPort: health?.port, metricsUrl: observability?.metricsUrl },
        known,
      );
      await untilAborted(stop);
      await receiver.stop();
      note(`The receiver has stopped. Notifications: ${formatCounts(receiver.counts)}.`);
      return exitCode.done;
    });
  } finally {
    await cleanup.stopAll();
  }
}

/** Starts metrics if configured. Only then Temporal's runtime, which serves them, is loaded. */
async function startMetrics(
  { io: { env } }: Session,
  flags: Flags,
  logger: Logger,
  now: () => number,
): Promise<Observability | null> {
  if ((await chooseMetricsTarget(flags, env)) === null) return null;
  const build = { buildId: ownBuildId(), process: 'receiver' } as const;
  return startObservability({ env, flags, logger, build, now });
}

async function openPipelines(
  session: Session,
  { id }: Workspace,
  onFault: (error: unknown) => void,
): Promise<EventDispatcher> {
  const { env } = session.io;
  const taskQueue = (await session.config()).taskQueue.value ?? workspaceQueue(id);
  return openEventDispatcher(() => connectTemporal({ env }), taskQueue, { onFault });
}

function checkFlags({ path, register, replace }: Flags, env: Environment): void {
  if (!/^\/[\w./~-]*$/.test(path) || path === '/wake-ups' || path === '/health') {
    throw new RenderlineError(
      commandFailures.WRONG_PATH,
      `--path ${path} cannot be used for notifications.`,
    );
  }
  if (replace === true && register === undefined) {
    throw new RenderlineError(commandFailures.USAGE, '--replace requires --register.', {
      fix: 'renderline webhooks --register https://HOST/webhooks --replace',
    });
  }
  if (register === undefined) return;
  if (!/^https?:$/.test(protocolOf(register))) {
    throw new RenderlineError(
      commandFailures.USAGE,
      `The webhook's address ${shownAddress(register)} is not an http(s) URL.`,
      {
        fix: 'Give the public address at which the platform reaches this receiver.',
      },
    );
  }
  const url = new URL(register);
  const refusal = refuseAddress(url, allowedHosts(env));
  if (refusal === null) return;
  const message = `--register (or ${urlVariable}): notifications cannot be sent to ${url.host}; it ${refusal.why}.`;
  throw new RenderlineError(commandFailures.USAGE, message, { fix: refusal.fix });
}

const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');

function announce(
  session: Session,
  { url, wakeUpsUrl, healthUrl }: RunningWebhookReceiver,
  { register, healthPort, metricsUrl = null }: Flags & { metricsUrl?: string | null | undefined },
  pipelines: readonly string[],
): void {
  const registered = register === undefined ? null : shownAddress(register);
  session.output.result(
    {
      schema: 'renderline/webhooks/v1',
      url,
      wakeUpsUrl,
      healthUrl,
      healthPort: healthPort ?? null,
      metricsUrl,
      registered,
      pipelines,
    },
    () =>
      [
        `Receiving notifications at ${url}`,
        pipelines.length === 0
          ? '# Pipelines with `on:` can be added at any time: renderline apply FILES'
          : `Starting runs of ${pipelines.join(', ')}`,
        ...(registered === null ? [] : [`Registered at the platform as ${registered}`]),
        `# Forward them to workers: export RENDERLINE_WAKE_UPS_URL=${wakeUpsUrl}`,
        ...(metricsUrl === null ? [] : [`Metrics at ${metricsUrl}`]),
        'Ctrl-C stops it gracefully.',
      ].join('\n'),
  );
}

function formatCounts(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return entries.map(([what, count]) => `${count} ${what}`).join(', ') || 'none';
}
