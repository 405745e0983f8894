import { requireModel } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import type { SlotLogoRecord } from '../state/records.ts';
import { logosOf, slotsOf, variantsOf } from '../variants/variants.ts';

/** Returns a slot with its logo, for responses. */
export function toLogoAssignment({ store }: Sandbox, logo: SlotLogoRecord) {
  const decal = store.decals.get(logo.decalId);
  return {
    variantId: logo.variantId,
    slotId: logo.slotId,
    decalId: logo.decalId,
    imageKey: decal?.uploadKey ?? '',
    width: decal?.file?.width ?? 0,
    height: decal?.file?.height ?? 0,
    decorationMethod: logo.decorationMethod ?? null,
  };
}

export const variants = {
  listModelVariants: ({ params }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    return {
      variants: variantsOf(sandbox, model).map(({ id, name, isDefault, kind, swaps }) => ({
        variantId: id,
        name,
        isDefault,
        source: kind,
        materials: Object.entries(swaps).map(([slotId, materialId]) => ({ slotId, materialId })),
      })),
    };
  },

  listDecalSlots: ({ params }, sandbox) => {
    const model = requireModel(sandbox, params.modelId);
    const logos = logosOf(sandbox, model);
    // Slots exist, like variants, after processing has read the file.
    const slots = variantsOf(sandbox, model).length > 0 ? slotsOf(model) : [];
    return {
      decalSlots: slots.map(({ id, name }) => ({
        slotId: id,
        name,
        logos: logos
          .filter(({ slotId }) => slotId === id)
          .map((logo) => toLogoAssignment(sandbox, logo)),
      })),
    };
  },
} satisfies Partial<Handlers>;
