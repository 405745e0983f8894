// Preview pictures for variants without captures.

import type { Sandbox } from '../context/sandbox.ts';
import { DrawError } from '../drawing/threads/draw-job.ts';
import type { ModelRecord } from '../state/records.ts';
import type { Variant } from '../variants/variants.ts';
import { capturesOf, latestViews } from './capture-state.ts';
import { drawPreview } from './variant-picture.ts';

/** Variant id → preview name, for variants without views. Variants that cannot be drawn have none. */
export async function drawMissingPreviews(
  sandbox: Sandbox,
  model: ModelRecord,
  variants: readonly Variant[],
  nowMs: number,
): Promise<ReadonlyMap<string, string>> {
  const captures = capturesOf(sandbox, model.id);
  const variantsToDraw = variants.filter(({ id }) => !latestViews(captures, id, nowMs));
  const previewEntries = await Promise.all(
    variantsToDraw.map(async (variant) => {
      try {
        return [[variant.id, await drawPreview(sandbox, model, variant)] as const];
      } catch (error) {
        if (error instanceof DrawError) return [];
        throw error;
      }
    }),
  );
  return new Map(previewEntries.flat());
}
