// Computes the property values that an asset receives, and the platform ids of the objects that receive them.
import type { PropertyChange } from '../../api/operations/assets.ts';
import type { AssetType } from '../../api/operations/properties.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { fail } from '../../failures/fail.ts';
import { ExpressionError, toExpressionScope } from '../../language/expressions.ts';
import { computeShortSha256 } from '../../language/hash.ts';
import { evaluateTemplate, findExpressions } from '../../language/value-template.ts';
import type { AssetResult, Plan, StepAsset } from '../../plan/types.ts';
import { modelFailures } from '../models/failures.ts';
import type { NamedDefinition, PropertyDefinitions } from '../properties/property-definitions.ts';
import { type PlainValue, toPropertyChange } from '../properties/property-values.ts';
import { assetKinds } from './asset-kinds.ts';
import { setPropertiesFailures } from './failures.ts';

export interface PropertyOptions {
  /** Type of the platform assets that receive the values. */
  assetType: AssetType;
  /** Names or ids of assets of the type. @default the ids of the pipeline's asset */
  names?: readonly string[] | undefined;
  /** Values by the property's name, key or id. Strings may contain CEL in double braces. Null clears the value. */
  values: Record<string, null | number | string | readonly string[]>;
  mode: 'REPLACE' | 'ADD';
}

/** The values to write for an asset. */
export interface DesiredProperties {
  asset: StepAsset;
  /** Platform ids of the objects that receive the values. */
  ids: readonly string[];
  write: { set: PropertyChange[]; unset: string[] };
  /** Hash of the values and the mode. */
  fingerprint: string;
}

interface Lookups {
  definitions: PropertyDefinitions;
  /** Finds the id of a name. @throws RunCauseError for an unknown or ambiguous name */
  idOf: (nameOrId: string) => string;
  parameters: Plan['parameters'];
}

type ConfiguredValue = readonly [NamedDefinition, PropertyOptions['values'][string]];

/**
 * Returns a function that computes the values to write for an asset, or the asset's result if nothing is written for
 * it.
 * @throws RunCauseError for an unknown or ambiguous property. The function throws it for a wrong value without CEL
 */
export function createPropertyReader(
  { assetType, names, values, mode }: PropertyOptions,
  { definitions, idOf, parameters }: Lookups,
): (asset: StepAsset) => DesiredProperties | AssetResult {
  const configured = Object.entries(values).map(
    ([nameOrId, value]): ConfiguredValue => [definitions.property(nameOrId), value],
  );
  return (asset) => {
    const fill = (text: string) => evaluateTemplate(text, toExpressionScope(asset, parameters));
    const ids =
      names === undefined
        ? ownIds(asset, assetType)
        : catchFailure(asset, names, () => names.map((name) => idOf(String(fill(name)).trim())));
    if (!Array.isArray(ids)) return ids;
    const write: DesiredProperties['write'] = { set: [], unset: [] };
    for (const [definition, value] of configured) {
      const change = catchFailure(asset, value, () =>
        toPropertyChange(definition, evaluateValue(value, fill), definitions),
      );
      if (change !== null && 'outcome' in change) return change;
      if (change) write.set.push(change);
      // ADD keeps existing options, also if a computed value is empty. Only `null` clears them.
      else if (mode !== 'ADD' || definition.type !== 'MULTI_SELECT' || value === null)
        write.unset.push(definition.id);
    }
    if (write.set.length + write.unset.length === 0) return { key: asset.key, outcome: 'done' };
    const fingerprint = computeShortSha256(JSON.parse(JSON.stringify([write, mode])));
    return { asset, ids: [...new Set(ids)], write, fingerprint };
  };
}

function ownIds({ key, platformIds }: StepAsset, assetType: AssetType): string[] | AssetResult {
  const kind = assetKinds[assetType];
  const ids = kind?.idsOf(platformIds) ?? [];
  if (ids.length > 0) return [...ids];
  if (kind?.isOneOfSeveral) return { key, outcome: 'done' };
  const [noun, failure] =
    assetType === 'MODEL'
      ? ['model', modelFailures.NO_MODEL]
      : [assetType, setPropertiesFailures.NOTHING_TO_DESCRIBE];
  return fail(failure, key, `the asset has no ${noun} whose properties could be set`);
}

/** Returns the result of `task`, or the asset's failure. A wrong literal value stops the run. */
function catchFailure<T>(
  { key }: StepAsset,
  value: PropertyOptions['values'][string],
  task: () => T,
): T | ReturnType<typeof fail> {
  try {
    return task();
  } catch (error) {
    const isOfAsset =
      error instanceof ExpressionError ||
      (error instanceof RunCauseError && isComputedValue(value));
    if (!isOfAsset) throw error;
    return fail(error.failure, key, error.message);
  }
}

/** Returns the value with the expressions in its strings evaluated. */
export function evaluateValue(
  value: ConfiguredValue[1],
  fill: (text: string) => ReturnType<typeof evaluateTemplate>,
): PlainValue {
  if (typeof value === 'string') return fill(value);
  if (value === null || typeof value === 'number') return value;
  return value.map((text) => String(fill(text)));
}

/** True if a value contains an expression. */
export function isComputedValue(value: PropertyOptions['values'][string]): boolean {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return texts.some((text) => findExpressions(text).length > 0);
}
