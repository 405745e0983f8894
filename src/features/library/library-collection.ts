// Evaluates the collection of a new item: a name, or a CEL template over the asset.
import { expressionScopeOf } from '../../language/expressions.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { Plan, StepAsset } from '../../plan/types.ts';

export interface ImportingAsset extends StepAsset {
  collection?: string;
}

/**
 * Returns no collection if the text is absent or empty.
 * @throws ExpressionError when an expression fails on this asset.
 */
export function evaluateCollection(
  asset: StepAsset,
  text: string | undefined,
  parameters: Plan['parameters'],
): { collection?: string } {
  const name = text && String(evaluateTemplate(text, expressionScopeOf(asset, parameters))).trim();
  return name ? { collection: name } : {};
}
