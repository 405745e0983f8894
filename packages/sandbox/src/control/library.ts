// Controls of the library beyond the API: props of the platform's catalog, backplates and styles.
import type { Hono } from 'hono';
import { fileType } from 'renderline/api/contract/schemas';
import { collectionName } from 'renderline/api/operations/library';
import { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { ensureCollection } from '../library/collections.ts';
import { toPropItem } from '../library/props.ts';
import { readControlBody } from './control-body.ts';

const CatalogProp = z.strictObject({
  name: z.string().trim().min(1),
  fileType: fileType.default('glb'),
  fileSize: z.int().nonnegative().optional(),
  collection: collectionName.optional(),
});

const StockAsset = z.strictObject({
  assetType: z.enum(['BACKPLATE', 'STYLE']),
  name: z.string().min(1),
});

export function addLibraryControls(app: Hono<Env>, sandbox: Sandbox): void {
  const { store, options } = sandbox;
  app.post('/props', async (c) => {
    const { name, fileType, fileSize, collection } = await readControlBody(c, CatalogProp);
    const id = store.newId('prop');
    const nowMs = options.clock();
    const prop = store.props.insert({
      id,
      name,
      source: 'catalog',
      fileType,
      uploadKey: `props/${id}/source.${fileType}`,
      declaredBytes: fileSize,
      collectionId: ensureCollection(sandbox, collection, nowMs),
      createdAt: nowMs,
      processMs: 0,
    });
    return c.json(toPropItem(prop, new URL(c.req.url).origin, nowMs), 201);
  });
  app.post('/assets', async (c) => {
    const fields = await readControlBody(c, StockAsset);
    const asset = store.stockAssets.insert({ id: store.newId('stock asset'), ...fields });
    return c.json(asset, 201);
  });
}
