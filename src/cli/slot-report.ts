// Checks, before anything is uploaded, that the files of a plan have the slots and variants that its nodes use.
import { connectorPoll } from '../capabilities/models/connector-poll.ts';
import { reachedSteps } from '../capabilities/reached-steps.ts';
import { colorwayVariant } from '../capabilities/variants/colorway-steps.ts';
import {
  type SlotFinding,
  slotFindings,
  type VariantWishes,
} from '../capabilities/variants/slot-findings.ts';
import { variant } from '../capabilities/variants/variant.ts';
import type { Plan } from '../plan/types.ts';
import type { Discovered } from '../store/discovery/discover.ts';
import type { Grid } from '../store/discovery/grid.ts';
import { modelKeyOf } from '../store/records/asset-names.ts';
import type { InspectedPreview } from './inspected-preview.ts';
import { spelledOut } from './screen-text.ts';

export interface SlotReport {
  /** Number of files whose slots are known (glTF files). */
  looked: number;
  /** Number of files beyond the limit of inspections. */
  left: number;
  findings: (SlotFinding & { key: string })[];
}

type DiscoveredAsset = Discovered['assets'][number];

interface Wishes {
  /** Slots and variants that the node needs in an asset; null if the node skips the asset. */
  of: (asset: DiscoveredAsset) => VariantWishes | null;
}

/** Returns null if no node uses slots or variants, or if the assets are not files. */
export function slotReport(
  plan: Plan,
  { assets, colorways }: { assets: readonly DiscoveredAsset[]; colorways: Grid | null },
  { looks, left }: Pick<InspectedPreview, 'looks' | 'left'>,
): SlotReport | null {
  const wishes = wishesOf(plan, assets);
  if (wishes.length === 0 || plan.discovery.activity !== connectorPoll.type) return null;
  // Only the platform knows the slots of other formats.
  const known = new Map([...looks].filter(([, { container }]) => container !== 'other'));
  const findings = assets.flatMap((asset) => {
    const look = known.get(modelKeyOf(asset));
    if (look === undefined) return [];
    return wishes.flatMap(({ of }) => {
      const wish = of(asset);
      const found = wish === null ? [] : slotFindings(wish, look);
      return found.map((one) => ({ key: asset.key, ...withLine(one, asset, colorways) }));
    });
  });
  return { looked: known.size, left, findings };
}

/** Prefixes the message with the line of the colorway table that names the slot. */
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

interface Refusal {
  key: string;
  code: string;
  message: string;
}

/** Adds the line of the colorway table to refusals that are caused by a slot. */
export function refusalsOf(
  { refused }: Pick<InspectedPreview, 'refused'>,
  slots: SlotReport | null,
): Refusal[] {
  return refused.map(({ key, code, message }) => {
    const found = slots?.findings.find((one) => one.key === key && one.code === code);
    return { key, code, message: found?.message ?? message };
  });
}

/** Formats the first findings that have not already led to a refusal. */
export function slotLines(report: SlotReport | null, refusals: readonly Refusal[]): string[] {
  const refused = new Set(spelledOut(refusals).map(({ key, code }) => `${key} ${code}`));
  const findings = spelledOut(report?.findings ?? []).filter(
    ({ key, code }) => !refused.has(`${key} ${code}`),
  );
  const lines = findings
    .slice(0, shown)
    .map(({ node, key, code, message }) => `${key} at ${node}: ${code}: ${message}`);
  const more = findings.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more; --json has all`] : [])];
}
