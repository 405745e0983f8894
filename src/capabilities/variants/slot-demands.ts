// Compares the slots that later nodes ask of a model with its own file, before the file goes up. Pure.
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
 * The demand of a step, under all conditions on the way to it.
 * @param swapRules null: the rules of the colorway of each asset
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

/** True for an asset whose colorway is neither begun nor there. */
export function isBeforeColorway({ colorway, variants }: Refs): boolean {
  return colorway?.batchId === undefined && variants === undefined;
}

export interface SlotCheck {
  /** Null where the asset has its slots, or where its file does not tell. */
  fault: Fault | null;
  warnings: string[];
}

/** Conditions that only the run decides, and models whose slots have no names, leave an asset to the platform. */
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

/** True where a condition holds whatever the run learns. */
function holds(when: string, asset: Asset, parameters: Plan['parameters']): boolean {
  const condition = compileExpression(when);
  return condition.ok && decideCondition(condition, assetScope(asset, parameters), late) === 'yes';
}
