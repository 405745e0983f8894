import { type FoundAsset, finishedStagesOf } from '../../engine/cost/found-work.ts';
import { countOutputs } from '../../features/claimed-work.ts';
import { memoize } from '../../plan/helpers/memoize.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { AssetRecord } from '../../store/records/records.ts';
import type { RunAsset } from '../../store/runs/run-asset.ts';
import type { RunStore } from '../../store/runs/run-store.ts';

/** Reads each record at most once, because several checks of a plan need it. */
export class EarlierRecords {
  readonly #read: (name: string) => Promise<AssetRecord | null>;

  constructor({ records }: Pick<RunStore, 'records'>) {
    this.#read = memoize((name) => records.read(name));
  }

  /** Returns the record of the asset's earlier delivery, or null if it was never delivered or the record is gone. */
  async read({ moved, previous }: EarlierNames): Promise<AssetRecord | null> {
    const name = moved?.record ?? previous?.[0];
    return name === undefined ? null : this.#read(name);
  }
}

type EarlierNames = Pick<RunAsset, 'moved' | 'previous'>;

/** Maximum number of records to read, with one request each. For more assets, the number of files is a lower bound. */
const maxRead = 1_000;

/** Adds the numbers of pictures and videos, where known, to assets whose render is finished. */
export async function withKnownOutputs(
  earlierRecords: EarlierRecords,
  assets: readonly (FoundAsset & EarlierNames)[],
): Promise<FoundAsset[]> {
  const renderedAssets = assets.filter(
    (asset) => asset.outputs === undefined && finishedStagesOf(asset).includes('render'),
  );
  const assetsToRead = new Set(renderedAssets.slice(0, maxRead));
  return mapBounded(assets, async (asset): Promise<FoundAsset> => {
    const outputs = assetsToRead.has(asset)
      ? (await earlierRecords.read(asset))?.platformIds.outputs
      : undefined;
    if (outputs === undefined) return asset;
    return { ...asset, outputs: countOutputs(outputs) };
  });
}
