// Uploads models as another client of the workspace does.
import { expect } from 'vitest';
import { smallModel } from './_models.ts';
import type { SandboxInUse } from './_sandbox.ts';

/** @returns the id of the model, which is processed from now on */
export async function uploadModel(
  { api }: Pick<SandboxInUse, 'api'>,
  name: string,
): Promise<string> {
  const { models } = (await api('POST', '/models', {
    models: [{ name, fileType: 'glb', fileName: `${name}.glb` }],
  })) as { models: { modelId: string; uploadUrl: string }[] };
  const [model] = models;
  if (!model) throw new Error('no model was created');
  const body = new Uint8Array(smallModel(name));
  expect((await fetch(model.uploadUrl, { method: 'PUT', body })).status).toBe(200);
  await api('POST', `/models/${model.modelId}/confirm`, { fileType: 'glb' });
  return model.modelId;
}
