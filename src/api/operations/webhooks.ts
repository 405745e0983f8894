// The workspace's webhook: platform.md, sections 4.6 and 6.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { markRequired } from '../contract/response-marks.ts';
import { timestamp } from '../contract/schemas.ts';

/** Events, in the order of platform.md, section 6. */
export const webhookEvents = [
  'render.complete',
  'render.failed',
  'model.processed',
  'model.failed',
  'project.created',
  'job.complete',
  'job.failed',
] as const;
export type WebhookEvent = (typeof webhookEvents)[number];

const eventName = z.enum(webhookEvents, {
  error: ({ input }) =>
    `${JSON.stringify(input)} is not an event. Events are: ${webhookEvents.join(', ')}`,
});

const settings = {
  url: z.string(),
  events: z.array(z.string()).describe('names of the subscribed events'),
  enabled: z.boolean(),
  description: z.string(),
};

export const WebhookConfiguration = z.object({
  configured: markRequired(
    z.boolean().describe('false, without other fields, if no webhook is set'),
  ),
  id: z.string().optional(),
  // The address shows who owns the webhook, so a webhook whose address is unreadable must not be replaced.
  url: markRequired(settings.url.optional()),
  events: settings.events.optional(),
  enabled: settings.enabled.optional(),
  description: settings.description.nullish(),
  lastTriggeredAt: timestamp.nullish(),
  failureCount: z.int().optional(),
});

const reads = {
  route: null,
  errors: [],
  retrySafety: 'read',
} as const;

export const webhookOperations = defineOperations('4.6', {
  updateWebhook: {
    route: 'PUT /webhooks',
    summary: "Set or change the workspace's webhook; the response contains its signing secret.",
    body: z.object({
      url: z.string().min(1).describe('public http(s) URL; no private, internal or metadata host'),
      events: z.array(eventName).optional().describe('names of events to subscribe'),
      enabled: z.boolean().optional().describe('switches delivery'),
      description: z.string().optional(),
    }),
    response: z.object({
      id: z.string(),
      ...settings,
      description: settings.description.nullish(),
      secret: markRequired(z.string().describe('HMAC signing secret')),
    }),
    errors: ['VALIDATION_ERROR'],
  },
  getWebhook: {
    ...reads,
    summary: "Get the workspace's webhook. The platform's reference does not show the path.",
    response: WebhookConfiguration,
  },
  getWebhookSecret: {
    ...reads,
    summary: "Get the signing secret. The platform's reference does not show the path.",
    response: z.object({ secret: markRequired(z.string()) }),
    errors: ['NOT_FOUND'],
  },
  listWebhookEvents: {
    ...reads,
    summary:
      "List the events that can be subscribed to. The platform's reference does not show the path.",
    response: z.object({
      events: z.array(z.object({ name: z.string(), description: z.string() })),
    }),
  },
});
