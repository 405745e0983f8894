// Creates backplates and styles, for which the API has asset types and no create operation.
import type { Hono } from 'hono';
import { z } from 'zod';
import type { Sandbox } from '../context/sandbox.ts';
import type { Env } from '../http/env.ts';
import { readControlBody } from './control-body.ts';

const StockAsset = z.strictObject({
  assetType: z.enum(['BACKPLATE', 'STYLE']),
  name: z.string().min(1),
});

export function addStockAssetControls(app: Hono<Env>, { store }: Sandbox): void {
  app.post('/assets', async (c) => {
    const asset = store.stockAssets.insert({
      id: store.newId('stock asset'),
      ...(await readControlBody(c, StockAsset)),
    });
    store.flush();
    return c.json(asset, 201);
  });
}
