// What the bytes of an asset's file have become on the platform, whatever a pipeline makes of it. Pure.
import type { Refs } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';

const itemIds = ['propId', 'decalId', 'materialId'] as const;

/** Whether there is anything that another run need not upload again. */
export function isUploaded(refs: Refs): boolean {
  return refs.modelId !== undefined || itemIds.some((id) => refs[id] !== undefined);
}

/** A model counts only for pipelines that give models its category; null: they give none. */
export function uploadedAs(refs: Refs, pipelineCategory: string | null): Refs {
  const { modelId, category, propId, decalId, materialId, itemReady } = refs;
  const isOfCategory = modelId !== undefined && (category ?? null) === pipelineCategory;
  const model = isOfCategory ? { modelId, category } : {};
  return withoutUndefined({ ...model, propId, decalId, materialId, itemReady });
}
