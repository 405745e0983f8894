import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { AssetWithProperties, PropertyFilter } from '../../api/operations/assets.ts';
import { operations } from '../../api/operations/index.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import { readPages } from '../../api/pages.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';

export type AssetWithValues = ResponseOf<typeof AssetWithProperties>;

/** Finds the assets that match all filters. Returns null if the first response shows more than `maxFound`. */
export async function searchAssets(
  filter: { assetType: AssetType; properties: PropertyFilter[] },
  maxFound: number,
  context: Pick<NodeContext, 'client' | 'requests' | 'signal'>,
): Promise<AssetWithValues[] | null> {
  const { client, signal } = context;
  const options = callOptions(context);
  let total = 0;
  const pages = readPages(operations.searchAssets, async (window) => {
    const search = () => client.searchAssets({ body: { ...filter, ...window } }, options);
    const page = await readWithRetry(search, signal);
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
