// Starts the webhook receiver of `dev` and `demo`, and registers it with their sandbox.
import { createClient } from '../../api/client.ts';
import { registerWebhook, WebhookTakenError } from '../../receiver/register.ts';
import { Secrets } from '../../receiver/secrets.ts';
import { type RunningReceiver, startReceiver } from '../../receiver/server.ts';
import type { Environment } from '../../settings/environment.ts';
import { connectTemporal } from '../../temporal/connection/connect.ts';
import { isPortFree } from '../../temporal/server/free-ports.ts';
import type { App } from '../app.ts';
import type { CleanupStack } from '../cleanup-stack.ts';
import { openEventDispatcher } from '../events/event-dispatcher.ts';

export interface LocalReceiverOptions {
  env: Environment;
  baseUrl: string;
  apiKey: string;
  taskQueue: string;
}

// Default port of `renderline webhooks`. If the port is in use, a free port is used instead.
const preferredPort = 8099;

export async function startLocalReceiver(
  app: App,
  cleanup: CleanupStack,
  { env, baseUrl, apiKey, taskQueue }: LocalReceiverOptions,
): Promise<RunningReceiver> {
  const client = createClient({ baseUrl, apiKey });
  cleanup.add("the receiver's API client", () => client.close());
  const dispatcher = openEventDispatcher(() => connectTemporal({ env }), taskQueue);
  cleanup.add('the connection of the receiver', () => dispatcher.close());
  const secrets = new Secrets([], { read: async () => (await client.getWebhookSecret({})).secret });
  const receiver = await startReceiver({
    host: '127.0.0.1',
    port: (await isPortFree(preferredPort)) ? preferredPort : 0,
    path: '/webhooks',
    apiKey,
    secrets,
    persist: (event) => dispatcher.deliver(event),
    onTrouble: (message) => app.note(message),
    now: () => client.now(),
  });
  cleanup.add('the receiver', () => receiver.stop());
  // A failure is ignored, because regular sweeps also find missed events.
  await dispatcher.catchUp().catch(() => []);
  try {
    secrets.add(await registerWebhook(client, receiver.url, false));
    app.note(`Receiver: ${receiver.url}`);
  } catch (error) {
    // A webhook registered by a person is kept. Waits then poll once a second instead of receiving notifications.
    if (!(error instanceof WebhookTakenError)) throw error;
    const reason = `the sandbox's webhook is set to ${error.url}`;
    app.note(`Receiver: receives no notifications, because ${reason}`);
  }
  return receiver;
}
