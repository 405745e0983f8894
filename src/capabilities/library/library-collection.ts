// The collection that an item goes to, as the file says it: a name, or CEL that makes one of the asset.
import { assetScope } from '../../language/expressions.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { Plan, StepAsset } from '../../plan/types.ts';

/** An asset on its way to the library. */
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
