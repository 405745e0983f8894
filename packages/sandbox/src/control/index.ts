// /_sandbox: settings and statistics beyond the platform's API, for tests and people.
import { Hono } from 'hono';
import { webhookEvents } from 'renderline/api/operations/webhooks';
import { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { FaultRules, forgeries } from '../faults/faults.ts';
import type { Env } from '../http/env.ts';
import { formatErrorBody, refuseInput } from '../http/failure.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { finishDueExports } from '../production/exports.ts';
import { AccessValues } from '../workspace/access.ts';
import { LimitValues } from '../workspace/limits.ts';
import { readControlBody } from './control-body.ts';
import { addLibraryControls } from './library.ts';
import { addResourceControls } from './resources.ts';
import { addVariantControls } from './variants.ts';

/** An event, genuine or forged, for testing a receiver of notifications. */
const TestEvent = z.strictObject({
  event: z.enum(webhookEvents),
  data: z.record(z.string(), z.unknown()).default({}),
  forge: z.enum(forgeries).optional(),
});

/** Creates the routes to mount at /_sandbox. They need no API key, since a sandbox is meant for one machine. */
export function createControlRoutes(sandbox: Sandbox, rateLimit: RateLimit): Hono<Env> {
  const { store, access, faults, limits, stats } = sandbox;
  const app = new Hono<Env>();
  app.use('*', async (c, next) => {
    // The origin is checked, because a web page of another origin must not reset a developer's sandbox.
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== new URL(c.req.url).origin) {
      return c.body(
        formatErrorBody('NOT_FOUND', 'Pages of other sites cannot control the sandbox.'),
        403,
      );
    }
    // Due exports are built from the state before the change.
    finishDueExports(sandbox, sandbox.options.clock());
    await next();
    store.flush();
    return undefined;
  });
  app.get('/stats', (c) => c.json(stats.report()));
  app.get('/stats/summary', (c) => c.json({ ...stats.summary(), windows: rateLimit.windows }));
  app.get('/stats/noticed', (c) => c.json({ p95Ms: stats.noticedP95Ms() }));
  app.post('/reset', async (c) => {
    store.reset();
    await sandbox.files.clear();
    sandbox.renders.clear();
    faults.set([]);
    limits.reset();
    stats.reset();
    sandbox.events.clear();
    rateLimit.reset();
    access.reset();
    return c.json({ reset: true });
  });
  app.get('/faults', (c) => c.json({ rules: faults.report() }));
  app.post('/faults', async (c) => {
    faults.set(await readControlBody(c, FaultRules));
    return c.json({ rules: faults.report() });
  });
  app.get('/limits', (c) => c.json(limits.values));
  app.post('/limits', async (c) => {
    limits.set(await readControlBody(c, LimitValues.partial()));
    return c.json(limits.values);
  });
  app.post('/access', async (c) => {
    access.set(await readControlBody(c, AccessValues.partial()));
    return c.json(access.values);
  });
  addResourceControls(app, sandbox);
  addVariantControls(app, sandbox);
  addLibraryControls(app, sandbox);
  app.post('/events', async (c) => {
    const { event, data, forge } = await readControlBody(c, TestEvent);
    if (!sandbox.events.send(event, data, forge))
      refuseInput(`event: no enabled webhook is subscribed to ${event}`);
    return c.json({ sent: event });
  });
  return app;
}
