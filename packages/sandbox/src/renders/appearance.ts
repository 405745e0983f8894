// How a model looks in pictures of one of its variants.

import type { Sandbox } from '../context/sandbox.ts';
import type { MaterialSwap } from '../drawing/materials/material-swap.ts';
import { materialLookOf } from '../library/material-look.ts';
import type { ModelRecord } from '../state/records.ts';
import { materialStatusOf } from '../status/materials.ts';
import { slotsOf, type Variant } from '../variants/variants.ts';

/** Returns the fields of a drawing spec that depend on the model's file. @throws Error if the model has no file */
export function subjectOf(
  { files }: Sandbox,
  { id, file, fileType, name, uploadKey }: ModelRecord,
) {
  if (!file) throw new Error(`model ${id} has no file`);
  return { modelId: file.sha256, fileType, name, read: () => files.read(uploadKey) };
}

/** The fields of a drawing spec that depend on the variant. */
export interface Appearance {
  /** Name of a variant of the model's file. */
  readonly variant?: string;
  readonly swaps: readonly MaterialSwap[];
}

/** Creates the appearance of a variant or, without one, of the unchanged model. Omits materials that are not ready. */
export function createAppearance(
  sandbox: Sandbox,
  model: ModelRecord,
  variant: Variant | undefined,
): Appearance {
  const nowMs = sandbox.options.clock();
  const swaps = slotsOf(model).flatMap(({ id, materialIndex }) => {
    const material = sandbox.store.materials.get(variant?.swaps[id] ?? '');
    if (!material || materialStatusOf(material, nowMs) !== 'ready') return [];
    return [{ slot: materialIndex, look: materialLookOf(sandbox, material) }];
  });
  return { ...(variant?.kind === 'file' ? { variant: variant.name } : {}), swaps };
}
