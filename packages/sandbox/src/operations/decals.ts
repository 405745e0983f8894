// Handlers of decals.

import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { createItems } from '../library/bulk-create.ts';
import { libraryUpdate } from '../library/collections.ts';
import { confirmDecalFile, decalItem, newDecal } from '../library/decals.ts';
import { filteredPage, findAll } from '../library/item-list.ts';
import { decalStatus } from '../status/library-items.ts';
import { deleteDecal } from './library-deletion.ts';

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
    const { found, notFound } = findAll(body.decalIds, (id) => store.decals.get(id));
    const items = found.map((decal) => {
      const status = decalStatus(decal);
      return { decalId: decal.id, name: decal.name, status, ready: status === 'READY' };
    });
    const allReady = notFound.length === 0 && items.every(({ ready }) => ready);
    return { decals: items, allReady, notFound };
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
    await deleteDecal(sandbox, decal);
    return { deleted: true, decalId: decal.id };
  },
} satisfies Partial<Handlers>;
