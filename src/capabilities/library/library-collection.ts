// Evaluates the collection of a new item: a name, or a CEL template over the asset.
import { assetScope } from '../../language/expressions.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { Plan, StepAsset } from '../../plan/types.ts';

/** An asset to import, with its collection. */
export interface Going extends StepAsset {
  collection?: string;
}

/** @throws ExpressionError when an expression fails on this asset. */
export function collectionOf(
  asset: StepAsset,
  text: string | undefined,
  parameters: Plan['parameters'],
): { collection?: string } {
  const name = text && String(evaluateTemplate(text, assetScope(asset, parameters))).trim();
  return name ? { collection: name } : {};
}
