// Reads the outputs of finished renders from the records, so that a plan knows how many files a run delivers.

import { type FoundAsset, finishedStagesOf } from '../../engine/cost/found-work.ts';
import { outputKind } from '../../features/delivery/outputs/output-types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { EarlierNames, EarlierRecords } from './earlier-records.ts';

/** Maximum number of records that are read, at one read each. For more assets the number of files is a lower bound. */
const maxRead = 1_000;

/** Adds the known numbers of pictures and videos to assets whose render is finished. */
export async function withKnownOutputs(
  earlier: EarlierRecords,
  assets: readonly (FoundAsset & EarlierNames)[],
): Promise<FoundAsset[]> {
  const rendered = assets.filter((asset) => finishedStagesOf(asset).includes('render'));
  const read = new Set(rendered.slice(0, maxRead));
  return mapBounded(assets, async (asset): Promise<FoundAsset> => {
    const outputs = read.has(asset) ? (await earlier.read(asset))?.platformIds.outputs : undefined;
    if (outputs === undefined) return asset;
    const videos = outputs.filter((output) => outputKind(output) === 'video').length;
    return { ...asset, outputs: { pictures: outputs.length - videos, videos } };
  });
}
