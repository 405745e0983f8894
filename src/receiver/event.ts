// Parses a verified notification into an event with its ids. Everything else is read from the API.
import { z } from 'zod';
import { type WebhookEvent, webhookEvents } from '../api/operations/webhooks.ts';
import { omitUndefined } from '../plan/helpers/omit-undefined.ts';

/** Maximum number of render ids, because many notifications share one history event of far less than two megabytes. */
const maxOutputs = 100;
const id = z.string().min(1).max(100);
// An invalid id counts as absent.
const optionalId = id.optional().catch(undefined);

const Envelope = z.object({
  event: z.string(),
  timestamp: z.string().optional(),
  data: z
    .object({
      modelId: optionalId,
      projectId: optionalId,
      jobId: optionalId,
      renderIds: z.array(id).min(1).max(maxOutputs).optional().catch(undefined),
    })
    .default({}),
});

export interface PlatformEvent {
  readonly name: WebhookEvent;
  /** Time of the event, ISO 8601. Empty if the notification has none. */
  readonly at: string;
  /** Ids in the payload. Payloads that the platform does not document may contain none. */
  readonly modelId?: string;
  readonly projectId?: string;
  readonly jobId?: string;
  /** Ids of finished outputs. Absent if the payload contains none, or too many to pass on. */
  readonly renderIds?: readonly string[];
}

/** Parses a notification. Returns null for any other body. `unknown` means that the event is not documented. */
export function parseEvent(body: Uint8Array): PlatformEvent | 'unknown' | null {
  const result = Envelope.safeParse(jsonOf(body));
  if (!result.success) return null;
  const { event, timestamp = '', data } = result.data;
  const name = webhookEvents.find((eventName) => eventName === event);
  if (name === undefined) return 'unknown';
  return { name, at: timestamp, ...omitUndefined(data) };
}

function jsonOf(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return null;
  }
}

/** Returns the wake-up for waits. Null unless the event concerns a model, or a render job that finished or failed. */
export function toWakeUp({ name, modelId, jobId }: PlatformEvent): string | null {
  const isOfModel = name === 'model.processed' || name === 'model.failed';
  const isOfRender = name === 'render.complete' || name === 'render.failed';
  if (isOfModel && modelId !== undefined) return `model/${modelId}`;
  return isOfRender && jobId !== undefined ? `render/${jobId}` : null;
}
