// Checks, before anything is uploaded, that the files of a plan contain the slots and variants that its nodes use.

import { connectorPoll } from '../../features/models/connector-poll.ts';
import type { ReachedSteps } from '../../features/reached-steps.ts';
import {
  findSlotProblems,
  type SlotFinding,
  type VariantExpectation,
} from '../../features/slots/find-slot-problems.ts';
import { findSwapRules } from '../../features/slots/swap-rule.ts';
import { colorwayVariant } from '../../features/variants/colorway-steps.ts';
import { variant } from '../../features/variants/variant.ts';
import type { Plan } from '../../plan/types.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import type { InspectedPreview } from './inspected-preview.ts';

export interface SlotReport {
  /** Number of files whose slots are known (glTF files). */
  inspected: number;
  /** Number of files that were not inspected because of the limit. */
  notInspected: number;
  findings: (SlotFinding & { key: string })[];
}

type DiscoveredAsset = DiscoveredAssets['assets'][number];

/** Returns the slots and variants that a node needs in an asset, or null if the node skips the asset. */
type SlotRequest = (asset: DiscoveredAsset) => VariantExpectation | null;

/**
 * Finds slots and variants that nodes use but files lack. Null if no node uses any, or if the assets are not files.
 * @param reachedSteps the steps that `assets` reach
 */
export function checkSlotsOfAssets(
  plan: Plan,
  { assets, colorways }: { assets: readonly DiscoveredAsset[]; colorways: Grid | null },
  { inspectionByKey, uninspectedCount }: InspectedPreview,
  reachedSteps: ReachedSteps,
): SlotReport | null {
  const requests = listSlotRequests(plan, assets, reachedSteps);
  if (requests.length === 0 || plan.discovery.activity !== connectorPoll.type) return null;
  // Only the platform knows the slots of other formats, so files in those formats are omitted.
  const inspectionByModel = new Map(
    [...inspectionByKey].filter(([, { container }]) => container !== 'other'),
  );
  const findings = assets.flatMap((asset) => {
    const inspection = inspectionByModel.get(modelKeyOf(asset));
    if (inspection === undefined) return [];
    return requests.flatMap((requestFor) => {
      const request = requestFor(asset);
      const found = request === null ? [] : findSlotProblems(request, inspection);
      return found.map((finding) => ({ key: asset.key, ...withLine(finding, asset, colorways) }));
    });
  });
  return { inspected: inspectionByModel.size, notInspected: uninspectedCount, findings };
}

/** Prefixes the message with the line of the colorway table that contains the slot. */
function withLine(
  { slot, ...finding }: SlotFinding,
  { source }: DiscoveredAsset,
  grid: Grid | null,
): SlotFinding {
  const sourcePosition = slot && source.cell ? (grid?.locate(slot, source.cell) ?? '') : '';
  return sourcePosition === ''
    ? finding
    : { ...finding, message: `${sourcePosition}: ${finding.message}` };
}

function listSlotRequests(
  { steps }: Plan,
  assets: readonly DiscoveredAsset[],
  reachedSteps: ReachedSteps,
): SlotRequest[] {
  const grids = steps.filter(({ activity }) => activity === colorwayVariant.type);
  const ofCells = grids.map(
    ({ node }): SlotRequest =>
      ({ source }) => {
        const swapRules = findSwapRules(source);
        return swapRules ? { node, swapRules, choose: null, isEachNeeded: true } : null;
      },
  );
  const variants = steps.filter(({ activity }) => activity === variant.type);
  const ofModels = variants.map(({ id, node, config }): SlotRequest => {
    const { swapRules = [], choose = null } = variant.config.parse(config);
    const verdicts = reachedSteps.get(id) ?? [];
    const passedOver = new Set(
      assets.filter((_, index) => ['no', 'fails'].includes(verdicts[index] ?? 'no')),
    );
    return (asset) => (passedOver.has(asset) ? null : { node, swapRules, choose });
  });
  return [...ofCells, ...ofModels];
}

export interface AssetRefusal {
  key: string;
  code: string;
  message: string;
}

/** Adds the line of the colorway table to refusals that are caused by a slot. */
export function explainRefusals(
  { refused }: Pick<InspectedPreview, 'refused'>,
  slots: SlotReport | null,
): AssetRefusal[] {
  // Of several findings with the same key and code, the first one explains the refusal.
  const messages = new Map(
    (slots?.findings ?? []).toReversed().map((slot) => [`${slot.code} ${slot.key}`, slot.message]),
  );
  return refused.map(({ key, code, message }) => {
    return { key, code, message: messages.get(`${code} ${key}`) ?? message };
  });
}
