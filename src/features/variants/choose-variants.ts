// Chooses the variants that `render` renders: the new ones, all, or those selected by names or an expression.
import { isSameName } from '../../api/requests/name-comparison.ts';
import { nameMatcher } from '../../engine/discovery/name-match.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { type FailureReason, fail } from '../../failures/fail.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../language/expressions.ts';
import { findGlobProblem } from '../../language/read-glob.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { VariantChoice } from '../slots/find-slot-problems.ts';
import { variantFailures } from './failures.ts';
import { hasFingerprint } from './variant-fingerprints.ts';
import { formatVariantNames, readVariants, toVariantIds, type Variant } from './variant-list.ts';

/** Maximum number of variant ids stored with an asset. It is also the limit of a production file. */
export const maxChosenLength = 50;
const maxIdsShown = 10;

export async function chooseVariants(
  config: { choose?: VariantChoice | undefined; one?: boolean | undefined },
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { choose = 'new', one: isSingle = false } = config;
  const chooseFor = (asset: StepAsset) => chooseForAsset(asset, choose, isSingle, context);
  return mapBounded(assets, chooseFor, { signal: context.signal });
}

async function chooseForAsset(
  asset: StepAsset,
  choice: VariantChoice,
  isSingle: boolean,
  context: NodeContext,
): Promise<AssetResult> {
  const { key, platformIds } = asset;
  // An earlier run with the same recipe has already chosen the variants.
  if (platformIds.variants !== undefined) return { key, outcome: 'done' };
  const variants = await readVariants(asset, context);
  if (!Array.isArray(variants)) return variants;
  try {
    const chosenVariants = pickVariants(variants, choice, asset, context);
    if (!Array.isArray(chosenVariants)) {
      // The batch is now useless, so the next run creates another one.
      return fail(chosenVariants.failure, key, chosenVariants.message, { forgetIds: ['colorway'] });
    }
    if (isSingle && chosenVariants.length > 1) {
      const message = `${chosenVariants.length} variants of its model are chosen, but exactly one is required: ${formatVariantNames(chosenVariants)}`;
      return fail(variantFailures.VARIANT_NOT_ONE, key, message);
    }
    return { key, outcome: 'done', platformIds: toVariantIds(chosenVariants) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return fail(error.failure, key, error.message);
  }
}

function pickVariants(
  variants: readonly Variant[],
  choice: VariantChoice,
  asset: StepAsset,
  context: NodeContext,
): Variant[] | FailureReason {
  const fingerprints = asset.platformIds.colorway?.before ?? '';
  const isNew = ({ id }: Variant) => !hasFingerprint(fingerprints, id);
  if (choice === 'new') {
    return checkCount(variants.filter(isNew), {
      failure: variantFailures.COLORWAY_NO_VARIANT,
      message: `its colorway job is complete, but the model has no new variant; the model has ${formatVariantNames(variants)}`,
    });
  }
  if (choice === 'all') return checkCount([...variants], explainMissingVariant(variants));
  if ('names' in choice) return chooseByName(variants, choice.names);
  const compiled = compileExpression(choice.where);
  const scope = toExpressionScope(asset, context.run.parameters);
  const hasColorway = asset.platformIds.colorway !== undefined;
  const chosenVariants = variants.filter((candidate) => {
    const variant = { ...candidate, isNew: hasColorway && isNew(candidate) };
    return compiled.ok && compiled.evaluate({ ...scope, variant }) === true;
  });
  return checkCount(chosenVariants, explainMissingVariant(variants));
}

function chooseByName(
  variants: readonly Variant[],
  names: readonly string[],
): Variant[] | FailureReason {
  const chosenVariants = new Set<Variant>();
  for (const name of names) {
    // An exact name may contain glob characters such as brackets, so it is tried before the glob.
    const exactMatches = variants.filter((variant) => isSameName(variant.name, name));
    if (exactMatches.length > 1) {
      const ids = exactMatches.map(({ id }) => id).slice(0, maxIdsShown);
      const message = `${exactMatches.length} variants of its model are named "${name}" (${ids.join(', ')}); choose one by \`where: variant.id == "…"\`, or rename the variants`;
      return { failure: variantFailures.VARIANT_AMBIGUOUS, message };
    }
    for (const variant of exactMatches.length > 0 ? exactMatches : matchGlob(variants, name))
      chosenVariants.add(variant);
  }
  const inOrder = variants.filter((variant) => chosenVariants.has(variant));
  return checkCount(inOrder, explainMissingVariant(variants));
}

function matchGlob(variants: readonly Variant[], glob: string): Variant[] {
  if (findGlobProblem(glob) !== null) return [];
  const fits = nameMatcher(glob);
  return variants.filter(({ name }) => fits(name));
}

function checkCount(chosenVariants: Variant[], refusal: FailureReason): Variant[] | FailureReason {
  if (chosenVariants.length === 0) return refusal;
  if (chosenVariants.length <= maxChosenLength) return chosenVariants;
  const message = `${chosenVariants.length} variants of the model are chosen, but at most ${maxChosenLength} are allowed; narrow \`names\` or \`where\``;
  return { failure: variantFailures.TOO_MANY_VARIANTS, message };
}

function explainMissingVariant(variants: readonly Variant[]): FailureReason {
  return {
    failure: variantFailures.VARIANT_NOT_FOUND,
    message: `no variant of its model is chosen; the model has ${formatVariantNames(variants)}`,
  };
}
