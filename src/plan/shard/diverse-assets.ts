import type { AssetSource } from '../types.ts';

/** A property that distinguishes assets. Null if it is unknown. */
type Trait = (source: AssetSource) => string | null;

/** Traits of a source in its listing. Chosen assets differ in as many of them as possible. */
const traits: readonly Trait[] = [
  ({ path }) => path.slice(0, path.lastIndexOf('/') + 1),
  // If each asset has its own folder, only the topmost folder distinguishes groups.
  ({ path }) => path.slice(0, path.indexOf('/') + 1),
  ({ path }) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? null,
  ({ bytes }) => (bytes === 0 ? null : `${String(bytes).length} digits`),
];

/** Number of rounds in which every trait is represented once more. Later rounds would add little. */
const maxRounds = 10;

/** Chooses `count` assets as different as possible, deterministically. @param alreadyChosen earlier choices */
export function chooseDiverse<Asset extends { source: AssetSource }>(
  assets: readonly Asset[],
  count: number,
  alreadyChosen: readonly Asset[] = [],
): Asset[] {
  const chosenAssets = new Set<Asset>();
  const allAssets = [...assets, ...alreadyChosen];
  const values = new Map(allAssets.map((asset) => [asset, valuesOf(asset.source)]));
  let seenValues = new Set(alreadyChosen.flatMap((asset) => values.get(asset) ?? []));
  for (let round = 0; round < maxRounds; round += 1) {
    // The number of new traits of an asset never grows within a round, so each level needs only one pass.
    for (let newTraits = traits.length; newTraits > 0; newTraits -= 1) {
      for (const asset of assets) {
        if (chosenAssets.size >= count) return [...chosenAssets];
        const ownValues = values.get(asset) ?? [];
        const newValues = ownValues.filter((value) => !seenValues.has(value));
        if (chosenAssets.has(asset) || newValues.length < newTraits) continue;
        chosenAssets.add(asset);
        for (const value of ownValues) seenValues.add(value);
      }
    }
    seenValues = new Set();
  }
  const others = assets.filter((asset) => !chosenAssets.has(asset));
  return [...chosenAssets, ...others.slice(0, Math.max(0, count - chosenAssets.size))];
}

/** Returns the traits of a source, each prefixed by its index. */
function valuesOf(source: AssetSource): string[] {
  return traits.flatMap((trait, index) => {
    const value = trait(source);
    return value === null ? [] : [`${index} ${value}`];
  });
}
