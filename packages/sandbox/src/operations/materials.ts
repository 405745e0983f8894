import { planImport } from 'renderline/textures/plan-import';
import { failJobsOfMaterial } from '../colorways/deletion.ts';
import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { checkCollection, toLibraryUpdate } from '../library/collections.ts';
import { startProcessing } from '../library/material-processing.ts';
import { searchMaterials } from '../library/material-search.ts';
import { checkUploads, createMaterial, texturesOf, uploadedTypeOf } from '../library/materials.ts';
import { deleteAssetValues } from '../properties/values.ts';
import type { MaterialRecord } from '../state/library-records.ts';
import { listNewestFirst } from '../state/table.ts';
import { materialStatusOf, toMaterialItem } from '../status/materials.ts';

function requireMaterial({ store }: Sandbox, params: { materialId: string }): MaterialRecord {
  return requireRecord(store.materials, params.materialId, 'material');
}

/** Returns an entry of a status response. An unknown id is reported as failed, since the body has no `notFound`. */
function toStatusItem({ store }: Sandbox, materialId: string, nowMs: number) {
  const material = store.materials.get(materialId);
  if (!material) {
    return { materialId, status: 'failed', error: `The material ${materialId} does not exist.` };
  }
  const status = materialStatusOf(material, nowMs);
  const error = status === 'failed' ? material.outcome?.problem : undefined;
  return { materialId, status, error };
}

export const materials = {
  planMaterialImport: ({ body }) => planImport(body.paths, body),

  createMaterial: ({ body, origin, nowMs }, sandbox) => {
    const material = createMaterial(sandbox, body, nowMs);
    const textures = texturesOf(material);
    return {
      materialId: material.id,
      name: material.name,
      collectionId: material.collectionId ?? null,
      uploads: textures.map((entry) => ({
        channel: uploadedTypeOf(entry),
        uploadUrl: sandbox.links.sign('PUT', origin, entry[1].uploadKey, nowMs),
      })),
      uploadedTypes: textures.map(uploadedTypeOf),
    };
  },

  confirmMaterial: ({ params, body, nowMs }, sandbox) => {
    const material = requireMaterial(sandbox, params);
    const { name, uploadedTypes, collectionId } = body;
    checkUploads(material, uploadedTypes);
    if (typeof collectionId === 'string') checkCollection(sandbox, collectionId);
    sandbox.store.materials.update(material, {
      ...(name === undefined ? {} : { name }),
      ...(collectionId === undefined ? {} : { collectionId: collectionId ?? undefined }),
    });
    startProcessing(sandbox, material, nowMs);
    return { materialId: material.id, status: materialStatusOf(material, nowMs) };
  },

  checkMaterialStatus: ({ body, nowMs }, sandbox) => {
    const items = [...new Set(body.materialIds)].map((id) => toStatusItem(sandbox, id, nowMs));
    return { materials: items, allReady: items.every(({ status }) => status === 'ready') };
  },

  listMaterials: ({ query, origin, nowMs }, { store }) => {
    const { limit, offset, search } = query;
    const matches =
      search === undefined || search.trim() === ''
        ? store.materials.all
        : searchMaterials(store, search);
    const page = listNewestFirst(matches, limit, offset);
    return {
      materials: page.map((material) => toMaterialItem(material, origin, nowMs)),
      total: matches.length,
      limit,
      offset,
    };
  },

  getMaterial: ({ params, origin, nowMs }, sandbox) =>
    toMaterialItem(requireMaterial(sandbox, params), origin, nowMs),

  updateMaterial: ({ params, body, origin, nowMs }, sandbox) => {
    const material = requireMaterial(sandbox, params);
    sandbox.store.materials.update(material, toLibraryUpdate(sandbox, body, nowMs));
    return toMaterialItem(material, origin, nowMs);
  },

  deleteMaterial: async ({ params, nowMs }, sandbox) => {
    const material = requireMaterial(sandbox, params);
    sandbox.store.materials.remove(material.id);
    deleteAssetValues(sandbox, 'MATERIAL', material.id);
    failJobsOfMaterial(sandbox, material.id, nowMs);
    for (const [, { uploadKey }] of texturesOf(material)) await sandbox.files.remove(uploadKey);
    return { deleted: true, materialId: material.id };
  },
} satisfies Partial<Handlers>;
