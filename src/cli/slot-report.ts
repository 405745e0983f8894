// Checks the files of a plan against its colorways and choices of variants, before anything is uploaded.
import { connectorPoll } from '../capabilities/models/connector-poll.ts';
import { inspectFile } from '../capabilities/models/look-at-file.ts';
import { reachedSteps } from '../capabilities/reached-steps.ts';
import { colorwayVariant } from '../capabilities/variants/colorway-steps.ts';
import {
  type SlotFinding,
  slotFindings,
  type VariantWishes,
} from '../capabilities/variants/slot-findings.ts';
import { variant } from '../capabilities/variants/variant.ts';
import { openConnector } from '../connectors/index.ts';
import { count } from '../plan/count.ts';
import { groupBy } from '../plan/group-by.ts';
import type { Plan } from '../plan/types.ts';
import type { Discovered } from '../store/discovery/discover.ts';
import type { Grid } from '../store/discovery/grid.ts';
import { mapBounded } from '../store/objects/bounded.ts';
import { modelKeyOf } from '../store/records/asset-names.ts';

export interface SlotReport {
  /** Number of files whose slots are known: those in glTF. */
  looked: number;
  /** Number of files that were not read because there are too many. */
  left: number;
  findings: (SlotFinding & { key: string })[];
}

type DiscoveredAsset = Discovered['assets'][number];

/** Only heads are read, but a plan of 100,000 files must not take an hour. */
const looksAtMost = 2_000;

interface Wishes {
  /** Wishes of the node for an asset; null where it skips the asset. */
  of: (asset: DiscoveredAsset) => VariantWishes | null;
}

/** Null where no node uses slots or variants, or where the assets are not files. */
export async function slotReport(
  plan: Plan,
  { assets, colorways }: { assets: readonly DiscoveredAsset[]; colorways: Grid | null },
  signal: AbortSignal,
): Promise<SlotReport | null> {
  const wishes = wishesOf(plan, assets);
  if (wishes.length === 0 || plan.discovery.activity !== connectorPoll.type) return null;
  const spec = plan.connectors[connectorPoll.config.parse(plan.discovery.config).connector];
  if (spec === undefined) return null;
  const connector = openConnector(spec);
  const lookAt = async (
    assets: readonly DiscoveredAsset[],
  ): Promise<SlotReport['findings'] | null> => {
    const [first] = assets;
    const look = first ? (await inspectFile(first.source, connector, signal)).look : null;
    // The run itself refuses broken files; slots of other formats are only known to the platform.
    if (look === null || look.container === 'other') return null;
    return assets.flatMap((asset) =>
      wishes.flatMap(({ of }) => {
        const wish = of(asset);
        const found = wish === null ? [] : slotFindings(wish, look);
        return found.map((one) => ({ key: asset.key, ...withLine(one, asset, colorways) }));
      }),
    );
  };
  // All colorways of a model share one file.
  const files = [...groupBy(assets, modelKeyOf).values()];
  const seen = await mapBounded(files.slice(0, looksAtMost), lookAt, { signal });
  const known = seen.filter((findings) => findings !== null);
  const left = Math.max(0, files.length - looksAtMost);
  return { looked: known.length, left, findings: known.flat() };
}

/** Adds the line of the table that names the slot. */
function withLine(
  { slot, ...finding }: SlotFinding,
  { source }: DiscoveredAsset,
  grid: Grid | null,
): SlotFinding {
  const { colorway } = source;
  const place = slot && colorway ? (grid?.placeOfSlot?.(colorway, slot) ?? '') : '';
  return place === '' ? finding : { ...finding, message: `${place}: ${finding.message}` };
}

function wishesOf(plan: Plan, assets: readonly DiscoveredAsset[]): Wishes[] {
  const { steps } = plan;
  const reached = reachedSteps(plan, assets);
  const grids = steps.filter(({ activity }) => activity === colorwayVariant.type);
  const ofCells = grids.map(({ node }): Wishes => {
    const of = ({ source: { colorway } }: DiscoveredAsset) =>
      colorway ? { node, swapRules: colorway.rules, choose: null, isEachNeeded: true } : null;
    return { of };
  });
  const ofModels = steps
    .filter(({ activity }) => activity === variant.type)
    .map(({ id, node, config }): Wishes => {
      const { swapRules = [], choose = null } = variant.config.parse(config);
      const verdicts = reached.get(id) ?? [];
      const passedOver = new Set(
        assets.filter((_, index) => ['no', 'fails'].includes(verdicts[index] ?? 'no')),
      );
      const wish = { node, swapRules, choose };
      return { of: (asset) => (passedOver.has(asset) ? null : wish) };
    });
  return [...ofCells, ...ofModels];
}

const shown = 10;

/** For people: the first few. */
export function slotLines({ findings, left }: SlotReport): string[] {
  const lines = findings
    .slice(0, shown)
    .map(({ node, key, code, message }) => `${key} at ${node}: ${code}: ${message}`);
  const more = findings.length - lines.length;
  return [
    ...lines,
    ...(more > 0 ? [`and ${more} more; --json has all`] : []),
    ...(left > 0 ? [`${count(left, 'file')} not looked at for slots`] : []),
  ];
}
