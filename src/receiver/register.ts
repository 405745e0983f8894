// Makes the workspace's one webhook point here, unless it is somebody else's (platform.md, section 4.6).
import type { Client } from '../api/client.ts';
import type { WebhookEvent } from '../api/operations/webhooks.ts';
import { scrub } from '../api/scrub.ts';

/** Events that hints and event roots need. */
export const wantedEvents: WebhookEvent[] = [
  'render.complete',
  'render.failed',
  'model.processed',
  'model.failed',
  'project.created',
];

/** Marks a webhook as ours, whatever its address was. */
const description = 'Renderline receiver';

/** The workspace's webhook is somebody else's. */
export class WebhookTakenError extends Error {
  override name = 'WebhookTakenError';
  readonly url: string;

  constructor(url: string) {
    super(`the workspace's webhook is set already, to ${url}`);
    this.url = url;
  }
}

const interactive = { priority: 'interactive', maxWaitMs: 10_000 } as const;

/**
 * Registers `url` and gives the signing secret.
 * @throws WebhookTakenError where another address stands that Renderline did not set.
 */
export async function registerWebhook(
  client: Client,
  url: string,
  replace: boolean,
): Promise<string> {
  if (!replace) await refuseTaken(client, url);
  const body = { url, events: wantedEvents, enabled: true, description };
  return (await client.updateWebhook({ body }, interactive)).secret;
}

async function refuseTaken(client: Client, url: string): Promise<void> {
  const known = await client.getWebhook({}, interactive);
  if (!known.configured || known.description === description) return;
  // One whose address is not shown is somebody's all the same.
  if (known.url === undefined) throw new WebhookTakenError('an address that is not shown');
  if (known.url !== url) throw new WebhookTakenError(shownAddress(known.url));
}

/** The address of a webhook for people: whoever set it may have put a token into its query. */
export function shownAddress(text: string): string {
  if (!URL.canParse(text)) return scrub(text);
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}
