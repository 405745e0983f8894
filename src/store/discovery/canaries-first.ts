// Orders the assets of a run with a canary: diverse assets with intact files come first.

import { groupBy } from '../../plan/group-by.ts';
import { chooseUnlike } from '../../plan/unlike-assets.ts';
import { mapBounded } from '../objects/bounded.ts';
import { modelKeyOf } from '../records/asset-names.ts';
import type { ManifestAsset } from '../runs/manifest.ts';

/** Each round replaces broken files; a folder of broken files only must not go on forever. */
const choices = 3;
/** Files to inspect, however large the canary is. */
const looksAtMost = 300;

/**
 * Moves `count` diverse assets to the front; both parts keep their order. Broken assets come first only if there are no
 * others.
 * @param isBroken inspects the file; absent if files are not inspected
 */
export async function canariesFirst(
  assets: readonly ManifestAsset[],
  count: number,
  isBroken?: (asset: ManifestAsset) => Promise<boolean>,
): Promise<readonly ManifestAsset[]> {
  const models = [...groupBy(assets, modelKeyOf).values()];
  const firsts = models.flatMap(([first]) => first ?? []);
  // All cells of a model stay together, so the number of models is reduced to match `count` assets.
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
