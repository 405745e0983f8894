// Sends genuine or forged events, with which a receiver of notifications can be tried.
import type { Hono } from 'hono';
import { webhookEvents } from 'renderline/api/operations/webhooks';
import { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { forgeries } from '../faults/faults.ts';
import type { Env } from '../http/env.ts';
import { refuseInput } from '../http/failure.ts';
import { readControlBody } from './control-body.ts';

const TestEvent = z.strictObject({
  event: z.enum(webhookEvents),
  data: z.record(z.string(), z.unknown()).default({}),
  forge: z.enum(forgeries).optional(),
});

export function addEventControls(app: Hono<Env>, { events }: Sandbox): void {
  app.post('/events', async (c) => {
    const { event, data, forge } = await readControlBody(c, TestEvent);
    if (!events.send(event, data, forge))
      refuseInput(`event: no enabled webhook is subscribed to ${event}`);
    return c.json({ sent: event });
  });
}
