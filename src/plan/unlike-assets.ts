// Chooses assets that show most of what a run has before it: as unlike each other as is known without a look inside. Pure.
import type { AssetSource } from './types.ts';

/** Something in which assets differ; null where it is not known. */
type Trait = (source: AssetSource) => string | null;

/** Traits of a source that its listing shows. Assets are chosen to differ in as many of them as possible. */
const traits: readonly Trait[] = [
  ({ path }) => path.slice(0, path.lastIndexOf('/') + 1),
  // Where each asset has a folder of its own, only the one above says something.
  ({ path }) => path.slice(0, path.indexOf('/') + 1),
  ({ path }) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? null,
  ({ bytes }) => (bytes === 0 ? null : `${String(bytes).length} digits`),
];

/** Rounds in which everything is shown once more; after so many, nobody looks for what is rare. */
const rounds = 10;

/**
 * Chooses so many assets that differ from each other in as much as possible, those in front where there is a choice.
 * The same assets make the same choice.
 * @param beside what is chosen already
 */
export function chooseUnlike<Asset extends { source: AssetSource }>(
  assets: readonly Asset[],
  count: number,
  beside: readonly Asset[] = [],
): Asset[] {
  const chosen = new Set<Asset>();
  const values = new Map([...assets, ...beside].map((asset) => [asset, valuesOf(asset.source)]));
  let seen = new Set(beside.flatMap((asset) => values.get(asset) ?? []));
  for (let round = 0; round < rounds; round += 1) {
    // An asset that was passed over never has more news later, so each level needs only one look at all assets.
    for (let news = traits.length; news > 0; news -= 1) {
      for (const asset of assets) {
        if (chosen.size >= count) return [...chosen];
        const own = values.get(asset) ?? [];
        if (chosen.has(asset) || own.filter((value) => !seen.has(value)).length < news) continue;
        chosen.add(asset);
        for (const value of own) seen.add(value);
      }
    }
    seen = new Set();
  }
  const others = assets.filter((asset) => !chosen.has(asset));
  return [...chosen, ...others.slice(0, Math.max(0, count - chosen.size))];
}

/** The traits of a source, each told apart from the others. */
function valuesOf(source: AssetSource): string[] {
  return traits.flatMap((trait, index) => {
    const value = trait(source);
    return value === null ? [] : [`${index} ${value}`];
  });
}
