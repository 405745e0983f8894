import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { createItems } from '../library/bulk-create.ts';
import { libraryUpdate } from '../library/collections.ts';
import { confirmDecalFile, decalItem, newDecal } from '../library/decals.ts';
import { filteredPage, statusReport } from '../library/item-list.ts';
import { deleteAssetValues } from '../properties/values.ts';
import { decalStatus } from '../status/library-items.ts';
import { removeLogo } from '../variants/variants.ts';

export const decals = {
  createDecals: ({ body, origin, nowMs }, sandbox) => {
    const { created, errors } = createItems(body.decals, (item) => newDecal(sandbox, item, nowMs));
    return {
      decals: created.map(({ id, name, uploadKey, contentType }) => ({
        decalId: id,
        name,
        uploadUrl: sandbox.links.sign('PUT', origin, uploadKey, nowMs),
        uploadKey,
        contentType,
      })),
      ...errors,
    };
  },

  confirmDecal: ({ params, nowMs }, sandbox) => {
    const decal = requireRecord(sandbox.store.decals, params.decalId, 'decal');
    confirmDecalFile(sandbox, decal, nowMs);
    return { decalId: decal.id, status: decalStatus(decal) };
  },

  checkDecalStatus: ({ body }, { store }) => {
    const { items, ...report } = statusReport(body.decalIds, store.decals, decalStatus);
    return { decals: items.map(({ id, ...item }) => ({ decalId: id, ...item })), ...report };
  },

  listDecals: ({ query }, { store }) => {
    const { page, total } = filteredPage(store.decals.all, query, decalStatus);
    const { limit, offset } = query;
    return { decals: page.map(decalItem), total, limit, offset };
  },

  getDecal: ({ params }, sandbox) =>
    decalItem(requireRecord(sandbox.store.decals, params.decalId, 'decal')),

  updateDecal: ({ params, body, nowMs }, sandbox) => {
    const decal = requireRecord(sandbox.store.decals, params.decalId, 'decal');
    sandbox.store.decals.update(decal, libraryUpdate(sandbox, body, nowMs));
    return decalItem(decal);
  },

  deleteDecal: async ({ params }, sandbox) => {
    const decal = requireRecord(sandbox.store.decals, params.decalId, 'decal');
    sandbox.store.decals.remove(decal.id);
    deleteAssetValues(sandbox, 'DECAL', decal.id);
    removeLogo(sandbox, decal.id);
    await sandbox.files.remove(decal.uploadKey);
    return { deleted: true, decalId: decal.id };
  },
} satisfies Partial<Handlers>;
