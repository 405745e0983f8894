// Checks before the upload whether a model's file has the slots that later nodes need. Pure.
import { z } from 'zod';
import type { FailureReason } from '../../failures/fail.ts';
import type { ModelInspection } from '../../glb/inspect-model.ts';
import { decideBeforeUpload } from '../../language/condition-verdict.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, FileDemand, Json, Plan } from '../../plan/types.ts';
import { slotFailures } from './failures.ts';
import { findSlotProblems } from './find-slot-problems.ts';
import { findSwapRules, SwapRule } from './swap-rule.ts';

/** The swap rules whose slots a node needs. Null for the rules of each asset's colorway, which all need a slot. */
const SlotDemand = z.strictObject({ swapRules: z.array(SwapRule).nullable() });

/** Returns the slots that a node requires of files, as JSON for the plan. */
export function slotDemandOf(swapRules: readonly SwapRule[] | null): Json {
  return { swapRules: swapRules?.map((rule) => omitUndefined(rule)) ?? null };
}

/** True if the asset's colorway has neither been started nor found. */
export function isBeforeColorway({ colorway, variants }: PlatformIds): boolean {
  return colorway?.batchId === undefined && variants === undefined;
}

interface SlotCheck {
  /** Failure of a file without the slots. Null if the file has the slots, or does not show its slots. */
  problem: FailureReason | null;
  warnings: string[];
}

/**
 * Compares the slots of a file with the swap rules of later nodes. Skips nodes whose condition is not certainly true,
 * and files that do not list all of their slots. The platform then decides.
 */
export function checkSlots(
  asset: Asset,
  inspection: Pick<ModelInspection, 'container' | 'materials' | 'variants'>,
  demands: readonly FileDemand[],
  parameters: Plan['parameters'],
): SlotCheck {
  const { materials } = inspection;
  const check: SlotCheck = { problem: null, warnings: [] };
  if (inspection.container === 'other' || materials.length === 0 || materials.includes(null))
    return check;
  for (const { node, needs, when } of demands) {
    const { data } = SlotDemand.safeParse(needs);
    // The demand may come from a node of another feature.
    if (data === undefined) continue;
    const { swapRules } = data;
    const rules = swapRules ?? findSwapRules(asset.source) ?? [];
    if (!when.every((condition) => decideBeforeUpload(condition, asset, parameters) === 'yes'))
      continue;
    const expectation = { node, swapRules: rules, choose: null, isEachNeeded: swapRules === null };
    for (const { code, message } of findSlotProblems(expectation, inspection)) {
      if (code === 'SLOT_AMBIGUOUS') check.warnings.push(message);
      else check.problem ??= { failure: slotFailures.COLORWAY_NO_SLOT, message };
    }
  }
  return check;
}
