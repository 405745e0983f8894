// `renderline webhooks`: receives the platform's notifications, until stopped.
import type { Command } from '@commander-js/extra-typings';
import { allowedHosts, refuseAddress } from '../../api/allowed-hosts.ts';
import type { Client } from '../../api/client.ts';
import { commandFailures } from '../../failures/commands.ts';
import { exitCode } from '../../failures/exit-code.ts';
import { registerWebhook, WebhookTakenError } from '../../receiver/register.ts';
import { Secrets } from '../../receiver/secrets.ts';
import type { Environment } from '../../settings/environment.ts';
import { createLogger } from '../../settings/logger.ts';
import { connectTemporal } from '../../temporal/connect.ts';
import { type EventPipelines, openEventPipelines } from '../event-pipelines.ts';
import { CliError } from '../exit.ts';
import { aborted } from '../interrupts.ts';
import { type MetricsFlags, metricsPlace } from '../metrics-place.ts';
import { anyNumber, portNumber } from '../params.ts';
import { withPlatform } from '../platform-client.ts';
import { type Receiving, startReceiving } from '../receiving.ts';
import { runPlace } from '../run-place.ts';
import type { Session } from '../session.ts';
import { type Watching, watchProcess } from '../watching.ts';

const defaultPort = 8099;

interface Flags extends MetricsFlags {
  host: string;
  port: number;
  path: string;
  register?: string | undefined;
  replace?: true | undefined;
}

export function declareWebhooks(command: Command, session: Session): void {
  command
    .option('--port <n>', 'port; 0 takes a free one', anyNumber('--port'), defaultPort)
    .option('--host <address>', 'address to listen at', '127.0.0.1')
    .option('--path <path>', 'path that the platform posts to', '/webhooks')
    .option('--register <url>', "make this public address the workspace's webhook")
    .option(
      '--metrics-port <n>',
      'serve metrics for Prometheus at /metrics; 0 takes a free port',
      portNumber('--metrics-port'),
    )
    .option('--metrics-host <address>', 'address to serve them at (default: 127.0.0.1)')
    .option('--replace', "with --register: take the place of somebody else's webhook")
    .action(
      session.action(async (flags) => {
        const stop = session.io.interrupts.take();
        checkFlags(flags, session.io.env);
        const pipelines = await eventPipelines(session);
        try {
          return await withPlatform(session, async (client) => {
            const secrets = await secretsFor(session, client, flags);
            const { apiKey } = await session.platform();
            const watching = await watch(session, apiKey, flags);
            const { host, port, path } = flags;
            const place = { host, port, path, apiKey };
            const receiving = await startReceiving({ ...place, secrets, pipelines });
            announce(
              session,
              receiving,
              watching?.metricsUrl ?? null,
              flags,
              await caughtUp(session, pipelines),
            );
            await aborted(stop);
            await receiving.stop();
            await watching?.stop();
            session.output.note(`The receiver has stopped: ${told(receiving.counts)}.`);
            return exitCode.done;
          });
        } finally {
          await pipelines.close();
        }
      }),
    );
}

/** Temporal's runtime serves the metrics, and is loaded for nothing else here. */
async function watch({ io }: Session, apiKey: string, flags: Flags): Promise<Watching | null> {
  const { env, stderr } = io;
  if ((await metricsPlace(flags, env)) === null) return null;
  const logger = createLogger({ stream: stderr, env, secrets: [apiKey] });
  return watchProcess({ env, flags, logger });
}

async function eventPipelines(session: Session): Promise<EventPipelines> {
  const { env } = session.io;
  const { taskQueue } = await runPlace(session);
  return openEventPipelines(() => connectTemporal({ env }), taskQueue);
}

/** Sweeps for missed events. Without Temporal hints still work, and it may be back before the next event. */
async function caughtUp(session: Session, pipelines: EventPipelines): Promise<string[]> {
  try {
    return await pipelines.catchUp();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    session.output.note(
      `Events that start runs are refused with 503 until Temporal answers: ${reason}`,
    );
    return [];
  }
}

function checkFlags({ path, register, replace }: Flags, env: Environment): void {
  if (!/^\/[\w./~-]*$/.test(path) || path === '/hints' || path === '/health') {
    throw new CliError(
      commandFailures.WRONG_PATH,
      `--path ${path} cannot be the path of notifications.`,
    );
  }
  if (replace === true && register === undefined) {
    throw new CliError(
      commandFailures.USAGE,
      '--replace says what --register may do, and --register is missing.',
      { fix: 'renderline webhooks --register https://HOST/webhooks --replace' },
    );
  }
  if (register === undefined) return;
  if (!/^https?:$/.test(protocolOf(register))) {
    throw new CliError(commandFailures.USAGE, `--register ${register} is not an http(s) URL.`, {
      fix: 'Give the public address at which the platform reaches this receiver.',
    });
  }
  const url = new URL(register);
  const refusal = refuseAddress(url, allowedHosts(env));
  if (refusal === null) return;
  const message = `--register: ${url.host} is given what the platform tells; it ${refusal.why}.`;
  throw new CliError(commandFailures.USAGE, message, { fix: refusal.fix });
}

const protocolOf = (text: string) => (URL.canParse(text) ? new URL(text).protocol : '');

/** Secrets of the webhook. With `--register` it registers first, since the answer carries the secret. */
async function secretsFor(session: Session, client: Client, flags: Flags): Promise<Secrets> {
  const { env } = session.io;
  const fixed = [env['RENDERLINE_WEBHOOK_SECRET'], env['RENDERLINE_WEBHOOK_SECRET_PREVIOUS']];
  const secrets = new Secrets(
    fixed.filter((secret): secret is string => secret !== undefined && secret !== ''),
    {
      read: async () =>
        (await client.getWebhookSecret({}, { priority: 'interactive', maxWaitMs: 10_000 })).secret,
    },
  );
  if (flags.register !== undefined) {
    secrets.learn(await register(client, flags.register, flags.replace === true));
  } else if (secrets.valid.length === 0) {
    await secrets.ask().catch((error: unknown) => {
      throw withoutSecret(error);
    });
  }
  return secrets;
}

async function register(client: Client, url: string, replace: boolean): Promise<string> {
  try {
    return await registerWebhook(client, url, replace);
  } catch (error) {
    if (!(error instanceof WebhookTakenError)) throw error;
    throw new CliError(
      commandFailures.WEBHOOK_TAKEN,
      `The workspace has one webhook, and it is set to ${error.url}.`,
    );
  }
}

/** Only a webhook that is not set needs an explanation; other errors explain themselves. */
function withoutSecret(error: unknown): unknown {
  const { name, message } = error instanceof Error ? error : { name: '', message: '' };
  if (name !== 'NotFoundError' && name !== 'OperationUnresolvedError') return error;
  return new CliError(
    commandFailures.NO_WEBHOOK_SECRET,
    `No secret to check signatures with: ${message}`,
    {
      fix: [
        'Register this receiver:  renderline webhooks --register https://HOST/webhooks',
        'Or name the secret:      export RENDERLINE_WEBHOOK_SECRET=<SIGNING_SECRET>',
      ].join('\n'),
    },
  );
}

function announce(
  session: Session,
  { url, hintsUrl, healthUrl }: Receiving,
  metricsUrl: string | null,
  { register }: Flags,
  pipelines: readonly string[],
): void {
  const registered = register ?? null;
  session.output.answer(
    {
      schema: 'renderline/webhooks/v1',
      url,
      hintsUrl,
      healthUrl,
      metricsUrl,
      registered,
      pipelines,
    },
    () =>
      [
        `Receiving notifications at ${url}`,
        pipelines.length === 0
          ? '# Pipelines that begin with events are added any time: renderline apply FILES'
          : `Starting runs of ${pipelines.join(', ')}`,
        ...(registered === null ? [] : [`The platform sends them to ${registered}`]),
        `# Workers hear of them with: export RENDERLINE_HINTS_URL=${hintsUrl}`,
        ...(metricsUrl === null ? [] : [`Metrics at ${metricsUrl}`]),
        'Ctrl-C stops it gracefully.',
      ].join('\n'),
  );
}

function told(counts: Readonly<Record<string, number>>): string {
  const entries = Object.entries(counts).filter(([, count]) => count > 0);
  return entries.map(([what, count]) => `${count} ${what}`).join(', ') || 'nothing came';
}
