import { randomBytes } from 'node:crypto';
import { type WebhookEvent, webhookEvents } from 'renderline/api/operations/webhooks';
import type { Handlers } from '../context/handler.ts';
import { fail } from '../http/failure.ts';
import type { WebhookRecord } from '../state/webhook-records.ts';
import { checkCallbackUrl } from './callback-url.ts';

/** The platform's descriptions of when each event is sent. */
const descriptions: Record<WebhookEvent, string> = {
  'render.complete': 'A render completes successfully.',
  'render.failed': 'A render fails.',
  'model.processed': 'Model processing completes successfully.',
  'model.failed': 'Model processing fails.',
  'project.created': 'A project is created.',
  'job.complete': 'A unified job completes successfully.',
  'job.failed': 'A unified job fails.',
};

function settingsOf({ id, url, events, enabled, description }: WebhookRecord) {
  return { id, url, events: [...events], enabled, description };
}

export const webhooks = {
  updateWebhook: async ({ body, origin }, sandbox) => {
    const { store } = sandbox;
    await checkCallbackUrl(sandbox, 'url', body.url);
    const settings = {
      url: body.url,
      ...(body.events ? { events: [...new Set(body.events)] } : {}),
      ...(body.enabled === undefined ? {} : { enabled: body.enabled }),
      ...(body.description === undefined ? {} : { description: body.description }),
      origin,
      failureCount: 0,
    };
    const existingWebhook = store.webhook;
    if (existingWebhook) store.webhooks.update(existingWebhook, settings);
    const webhook =
      existingWebhook ??
      store.webhooks.insert({
        id: store.newId('webhook'),
        secret: `whsec_${randomBytes(24).toString('hex')}`,
        events: webhookEvents,
        enabled: true,
        description: '',
        ...settings,
      });
    return { ...settingsOf(webhook), secret: webhook.secret };
  },

  getWebhook: (_request, { store }) => {
    const { webhook } = store;
    if (!webhook) return { configured: false };
    const { lastTriggeredAt: last, failureCount } = webhook;
    return {
      configured: true,
      ...settingsOf(webhook),
      ...(last === undefined ? {} : { lastTriggeredAt: new Date(last).toISOString() }),
      failureCount,
    };
  },

  getWebhookSecret: (_request, { store }) => ({
    secret: (store.webhook ?? fail('NOT_FOUND', 'No webhook is set. Set one with PUT /webhooks.'))
      .secret,
  }),

  listWebhookEvents: () => ({
    events: webhookEvents.map((name) => ({ name, description: descriptions[name] })),
  }),
} satisfies Partial<Handlers>;
