// Points the workspace's only webhook to this receiver, unless somebody else uses the webhook.
import type { Client } from '../api/client.ts';
import type { WebhookEvent } from '../api/operations/webhooks.ts';
import { scrubSecrets } from '../api/responses/scrub.ts';

/** Events that wake-ups and event triggers need. */
export const wantedEvents: WebhookEvent[] = [
  'render.complete',
  'render.failed',
  'model.processed',
  'model.failed',
  'project.created',
];

/** Identifies a webhook as Renderline's, whatever its address is. */
const description = 'Renderline receiver';

/** Thrown if the workspace's webhook belongs to another program. */
export class WebhookTakenError extends Error {
  override name = 'WebhookTakenError';
  readonly url: string;

  constructor(url: string) {
    super(`the workspace's webhook is already set to ${url}`);
    this.url = url;
  }
}

const interactiveCall = { priority: 'interactive', maxWaitMs: 10_000 } as const;

/**
 * Registers `url` and returns the signing secret.
 * @throws WebhookTakenError if `replace` is false and the webhook has another address that Renderline did not set
 */
export async function registerWebhook(
  client: Client,
  url: string,
  replace: boolean,
): Promise<string> {
  if (!replace) await assertNotTaken(client, url);
  const body = { url, events: wantedEvents, enabled: true, description };
  return (await client.updateWebhook({ body }, interactiveCall)).secret;
}

async function assertNotTaken(client: Client, url: string): Promise<void> {
  const webhook = await client.getWebhook({}, interactiveCall);
  if (!webhook.configured || webhook.description === description) return;
  // A webhook whose address the platform hides also counts as belonging to another program.
  if (webhook.url === undefined) throw new WebhookTakenError('an address that is not shown');
  if (webhook.url !== url) throw new WebhookTakenError(formatAddress(webhook.url));
}

/** Formats the address of a webhook without its query, which may contain a token. */
export function formatAddress(text: string): string {
  if (!URL.canParse(text)) return scrubSecrets(text);
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
