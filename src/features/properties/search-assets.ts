import type { Client } from '../../api/client.ts';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { AssetWithProperties, PropertyFilter } from '../../api/operations/assets.ts';
import { operations } from '../../api/operations/index.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import { readPages } from '../../api/pages.ts';
import type { RequestCounter } from '../../api/request-counter.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';

export type AssetWithValues = ResponseOf<typeof AssetWithProperties>;

export interface SearchDeps {
  client: Client;
  requests: RequestCounter;
  signal: AbortSignal;
}

/** The assets that match all filters; null if the first response shows more than `maxFound`. */
export async function searchAssets(
  { assetType, properties }: { assetType: AssetType; properties: PropertyFilter[] },
  maxFound: number,
  { client, requests, signal }: SearchDeps,
): Promise<AssetWithValues[] | null> {
  let total = 0;
  const pages = readPages(operations.searchAssets, async (window) => {
    const page = await readWithRetry(
      () =>
        client.searchAssets(
          { body: { assetType, properties, ...window } },
          { priority: 'create', scope: requests, signal },
        ),
      signal,
    );
    total = page.total ?? 0;
    return page;
  });
  const assets: AssetWithValues[] = [];
  for await (const asset of pages) {
    if (total > maxFound) return null;
    assets.push(asset);
  }
  return assets;
}
