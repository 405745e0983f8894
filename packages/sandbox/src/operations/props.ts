import { requireRecord } from '../context/find-resource.ts';
import type { Handlers } from '../context/handler.ts';
import { toLibraryUpdate } from '../library/collections.ts';
import { createStatusReport, filterPage } from '../library/item-list.ts';
import { confirmPropFile, createProp, toPropItem } from '../library/props.ts';
import { deleteAssetValues } from '../properties/values.ts';
import type { PropRecord } from '../state/library-records.ts';
import { propStatusOf } from '../status/library-items.ts';
import { assertWithinStorage } from '../workspace/plan-limits.ts';

export const props = {
  createProps: ({ body, origin, nowMs }, sandbox) => {
    assertWithinStorage(sandbox, ...body.props.map(({ fileSize = 0 }) => fileSize));
    const createdProps = body.props.map((item) => createProp(sandbox, item, nowMs));
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
    return { propId: prop.id, status: propStatusOf(prop, nowMs) };
  },

  checkPropStatus: ({ body, nowMs }, { store }) => {
    const statusOf = (prop: PropRecord) => propStatusOf(prop, nowMs);
    const { items, ...report } = createStatusReport(body.propIds, store.props, statusOf);
    return { props: items.map(({ id, ...item }) => ({ propId: id, ...item })), ...report };
  },

  listProps: ({ query, origin, nowMs }, { store }) => {
    const { page, total } = filterPage(store.props.all, query, (prop) => propStatusOf(prop, nowMs));
    const { limit, offset } = query;
    return { props: page.map((prop) => toPropItem(prop, origin, nowMs)), total, limit, offset };
  },

  getProp: ({ params, origin, nowMs }, sandbox) =>
    toPropItem(requireRecord(sandbox.store.props, params.propId, 'prop'), origin, nowMs),

  updateProp: ({ params, body, origin, nowMs }, sandbox) => {
    const prop = requireRecord(sandbox.store.props, params.propId, 'prop');
    sandbox.store.props.update(prop, toLibraryUpdate(sandbox, body, nowMs));
    return toPropItem(prop, origin, nowMs);
  },

  deleteProp: async ({ params }, sandbox) => {
    const prop = requireRecord(sandbox.store.props, params.propId, 'prop');
    sandbox.store.props.remove(prop.id);
    deleteAssetValues(sandbox, 'PROP', prop.id);
    await sandbox.files.remove(prop.uploadKey);
    return { deleted: true, propId: prop.id };
  },
} satisfies Partial<Handlers>;
