// Handlers of props.

import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { libraryUpdate } from '../library/collections.ts';
import { filteredPage, findAll } from '../library/item-list.ts';
import { confirmPropFile, newProp, propItem } from '../library/props.ts';
import { propStatus } from '../status/library-items.ts';
import { assertWithinStorage } from '../workspace/plan-limits.ts';
import { deleteProp } from './library-deletion.ts';

export const props = {
  createProps: ({ body, origin, nowMs }, sandbox) => {
    assertWithinStorage(
      sandbox,
      body.props.reduce((sum, { fileSize = 0 }) => sum + fileSize, 0),
    );
    const createdProps = body.props.map((item) => newProp(sandbox, item, nowMs));
    return {
      props: createdProps.map(({ id, name, uploadKey }) => ({
        propId: id,
        name,
        uploadUrl: sandbox.links.sign('PUT', origin, uploadKey, nowMs),
        uploadKey,
      })),
    };
  },

  confirmProp: ({ params, nowMs }, sandbox) => {
    const prop = requireRecord(sandbox.store.props, params.propId, 'prop');
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
    propItem(requireRecord(sandbox.store.props, params.propId, 'prop'), origin, nowMs),

  updateProp: ({ params, body, origin, nowMs }, sandbox) => {
    const prop = requireRecord(sandbox.store.props, params.propId, 'prop');
    sandbox.store.props.update(prop, libraryUpdate(sandbox, body, nowMs));
    return propItem(prop, origin, nowMs);
  },

  deleteProp: async ({ params }, sandbox) => {
    const prop = requireRecord(sandbox.store.props, params.propId, 'prop');
    await deleteProp(sandbox, prop);
    return { deleted: true, propId: prop.id };
  },
} satisfies Partial<Handlers>;
