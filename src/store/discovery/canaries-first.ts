// The order of a run's assets when it begins with a canary: unlike each other, and none that is broken.

import { groupBy } from '../../plan/group-by.ts';
import { chooseUnlike } from '../../plan/unlike-assets.ts';
import { mapBounded } from '../objects/bounded.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import type { ManifestAsset } from '../runs/manifest.ts';

/** Each that is broken is replaced; in a folder of nothing but broken files there is an end to that. */
const choices = 3;
/** Files that are looked at, however large the canary is. */
const looksAtMost = 300;

/**
 * Puts so many assets in front, in their order; the others follow in theirs. Broken ones are in front only where there
 * are no others.
 * @param isBroken a look at the file itself; absent where there is none
 */
export async function canariesFirst(
  assets: readonly ManifestAsset[],
  count: number,
  isBroken?: (asset: ManifestAsset) => Promise<boolean>,
): Promise<readonly ManifestAsset[]> {
  const models = [...groupBy(assets, modelKeyOf).values()];
  const firsts = models.flatMap(([first]) => first ?? []);
  // Colorways of a model stay together: so many models as have the assets.
  const wanted = Math.ceil(count / Math.max(assets.length / Math.max(firsts.length, 1), 1));
  const ordered = await soundFirst(firsts, wanted, isBroken);
  const cellsOf = new Map(models.map((cells) => [cells[0], cells]));
  return ordered.flatMap((first) => cellsOf.get(first) ?? []);
}

async function soundFirst(
  assets: readonly ManifestAsset[],
  count: number,
  isBroken?: (asset: ManifestAsset) => Promise<boolean>,
): Promise<readonly ManifestAsset[]> {
  if (assets.length <= count) return assets;
  let chosen = chooseUnlike(assets, count);
  let sound = assets;
  let looks = looksAtMost;
  let unseen = chosen;
  for (let choice = 0; isBroken && choice < choices && unseen.length > 0; choice += 1) {
    const looked = unseen.slice(0, looks);
    looks -= looked.length;
    const verdicts = await mapBounded(looked, isBroken);
    const broken = new Set(looked.filter((_, index) => verdicts[index]));
    const kept = chosen.filter((asset) => !broken.has(asset));
    const keptOnes = new Set(kept);
    sound = sound.filter((asset) => !broken.has(asset));
    const others = sound.filter((asset) => !keptOnes.has(asset));
    unseen = chooseUnlike(others, count - kept.length, kept);
    chosen = [...kept, ...unseen];
  }
  const first = new Set([...new Set([...chosen, ...assets])].slice(0, count));
  return [
    ...assets.filter((asset) => first.has(asset)),
    ...assets.filter((asset) => !first.has(asset)),
  ];
}
