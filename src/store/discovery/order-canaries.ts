// Orders the assets of a run with a canary: diverse assets with intact files come first.
import { decideBeforeUpload } from '../../language/condition-verdict.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { chooseDiverse } from '../../plan/shard/diverse-assets.ts';
import type { Plan } from '../../plan/types.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { modelKeyOf } from '../records/cell-keys.ts';
import type { RunAsset } from '../runs/run-assets.ts';
import { countsOf, type DiscoveredAssets } from './discover.ts';

/** Maximum number of rounds. Each round replaces broken files, but a folder may contain only broken ones. */
const maxRounds = 3;
/** Maximum number of files to inspect, however large the canary is. */
const maxInspections = 300;

/** Leaves out assets that the root will certainly skip, whatever values the run adds. They count in the total. */
export function leaveOutSkipped<Found extends Pick<DiscoveredAssets, 'assets' | 'counts'>>(
  findings: Found,
  condition: string,
  parameters: Plan['parameters'],
): Found {
  const isTaken = (asset: RunAsset) =>
    decideBeforeUpload(condition, { platformIds: {}, ...asset }, parameters) !== 'no';
  const assets = findings.assets.filter(isTaken);
  const counts = { ...findings.counts, ...countsOf(assets, findings.counts) };
  return { ...findings, assets, counts };
}

/**
 * Moves about `count` diverse assets to the front, with all cells of their models. Both parts keep their order. Broken
 * assets come first only if there are too few others.
 * @param isBroken inspects the file. Absent if files are not inspected
 */
export async function orderCanariesFirst(
  assets: readonly RunAsset[],
  count: number,
  isBroken?: (asset: RunAsset) => Promise<boolean>,
): Promise<readonly RunAsset[]> {
  const models = [...groupBy(assets, modelKeyOf).values()];
  const firsts = models.flatMap(([first]) => first ?? []);
  // All cells of a model stay together, so the number of models is reduced to match `count` assets.
  const modelCount = Math.ceil(count / Math.max(assets.length / Math.max(firsts.length, 1), 1));
  const ordered = await orderIntactFirst(firsts, modelCount, isBroken);
  const cellsOf = new Map(models.map((cells) => [cells[0], cells]));
  return ordered.flatMap((first) => cellsOf.get(first) ?? []);
}

async function orderIntactFirst(
  assets: readonly RunAsset[],
  count: number,
  isBroken?: (asset: RunAsset) => Promise<boolean>,
): Promise<readonly RunAsset[]> {
  if (assets.length <= count) return assets;
  let chosenAssets = chooseDiverse(assets, count);
  let intact = assets;
  let inspectionsRemaining = maxInspections;
  let uninspected = chosenAssets;
  for (let round = 0; isBroken && round < maxRounds && uninspected.length > 0; round += 1) {
    const inspected = uninspected.slice(0, inspectionsRemaining);
    inspectionsRemaining -= inspected.length;
    const verdicts = await mapBounded(inspected, isBroken);
    const broken = new Set(inspected.filter((_, index) => verdicts[index]));
    const keptAssets = chosenAssets.filter((asset) => !broken.has(asset));
    const keptSet = new Set(keptAssets);
    intact = intact.filter((asset) => !broken.has(asset));
    const others = intact.filter((asset) => !keptSet.has(asset));
    uninspected = chooseDiverse(others, count - keptAssets.length, keptAssets);
    chosenAssets = [...keptAssets, ...uninspected];
  }
  const first = new Set([...new Set([...chosenAssets, ...assets])].slice(0, count));
  return [
    ...assets.filter((asset) => first.has(asset)),
    ...assets.filter((asset) => !first.has(asset)),
  ];
}
