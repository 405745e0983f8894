// Checks before the upload whether a model's file has the slots that later nodes need. Pure.
import type { Fault } from '../../failures/fail.ts';
import type { Look } from '../../glb/look.ts';
import { decideCondition, type LateVariable } from '../../language/condition-verdict.ts';
import { assetScope, compileExpression } from '../../language/expressions.ts';
import type { Refs } from '../../plan/refs.ts';
import type { Asset, Plan, SlotDemand, Step } from '../../plan/types.ts';
import { variantFailures } from './failures.ts';
import { slotFindings } from './slot-findings.ts';

type Demanding = Pick<Step, 'id' | 'node' | 'parents' | 'when'>;

/**
 * The slots that a step needs, with all `when:` conditions on the path to the step.
 * @param swapRules null to use the rules of each asset's colorway
 */
export function slotDemand(
  step: Demanding,
  swapRules: SlotDemand['swapRules'],
  steps: readonly Demanding[],
): SlotDemand {
  const way = new Set<Demanding>([step]);
  for (const one of way) {
    for (const parent of steps.filter(({ id }) => one.parents.includes(id))) way.add(parent);
  }
  const when = [...way].flatMap((one) => one.when ?? []);
  return { node: step.node, swapRules, when: [...new Set(when)] };
}

/** True if the asset's colorway has neither been started nor found. */
export function isBeforeColorway({ colorway, variants }: Refs): boolean {
  return colorway?.batchId === undefined && variants === undefined;
}

export interface SlotCheck {
  /** Null if the file has the slots, or does not show its slots. */
  fault: Fault | null;
  warnings: string[];
}

/** Skips the check if a condition can only be decided by the run, or if slots have no names; then the platform decides. */
export function checkSlots(
  asset: Asset,
  look: Pick<Look, 'container' | 'materials' | 'variants'>,
  demands: readonly SlotDemand[],
  parameters: Plan['parameters'],
): SlotCheck {
  const { materials } = look;
  const check: SlotCheck = { fault: null, warnings: [] };
  if (look.container === 'other' || materials.length === 0 || materials.includes(null))
    return check;
  for (const { node, swapRules, when } of demands) {
    const rules = swapRules ?? asset.source.colorway?.rules ?? [];
    if (!when.every((condition) => holds(condition, asset, parameters))) continue;
    const wishes = { node, swapRules: rules, choose: null, isEachNeeded: swapRules === null };
    for (const { code, message } of slotFindings(wishes, look)) {
      if (code === 'SLOT_AMBIGUOUS') check.warnings.push(message);
      else check.fault ??= { failure: variantFailures.COLORWAY_NO_SLOT, message };
    }
  }
  return check;
}

const late: readonly LateVariable[] = ['model.id', 'model.category', 'template.id', 'project.id'];

/** True if the condition holds whatever values the run adds later. */
function holds(when: string, asset: Asset, parameters: Plan['parameters']): boolean {
  const condition = compileExpression(when);
  return condition.ok && decideCondition(condition, assetScope(asset, parameters), late) === 'yes';
}
