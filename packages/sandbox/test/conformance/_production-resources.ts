// Variants, slots, logos and exports that rows of production files start from.
import { expect } from 'vitest';
import { z } from 'zod';
import { createProject, first, readyModel } from './_core-resources.ts';
import { readyDecal } from './_library-resources.ts';
import type { Platform } from './_platform.ts';
import { ProductionExport } from './_shapes-library.ts';

/** The list bodies are undocumented, so an id is searched under the names that other responses use. */
const Record = z.looseObject({
  id: z.string().optional(),
  variantId: z.string().optional(),
  slotId: z.string().optional(),
});

async function idsOf(p: Platform, path: string): Promise<string[]> {
  const answer = await p.ok(`GET ${path}`, z.record(z.string(), z.unknown()));
  const list = Object.values(answer).find((value) => Array.isArray(value));
  return z
    .array(Record)
    .parse(list)
    .map(({ id, variantId, slotId }) => variantId ?? slotId ?? id ?? '');
}

export const variantIds = (p: Platform, modelId: string) => idsOf(p, `/models/${modelId}/variants`);
export const slotIds = (p: Platform, modelId: string) => idsOf(p, `/models/${modelId}/decal-slots`);

/** A model with two variants in a project, so that its views can be captured. */
export async function sheetModel(p: Platform) {
  const modelId = await readyModel(p, 'sheet.glb');
  await createProject(p, [modelId]);
  const [red = '', blue = ''] = await variantIds(p, modelId);
  return { modelId, red, blue, path: `/models/${modelId}` };
}

/** A model with a logo in the first slot of its first variant, set by a control. */
export async function logoModel(p: Platform) {
  const model = await sheetModel(p);
  const slotId = first(await slotIds(p, model.modelId));
  const decalId = await readyDecal(p);
  await p.controls.logo(model.modelId, model.red, slotId, decalId);
  return { ...model, slotId, decalId };
}

export async function startExport(
  p: Platform,
  path: string,
  variantIds: readonly string[],
  options?: object,
) {
  const body = { variantIds, ...(options && { options }) };
  const answer = await p.send(`POST ${path}/production-files/export`, { body });
  expect([200, 201, 202], answer.text).toContain(answer.status);
  const shown = p.conforms(ProductionExport, answer.body, answer.text);
  const expected = { READY: 201, CAPTURING: 202, FAILED: 200 }[shown.status];
  expect(answer.status).toBe(expected);
  return shown;
}

/** The production file of an export, after all its captures. */
export async function exported(
  p: Platform,
  path: string,
  variantIds: readonly string[],
  options?: object,
) {
  let shown = await startExport(p, path, variantIds, options);
  if (shown.id !== null && shown.status === 'CAPTURING') {
    const { id } = shown;
    shown = await p.until(
      () => p.ok(`GET /production-file-exports/${id}`, ProductionExport),
      ({ status }) => status !== 'CAPTURING',
      10,
    );
  }
  expect(shown.status, JSON.stringify(shown)).toBe('READY');
  if (!shown.productionFile) throw new Error('A READY export without a production file.');
  return shown.productionFile;
}
