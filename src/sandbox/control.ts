// /_sandbox: what tests and people set or see that no operation of the platform gives.
import { type Context, Hono } from 'hono';
import { z } from 'zod';
import { modelStatuses } from '../api/operations/models.ts';
import { type Access, Denial } from './access.ts';
import { readBody } from './body.ts';
import { describeIssues } from './decode.ts';
import { templateLooks } from './draw/templates.ts';
import { errorBody, fail } from './failure.ts';
import { FaultRules } from './faults.ts';
import { LimitValues } from './limits.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Sandbox } from './sandbox.ts';
import type { Env } from './storage.ts';

const AccessSetting = z.strictObject({ deny: Denial.nullable() });
const ModelSetting = z.strictObject({ status: z.enum(modelStatuses).nullable() });
const RenderSetting = z.strictObject({
  favorited: z.boolean().optional(),
  isPreview: z.boolean().optional(),
});
const TemplateSetting = z.strictObject({
  name: z.string().min(1),
  description: z.string().default(''),
  public: z.boolean().default(false),
  /** Index of the look it is drawn with. */
  look: z
    .int()
    .nonnegative()
    .max(templateLooks.length - 1)
    .default(0),
  bookmarks: z
    .array(
      z.strictObject({
        id: z.string().min(1),
        name: z.string().min(1),
        yawDegrees: z.number().exactOptional(),
        pitchDegrees: z.number().min(-90).max(90).exactOptional(),
      }),
    )
    .min(1),
});

/** Routes to be mounted at /_sandbox. They ask for no key: the sandbox is for one person's machine. */
export function controlRoutes(parts: {
  sandbox: Sandbox;
  access: Access;
  rateLimit: RateLimit;
}): Hono<Env> {
  const { sandbox, access, rateLimit } = parts;
  const { store, faults, limits, stats } = sandbox;
  const app = new Hono<Env>();
  app.use('*', async (c, next) => {
    // A page of another site must not reset a developer's sandbox.
    const origin = c.req.header('origin');
    if (origin !== undefined && origin !== new URL(c.req.url).origin) {
      return c.body(errorBody('NOT_FOUND', 'Not for pages of other sites.'), 403);
    }
    await next();
    return undefined;
  });
  app.get('/stats', (c) => c.json(stats.report()));
  app.post('/reset', async (c) => {
    store.reset();
    await sandbox.files.clear();
    sandbox.renders.clear();
    faults.set([]);
    limits.reset();
    stats.reset();
    rateLimit.reset();
    access.deny(null);
    return c.json({ reset: true });
  });
  app.get('/faults', (c) => c.json({ rules: faults.report() }));
  app.post('/faults', async (c) => {
    faults.set(await settings(c, FaultRules));
    return c.json({ rules: faults.report() });
  });
  app.get('/limits', (c) => c.json(limits.values));
  app.post('/limits', async (c) => {
    limits.set(await settings(c, LimitValues.partial()));
    return c.json(limits.values);
  });
  app.post('/access', async (c) => {
    const { deny } = await settings(c, AccessSetting);
    access.deny(deny);
    return c.json({ deny });
  });
  app.post('/models/:id/status', async (c) => {
    const { status } = await settings(c, ModelSetting);
    const model = store.models.get(c.req.param('id')) ?? fail('MODEL_NOT_FOUND', 'No such model.');
    store.models.update(model, { forcedStatus: status ?? undefined });
    store.flush();
    return c.json({ modelId: model.id, status });
  });
  app.post('/renders/:id', async (c) => {
    const { favorited, isPreview } = await settings(c, RenderSetting);
    const output = store.outputs.get(c.req.param('id')) ?? fail('NOT_FOUND', 'No such render.');
    store.outputs.update(output, {
      ...(favorited === undefined ? {} : { favorited }),
      ...(isPreview === undefined ? {} : { isPreview }),
    });
    store.flush();
    return c.json({ id: output.id, favorited: output.favorited, isPreview: output.isPreview });
  });
  app.post('/templates', async (c) => {
    const template = store.templates.insert({
      id: store.newId('template'),
      ...(await settings(c, TemplateSetting)),
    });
    store.flush();
    return c.json(template, 201);
  });
  return app;
}

async function settings<T extends z.ZodType>(c: Context<Env>, schema: T): Promise<z.output<T>> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(await readBody(c)).toString('utf8'));
  } catch {
    fail('VALIDATION_ERROR', 'body: not valid JSON');
  }
  const parsed = schema.safeParse(value);
  return parsed.success
    ? parsed.data
    : fail('VALIDATION_ERROR', describeIssues('body', parsed.error));
}
