// Computes the status and response body of a material from its stored facts.

import type { Material, MaterialStatus } from 'renderline/api/operations/materials';
import type { z } from 'zod';
import type { MaterialRecord } from '../state/library-records.ts';

/**
 * Returns `processing` from creation until processing has a result and its duration is over. After that, `ready` or
 * `failed`. Flat materials are not processed.
 */
export function materialStatusOf(material: MaterialRecord, nowMs: number): MaterialStatus {
  if (material.flatHex !== undefined) return 'ready';
  const { confirmedAt, outcome, processMs } = material;
  if (confirmedAt === undefined || !outcome || nowMs < confirmedAt + processMs) return 'processing';
  return outcome.problem === undefined ? 'ready' : 'failed';
}

export function toMaterialItem(
  material: MaterialRecord,
  origin: string,
  nowMs: number,
): z.input<typeof Material> {
  const status = materialStatusOf(material, nowMs);
  return {
    materialId: material.id,
    name: material.name,
    type: material.type,
    status,
    source: 'uploaded',
    collectionId: material.collectionId ?? null,
    thumbnailUrl:
      status === 'ready' ? `${origin}/cdn/materials/${material.id}/thumbnail.png` : null,
    createdAt: new Date(material.createdAt).toISOString(),
  };
}
