import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { createItems } from '../library/bulk-create.ts';
import { toLibraryUpdate } from '../library/collections.ts';
import { confirmDecalFile, createDecal, toDecalItem } from '../library/decals.ts';
import { createStatusReport, filterPage } from '../library/item-list.ts';
import { deleteAssetValues } from '../properties/values.ts';
import { decalStatusOf } from '../status/library-items.ts';
import { removeLogo } from '../variants/variants.ts';

export const decals = {
  createDecals: ({ body, origin, nowMs }, sandbox) => {
    const { created, errors } = createItems(body.decals, (item) =>
      createDecal(sandbox, item, nowMs),
    );
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
    return { decalId: decal.id, status: decalStatusOf(decal) };
  },

  checkDecalStatus: ({ body }, { store }) => {
    const { items, ...report } = createStatusReport(body.decalIds, store.decals, decalStatusOf);
    return { decals: items.map(({ id, ...item }) => ({ decalId: id, ...item })), ...report };
  },

  listDecals: ({ query }, { store }) => {
    const { page, total } = filterPage(store.decals.all, query, decalStatusOf);
    const { limit, offset } = query;
    return { decals: page.map(toDecalItem), total, limit, offset };
  },

  getDecal: ({ params }, sandbox) =>
    toDecalItem(requireRecord(sandbox.store.decals, params.decalId, 'decal')),

  updateDecal: ({ params, body, nowMs }, sandbox) => {
    const decal = requireRecord(sandbox.store.decals, params.decalId, 'decal');
    sandbox.store.decals.update(decal, toLibraryUpdate(sandbox, body, nowMs));
    return toDecalItem(decal);
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
