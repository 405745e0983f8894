// Controls of models, renders and templates beyond the API: statuses, favourites and cameras.
import type { Hono } from 'hono';
import { modelStatuses } from 'renderline/api/operations/models';
import { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import { templateLooks } from '../drawing/templates.ts';
import type { Env } from '../http/env.ts';
import { fail, refuseInput } from '../http/failure.ts';
import { findTemplate } from '../templates/templates.ts';
import { readControlBody } from './control-body.ts';

const ModelSetting = z.strictObject({ status: z.enum(modelStatuses).nullable() });
const RenderSetting = z.strictObject({
  favorited: z.boolean().exactOptional(),
  isPreview: z.boolean().exactOptional(),
});
const labels = { id: z.string().min(1), name: z.string().min(1) };
const angles = {
  yawDegrees: z.number().exactOptional(),
  pitchDegrees: z.number().min(-90).max(90).exactOptional(),
};
const TemplateSetting = z.strictObject({
  /** Id of the template. It is generated if absent. */
  id: z
    .string()
    .regex(/^[\w-]+$/)
    .exactOptional(),
  name: z.string().min(1),
  description: z.string().default(''),
  public: z.boolean().default(false),
  /** Name of the public template whose light and background the new template has. */
  look: z.enum(templateLooks.map(({ name }) => name)).default('Studio White'),
  bookmarks: z.array(z.strictObject({ ...labels, ...angles })).min(1),
  shots: z
    .array(
      z.strictObject({
        ...labels,
        // Multiples of a half, so that a video with few frames is as long as one with many.
        seconds: z.number().positive().max(4).multipleOf(0.5),
        ...angles,
        turnDegrees: z.number().min(-720).max(720).exactOptional(),
      }),
    )
    .max(4)
    .default([]),
});

export function addResourceControls(app: Hono<Env>, { store }: Sandbox): void {
  app.post('/models/:id/status', async (c) => {
    const { status } = await readControlBody(c, ModelSetting);
    const model =
      store.models.get(c.req.param('id')) ?? fail('MODEL_NOT_FOUND', 'The model does not exist.');
    store.models.update(model, { forcedStatus: status ?? undefined });
    return c.json({ modelId: model.id, status });
  });
  app.post('/renders/:id', async (c) => {
    const settings = await readControlBody(c, RenderSetting);
    const output =
      store.outputs.get(c.req.param('id')) ?? fail('NOT_FOUND', 'The render does not exist.');
    store.outputs.update(output, settings);
    return c.json({ id: output.id, favorited: output.favorited, isPreview: output.isPreview });
  });
  app.post('/templates', async (c) => {
    const settings = await readControlBody(c, TemplateSetting);
    const look = templateLooks.findIndex(({ name }) => name === settings.look);
    const { id = store.newId('template'), ...template } = { ...settings, look };
    if (findTemplate(store, id)) refuseInput(`A template with the id ${id} already exists.`);
    store.templates.insert({ id, ...template });
    return c.json({ id, ...template }, 201);
  });
}
