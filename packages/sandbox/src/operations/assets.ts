import { AssetType } from 'renderline/api/operations/properties';
import type { Handlers } from '../context/handler.ts';
import { refuseInput } from '../http/failure.ts';
import { createAssetFinder } from '../properties/assets.ts';
import { search } from '../properties/search.ts';
import { createValueFormatter, findValues, setAssetValues } from '../properties/values.ts';
import { planWrite } from '../properties/write.ts';
import { requireApiPlan } from '../workspace/access.ts';

export const assets = {
  getAssetProperties: ({ params, nowMs }, sandbox) => {
    requireApiPlan(sandbox);
    const result = AssetType.safeParse(params.assetType);
    if (!result.success) {
      const typeNames = AssetType.options.join(', ');
      refuseInput(`assetType: ${params.assetType} is not one of ${typeNames}`);
    }
    const assetType = result.data;
    const { id, name } = createAssetFinder(sandbox, assetType, nowMs)(params.id);
    const show = createValueFormatter(sandbox.store);
    return { id, name, assetType, properties: show(findValues(sandbox.store, assetType, id)) };
  },

  setAssetProperties: ({ body, nowMs }, sandbox) => {
    requireApiPlan(sandbox);
    const { store } = sandbox;
    const { assetType } = body;
    const write = planWrite(store, body);
    // Variants are matched by id, because the GUID of a variant may have several spellings.
    const matchedIds = new Set(
      body.ids.map(createAssetFinder(sandbox, assetType, nowMs)).map(({ id }) => id),
    );
    const updates = [...matchedIds].map((id) => ({
      id,
      values: write(findValues(store, assetType, id)),
    }));
    for (const { id, values } of updates) setAssetValues(store, assetType, id, values);
    return { updated: updates.length };
  },

  searchAssets: ({ body }, sandbox) => {
    requireApiPlan(sandbox);
    const { assetType, limit, offset } = body;
    const { page, total } = search(sandbox, body);
    const show = createValueFormatter(sandbox.store);
    return {
      assetType,
      assets: page.map(({ id, name }) => ({
        id,
        name,
        assetType,
        properties: show(findValues(sandbox.store, assetType, id)),
      })),
      total,
      limit,
      offset,
    };
  },
} satisfies Partial<Handlers>;
