// Controls of variants beyond the API: tags on models, variants of projects and logos in slots.
import type { Hono } from 'hono';
import { z } from 'zod';
import { requireModel, requireProject, requireRecord } from '../context/find-resource.ts';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { fail } from '../http/failure.ts';
import { findVariant, setSlotLogo, slotsOf } from '../variants/variants.ts';
import { readControlBody } from './control-body.ts';

const TagSetting = z.strictObject({ name: z.string().min(1) });
const ModelTags = z.strictObject({ tagIds: z.array(z.string()) });
const ProjectVariants = z.strictObject({ variantIds: z.array(z.string()).min(1) });
const SlotLogo = z.strictObject({ decalId: z.string().min(1).nullable() });

export function addVariantControls(app: Hono<Env>, sandbox: Sandbox): void {
  const { store } = sandbox;

  app.post('/tags', async (c) => {
    const { name } = await readControlBody(c, TagSetting);
    const existingTag = store.tags.all.find((tag) => tag.name === name);
    const tag = existingTag ?? store.tags.insert({ id: store.newId('tag'), name });
    return c.json(tag, existingTag ? 200 : 201);
  });

  app.post('/models/:id/tags', async (c) => {
    const model = requireModel(sandbox, c.req.param('id'));
    const tagIds = [...new Set((await readControlBody(c, ModelTags)).tagIds)];
    const unknownTagId = tagIds.find((id) => !store.tags.get(id));
    if (unknownTagId !== undefined)
      fail('NOT_FOUND', `tagIds: the tag ${unknownTagId} does not exist.`);
    store.models.update(model, { tagIds });
    return c.json({ modelId: model.id, tagIds });
  });

  app.post('/projects/:id/variants', async (c) => {
    const projectId = c.req.param('id');
    const project = requireProject(sandbox, projectId);
    const models = project.modelIds.flatMap((id) => store.models.get(id) ?? []);
    const variantIds = (await readControlBody(c, ProjectVariants)).variantIds.map((id) => {
      const [variant] = models.flatMap((model) => findVariant(sandbox, model, id) ?? []);
      return (
        variant?.id ??
        fail('NOT_FOUND', `variantIds: no model of the project ${projectId} has a variant ${id}.`)
      );
    });
    const addedVariantIds = [...new Set([...(project.addedVariantIds ?? []), ...variantIds])];
    store.projects.update(project, { addedVariantIds });
    return c.json({ projectId, variantIds });
  });

  app.post('/models/:id/variants/:variantId/decal-slots/:slotId', async (c) => {
    const model = requireModel(sandbox, c.req.param('id'));
    const { variantId, slotId } = c.req.param();
    const variant =
      findVariant(sandbox, model, variantId) ??
      fail('NOT_FOUND', `Model ${model.id} has no variant ${variantId}.`);
    if (!slotsOf(model).some(({ id }) => id === slotId)) {
      fail('NOT_FOUND', `Model ${model.id} has no slot ${slotId}.`);
    }
    const { decalId } = await readControlBody(c, SlotLogo);
    if (decalId !== null) requireRecord(store.decals, decalId, 'decal');
    const slotKey = { modelId: model.id, variantId: variant.id, slotId };
    const logo = setSlotLogo(sandbox, slotKey, decalId, sandbox.options.clock());
    return c.json(logo ?? { ...slotKey, decalId: null });
  });
}
