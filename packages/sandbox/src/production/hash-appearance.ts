// The appearance key of a variant. Views are stale if it differs from the key at the time of their capture.
import { createHash } from 'node:crypto';
import type { Sandbox } from '../context/sandbox.ts';
import { materialLookOf } from '../library/material-look.ts';
import type { ModelRecord } from '../state/records.ts';
import { logosOf, type Variant } from '../variants/variants.ts';

/** Hashes the file, materials and logos. Methods, inks and names are left out, because views do not show them. */
export function hashAppearance(sandbox: Sandbox, model: ModelRecord, variant: Variant): string {
  const { store } = sandbox;
  const swaps = Object.entries(variant.swaps)
    .map(([slotId, materialId]) => {
      const material = store.materials.get(materialId);
      return JSON.stringify([slotId, material ? materialLookOf(sandbox, material).key : null]);
    })
    .sort();
  const logos = logosOf(sandbox, model)
    .filter(({ variantId }) => variantId === variant.id)
    .map(({ slotId, decalId, changedAt }) => {
      const sha256 = store.decals.get(decalId)?.file?.sha256 ?? null;
      return JSON.stringify([slotId, decalId, changedAt, sha256]);
    })
    .sort();
  const appearance = JSON.stringify([model.file?.sha256, swaps, logos]);
  return createHash('sha1').update(appearance).digest('hex');
}
