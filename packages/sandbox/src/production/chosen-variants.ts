// Finds the model and variants of a request for production files or views.

import type { Sandbox } from '../context/sandbox.ts';
import { fail } from '../http/failure.ts';
import type { ModelRecord } from '../state/records.ts';
import { findVariant, type Variant, variantsOf } from '../variants/variants.ts';
import { requireApiPlan } from '../workspace/access.ts';

/** Returns the model of a request. @throws ApiFailure NOT_FOUND, PLAN_LIMIT_REACHED */
export function getProductionModel(sandbox: Sandbox, modelId: string): ModelRecord {
  const { store } = sandbox;
  requireApiPlan(sandbox);
  return store.models.get(modelId) ?? fail('NOT_FOUND', `The model ${modelId} does not exist.`);
}

/** Returns the selected variants in the requested order, without duplicates. @throws ApiFailure NOT_FOUND */
export function getChosenVariants(
  sandbox: Sandbox,
  model: ModelRecord,
  ids: readonly string[],
): readonly Variant[] {
  const variants = ids.map(
    (id) =>
      findVariant(sandbox, model, id) ??
      fail('NOT_FOUND', `variantIds: model ${model.id} (${model.name}) has no variant ${id}.`),
  );
  return [...new Map(variants.map((variant) => [variant.id, variant])).values()];
}

/** Like `getChosenVariants`, but a single `*` selects all variants. @throws ApiFailure NOT_FOUND */
export function getVariantsOrAll(
  sandbox: Sandbox,
  model: ModelRecord,
  ids: readonly string[],
): readonly Variant[] {
  if (ids.length === 1 && ids[0] === '*') return variantsOf(sandbox, model);
  return getChosenVariants(sandbox, model, ids);
}
