// Splits off the assets whose `when` is false or cannot be evaluated.
import type { NodeContext } from '../../src/engine/node-context.ts';
import { fail } from '../../src/failures/fail.ts';
import {
  type ModelProperties,
  readModelProperties,
} from '../../src/features/properties/model-properties.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../src/language/expressions.ts';
import type { AssetResult, Step, StepAsset } from '../../src/plan/types.ts';

interface SplitAssets {
  prunedResults: AssetResult[];
  included: StepAsset[];
}

/** Evaluates `when` for each asset. First reads the model properties that occur in the condition. */
export async function splitOffByCondition(
  assets: StepAsset[],
  { when, node }: Pick<Step, 'when' | 'node'>,
  context: NodeContext,
): Promise<SplitAssets> {
  if (when === null) return { prunedResults: [], included: assets };
  const compiled = compileExpression(when);
  if (!compiled.ok)
    throw new TypeError(`the \`when\` of ${node} is not a valid expression: ${when}`);
  const propertiesOf =
    compiled.properties.length === 0
      ? () => ({})
      : await readModelProperties(
          compiled.properties,
          assets.flatMap(({ platformIds: { modelId } }) => modelId ?? []),
          context,
        );
  const prunedResults: AssetResult[] = [];
  const included = assets.filter((asset) => {
    const { key } = asset;
    const properties = propertiesOf(asset.platformIds.modelId);
    try {
      const scope = toExpressionScope(asset, context.run.parameters, properties);
      if (compiled.evaluate(scope) === true) return true;
      prunedResults.push({ key, outcome: 'pruned' });
    } catch (error) {
      // Only an ExpressionError is handled, because an expression that fails for one asset must not fail the others.
      if (!(error instanceof ExpressionError)) throw error;
      prunedResults.push(
        fail(error.failure, key, `${error.message}${suggestProperties(properties)}`),
      );
    }
    return false;
  });
  return { prunedResults, included };
}

/** Suggests how to write a condition on a property that a model lacks. Empty if the model has all properties. */
function suggestProperties(properties: ModelProperties): string {
  const [missingProperty] = Object.entries(properties).find(([, value]) => value === null) ?? [];
  if (missingProperty === undefined) return '';
  return `; its model has no value of the property "${missingProperty}": test \`model.properties["${missingProperty}"] != null\` first`;
}
