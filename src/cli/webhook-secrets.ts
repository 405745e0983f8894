// The secrets that a receiver checks signatures with: set by a person, given at registration, or asked for until they
// are there. A workspace without a webhook is no fault: its workers look at their ticks.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../api/client.ts';
import { classify } from '../api/retry.ts';
import { commandFailures } from '../failures/commands.ts';
import { secretFix } from '../receiver/delivery-troubles.ts';
import { registerWebhook, WebhookTakenError } from '../receiver/register.ts';
import { Secrets } from '../receiver/secrets.ts';
import type { Environment } from '../settings/environment.ts';
import { CliError } from './exit.ts';

/** One request a minute, while no webhook is set. */
const askEveryMs = 60_000;

interface Registration {
  /** Public address to register; absent: what is set on the platform stays. */
  register: string | undefined;
  /** Take the place of somebody else's webhook. */
  replace: boolean;
}

interface Waiting {
  /** Told when the wait begins and when it ends. */
  note: (text: string) => void;
  stop: AbortSignal;
  everyMs?: number;
}

/** What the platform and the environment know. With an address it registers first, since the answer carries the secret. */
export async function webhookSecrets(
  client: Client,
  env: Environment,
  { register, replace }: Registration,
): Promise<Secrets> {
  const fixed = [env['RENDERLINE_WEBHOOK_SECRET'], env['RENDERLINE_WEBHOOK_SECRET_PREVIOUS']];
  const secrets = new Secrets(
    fixed.filter((secret): secret is string => secret !== undefined && secret !== ''),
    {
      read: async () =>
        (await client.getWebhookSecret({}, { priority: 'interactive', maxWaitMs: 10_000 })).secret,
    },
  );
  if (register !== undefined) secrets.learn(await registered(client, register, replace));
  return secrets;
}

/**
 * Asks the platform until a secret is known; notifications are to be sent again meanwhile.
 * @param secrets without a valid one
 * @throws what the platform refuses the first question with, such as a wrong key
 */
export async function awaitSecret(
  secrets: Secrets,
  { note, stop, everyMs = askEveryMs }: Waiting,
): Promise<void> {
  const first = await problemOf(secrets);
  if (first === null) return;
  note(
    [
      `No webhook to receive yet (${first}); workers look at their ticks. Asking again once a minute.`,
      '  Register this receiver:  renderline webhooks --register https://HOST/webhooks',
      '  Or by its environment:   RENDERLINE_WEBHOOK_URL=https://HOST/webhooks',
      '  Or name the secret:      RENDERLINE_WEBHOOK_SECRET=<SIGNING_SECRET>',
    ].join('\n'),
  );
  untilKnown(secrets, { stop, everyMs }).then(
    (isKnown) => isKnown && note('The webhook is set now; notifications are taken.'),
    () => undefined,
  );
}

/** Settles with false when it is stopped before there is a secret. */
async function untilKnown(
  secrets: Secrets,
  { stop, everyMs }: { stop: AbortSignal; everyMs: number },
): Promise<boolean> {
  while (!stop.aborted) {
    await sleep(everyMs, undefined, { signal: stop });
    // A notification may have had it asked for meanwhile.
    if (secrets.valid.length > 0) return true;
    if ((await problemOf(secrets).catch(() => 'refused')) === null) return true;
  }
  return false;
}

/** Null when the secret is there now. @throws errors that waiting does not mend */
async function problemOf(secrets: Secrets): Promise<string | null> {
  try {
    await secrets.ask();
    return null;
  } catch (error) {
    const { name, message } = error instanceof Error ? error : { name: '', message: '' };
    if (name === 'NotFoundError') return 'none is set';
    if (name === 'OperationUnresolvedError') return message;
    if (['backoff', 'rate'].includes(classify(error).kind)) return message;
    throw error;
  }
}

/**
 * Why a receiver without a secret is not ready; null where it waits for a webhook that nobody has set, and before anybody
 * has posted to it: an installation without a public address needs neither.
 * @param counts what was posted so far
 */
export function secretFault(
  secrets: Pick<Secrets, 'valid' | 'refusal'>,
  counts: Readonly<Record<'failed', number>>,
): string | null {
  const { valid, refusal } = secrets;
  if (valid.length > 0 || counts.failed === 0) return null;
  if (!(refusal instanceof Error) || refusal.name === 'NotFoundError') return null;
  return `the secret of the webhook is not known (${refusal.message}): ${secretFix}`;
}

async function registered(client: Client, url: string, replace: boolean): Promise<string> {
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
