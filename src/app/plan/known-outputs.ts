// Reads the outputs of finished renders from the records, so that a plan knows how many files a run delivers.

import { type FoundAsset, finishedStagesOf } from '../../engine/cost/found-work.ts';
import { outputKind } from '../../features/delivery/output-types.ts';
import type { Plan } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { ManifestAsset } from '../../store/runs/manifest-asset.ts';
import { previewStore } from './preview-store.ts';

/** Each record costs one read. For more assets the number of files is a lower bound. */
const maxRead = 1_000;

type Found = FoundAsset & Pick<ManifestAsset, 'previous' | 'moved'>;

/** Adds the known outputs to assets that only need to be delivered. */
export async function withKnownOutputs(
  plan: Plan,
  assets: readonly Found[],
): Promise<FoundAsset[]> {
  const { records } = previewStore(plan);
  const rendered = assets.filter((asset) => finishedStagesOf(asset).includes('render'));
  const read = new Set(rendered.slice(0, maxRead));
  return mapBounded(assets, async (asset): Promise<FoundAsset> => {
    const name = asset.moved?.record ?? asset.previous?.[0];
    if (!read.has(asset) || name === undefined) return asset;
    const outputs = (await records.read(name))?.platformIds.outputs;
    if (outputs === undefined) return asset;
    const videos = outputs.filter((output) => outputKind(output) === 'video').length;
    return { ...asset, outputs: { pictures: outputs.length - videos, videos } };
  });
}
