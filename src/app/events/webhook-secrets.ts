// Collects the secrets that a receiver needs to check signatures: from the environment, from the registration, or by
// polling the platform. It is not a problem if a workspace has no webhook, because its workers poll.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../../api/client.ts';
import { classify } from '../../api/errors/retry.ts';
import { commandFailures } from '../../failures/commands.ts';
import { secretFix } from '../../receiver/notification-problems.ts';
import { registerWebhook, WebhookTakenError } from '../../receiver/register.ts';
import { Secrets } from '../../receiver/secrets.ts';
import type { Environment } from '../../settings/environment.ts';
import { RenderlineError } from '../renderline-error.ts';

/** Interval between requests for the secret while none is known. */
const defaultPollIntervalMs = 60_000;

interface RegistrationOptions {
  /** Public address to register. If absent, the registered webhook is not changed. */
  register: string | undefined;
  replace: boolean;
}

interface SecretWaitOptions {
  /** Called when the wait starts, and when the secret is known. */
  note: (text: string) => void;
  stop: AbortSignal;
  pollIntervalMs?: number;
}

/**
 * Collects the secrets from the environment. The result can also read the platform's secret. If an address is given,
 * registers it, because the response contains the secret.
 */
export async function createWebhookSecrets(
  client: Client,
  env: Environment,
  { register, replace }: RegistrationOptions,
): Promise<Secrets> {
  const variables = ['RENDERLINE_WEBHOOK_SECRET', 'RENDERLINE_WEBHOOK_SECRET_PREVIOUS'];
  const options = { priority: 'interactive', maxWaitMs: 10_000 } as const;
  const secrets = new Secrets(
    variables.flatMap((variable) => env[variable] || []),
    { read: async () => (await client.getWebhookSecret({}, options)).secret },
  );
  if (register !== undefined) secrets.add(await registerForSecret(client, register, replace));
  return secrets;
}

/**
 * Requests the secret once. If there is none, starts polling in the background and returns. Until a secret is known,
 * the receiver rejects notifications, which the platform then sends again.
 * @param secrets contains no valid secret yet
 * @throws the error of the first request if waiting cannot help, such as a wrong key
 */
export async function awaitSecret(
  secrets: Secrets,
  { note, stop, pollIntervalMs = defaultPollIntervalMs }: SecretWaitOptions,
): Promise<void> {
  const first = await requestSecret(secrets);
  if (first === null) return;
  note(
    [
      `No webhook is available yet (${first}). Workers poll until then; the receiver retries once a minute.`,
      '  Register this receiver:    renderline webhooks --register https://HOST/webhooks',
      '  Or set its public address: RENDERLINE_WEBHOOK_URL=https://HOST/webhooks',
      '  Or set the secret:         RENDERLINE_WEBHOOK_SECRET=<SIGNING_SECRET>',
    ].join('\n'),
  );
  waitForSecret(secrets, { stop, everyMs: pollIntervalMs }).then(
    (isKnown) => isKnown && note('The webhook is registered now; notifications are accepted.'),
    () => undefined,
  );
}

/** Resolves to false if stopped before a secret is known. */
async function waitForSecret(
  secrets: Secrets,
  { stop, everyMs }: { stop: AbortSignal; everyMs: number },
): Promise<boolean> {
  while (!stop.aborted) {
    await sleep(everyMs, undefined, { signal: stop });
    // The secret may already be known, because a notification may have triggered a request for it in the meantime.
    if (secrets.valid.length > 0) return true;
    if ((await requestSecret(secrets).catch(() => 'refused')) === null) return true;
  }
  return false;
}

/** Requests the secret. Returns null on success. @throws errors that waiting does not fix */
async function requestSecret(secrets: Secrets): Promise<string | null> {
  try {
    await secrets.refresh();
    return null;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: '', message: '' };
    if (name === 'NotFoundError') return 'none is registered';
    if (name === 'OperationUnresolvedError') return message;
    if (['backoff', 'rate'].includes(classify(error).kind)) return message;
    throw error;
  }
}

/**
 * Returns why a receiver without a secret is not ready. Returns null while no webhook is registered or no notification
 * has failed, because an installation without a public address needs no secret.
 * @param counts numbers of notifications so far
 */
export function explainMissingSecret(
  secrets: Pick<Secrets, 'valid' | 'refusal'>,
  counts: Readonly<Record<'failed', number>>,
): string | null {
  const { valid, refusal } = secrets;
  if (valid.length > 0 || counts.failed === 0) return null;
  if (!(refusal instanceof Error) || refusal.name === 'NotFoundError') return null;
  return `the webhook secret is unknown (${refusal.message}): ${secretFix}`;
}

async function registerForSecret(client: Client, url: string, replace: boolean): Promise<string> {
  try {
    return await registerWebhook(client, url, replace);
  } catch (error) {
    if (!(error instanceof WebhookTakenError)) throw error;
    const message = `The workspace can have one webhook, and it is already set to ${error.url}.`;
    throw new RenderlineError(commandFailures.WEBHOOK_TAKEN, message);
  }
}
