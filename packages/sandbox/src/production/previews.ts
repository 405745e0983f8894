// Preview pictures for variants that were never captured (4.13).
import { DrawError } from '../drawing/draw-job.ts';
import type { Sandbox } from '../sandbox.ts';
import type { ModelRecord } from '../state/records.ts';
import type { Variant } from '../variants/variants.ts';
import { capturesOf, latestViews } from './capture-state.ts';
import { drawPreview } from './variant-picture.ts';

/** Variant id to the name of its preview, for those without views. What cannot be drawn has none. */
export async function missingPreviews(
  sandbox: Sandbox,
  model: ModelRecord,
  variants: readonly Variant[],
  now: number,
): Promise<ReadonlyMap<string, string>> {
  const captures = capturesOf(sandbox, model.id);
  const missing = variants.filter(({ id }) => !latestViews(captures, id, now));
  const drawn = await Promise.all(
    missing.map(async (variant) => {
      try {
        return [[variant.id, await drawPreview(sandbox, model, variant)] as const];
      } catch (error) {
        if (error instanceof DrawError) return [];
        throw error;
      }
    }),
  );
  return new Map(drawn.flat());
}
