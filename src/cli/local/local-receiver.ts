// The receiver of `dev` and `demo`, registered at their sandbox, with their worker as its listener.
import { createClient } from '../../api/client.ts';
import { registerWebhook, WebhookTakenError } from '../../receiver/register.ts';
import { Secrets } from '../../receiver/secrets.ts';
import type { Environment } from '../../settings/environment.ts';
import { connectTemporal } from '../../temporal/connect.ts';
import { openEventPipelines } from '../event-pipelines.ts';
import { isPortFree } from '../port.ts';
import { type Receiving, startReceiving } from '../receiving.ts';
import type { Resources } from '../resources.ts';
import type { Session } from '../session.ts';

export interface ReceiverPlace {
  env: Environment;
  baseUrl: string;
  apiKey: string;
  taskQueue: string;
}

// Port of `renderline webhooks`; another one is taken when it is in use.
const preferredPort = 8099;

export async function startLocalReceiver(
  session: Session,
  resources: Resources,
  { env, baseUrl, apiKey, taskQueue }: ReceiverPlace,
): Promise<Receiving> {
  const client = createClient({ baseUrl, apiKey });
  resources.add("the receiver's API client", () => client.close());
  const pipelines = openEventPipelines(() => connectTemporal({ env }), taskQueue);
  resources.add('the connection of the receiver', () => pipelines.close());
  const secrets = new Secrets([], {
    read: async () => (await client.getWebhookSecret({})).secret,
  });
  const receiving = await startReceiving({
    host: '127.0.0.1',
    port: (await isPortFree(preferredPort)) ? preferredPort : 0,
    path: '/webhooks',
    apiKey,
    secrets,
    pipelines,
    warn: (message) => session.output.note(message),
    now: () => client.now(),
  });
  resources.add('the receiver', () => receiving.stop());
  // Best effort: the regular sweeps find missed events too.
  await pipelines.catchUp().catch(() => []);
  try {
    secrets.learn(await registerWebhook(client, receiving.url, false));
    session.output.note(`Receiver: ${receiving.url}`);
  } catch (error) {
    // A webhook that a person has registered stays; waits then look once a second.
    if (!(error instanceof WebhookTakenError)) throw error;
    session.output.note(
      `Receiver: hears nothing, since the sandbox's webhook is set to ${error.url}`,
    );
  }
  return receiving;
}
