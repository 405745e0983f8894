// Handlers of props.

import type { Handlers } from '../context/handler.ts';
import type { Sandbox } from '../context/sandbox.ts';
import { fail } from '../http/failure.ts';
import { libraryUpdate } from '../library/collections.ts';
import { filteredPage, findAll } from '../library/item-list.ts';
import { confirmPropFile, newProp, propItem } from '../library/props.ts';
import type { PropRecord } from '../state/library-records.ts';
import { propStatus } from '../status/library-items.ts';
import { refuseOverStorage } from '../workspace/plan-limits.ts';
import { deleteProp } from './library-deletion.ts';

function propOf({ store }: Sandbox, propId: string): PropRecord {
  return store.props.get(propId) ?? fail('NOT_FOUND', `There is no prop ${propId}.`);
}

export const props = {
  createProps: ({ body, origin, nowMs }, sandbox) => {
    refuseOverStorage(
      sandbox,
      body.props.reduce((sum, { fileSize = 0 }) => sum + fileSize, 0),
    );
    const created = body.props.map((item) => newProp(sandbox, item, nowMs));
    return {
      props: created.map(({ id, name, uploadKey }) => ({
        propId: id,
        name,
        uploadUrl: sandbox.links.sign('PUT', origin, `/storage/upload/${uploadKey}`, nowMs),
        uploadKey,
      })),
    };
  },

  confirmProp: ({ params, nowMs }, sandbox) => {
    const prop = propOf(sandbox, params.propId);
    confirmPropFile(sandbox, prop, nowMs);
    return { propId: prop.id, status: propStatus(prop, nowMs) };
  },

  checkPropStatus: ({ body, nowMs }, { store }) => {
    const { found, notFound } = findAll(body.propIds, (id) => store.props.get(id));
    const items = found.map((prop) => {
      const status = propStatus(prop, nowMs);
      return { propId: prop.id, name: prop.name, status, ready: status === 'READY' };
    });
    const allReady = notFound.length === 0 && items.every(({ ready }) => ready);
    return { props: items, allReady, notFound };
  },

  listProps: ({ query, origin, nowMs }, { store }) => {
    const { page, total } = filteredPage(store.props.all, query, (prop) => propStatus(prop, nowMs));
    const { limit, offset } = query;
    return { props: page.map((prop) => propItem(prop, origin, nowMs)), total, limit, offset };
  },

  getProp: ({ params, origin, nowMs }, sandbox) =>
    propItem(propOf(sandbox, params.propId), origin, nowMs),

  updateProp: ({ params, body, origin, nowMs }, sandbox) => {
    const prop = propOf(sandbox, params.propId);
    sandbox.store.props.update(prop, libraryUpdate(sandbox, body, nowMs));
    return propItem(prop, origin, nowMs);
  },

  deleteProp: async ({ params }, sandbox) => {
    const prop = propOf(sandbox, params.propId);
    await deleteProp(sandbox, prop);
    return { deleted: true, propId: prop.id };
  },
} satisfies Partial<Handlers>;
