// Counts the requests of `set_properties` for `renderline plan`.
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import { ExpressionError, expressionScopeOf } from '../../language/expressions.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { Json } from '../../plan/types.ts';
import { minDifferentValues } from './present-values.ts';

/** Maximum number of ids that the platform takes in one request. */
const idsPerRequest = 100;

export function countPropertyRequests({ config, assets, batch, found }: StepWork): Requests {
  const { names = null, values = null } = config;
  const different = new Set(found.map((asset) => JSON.stringify(filled([names, values], asset))));
  const idsPerAsset = sumOf(found.map((asset) => idsOf(config, asset))) / Math.max(1, found.length);
  const inBatch = Math.min(assets, batch);
  const batches = Math.ceil(assets / batch);
  // In the worst case each batch has assets with every value.
  const perBatch = Math.max(
    Math.ceil((inBatch * idsPerAsset) / idsPerRequest),
    Math.min(inBatch, different.size),
  );
  const writes = Math.min(batches * perBatch, Math.ceil(assets * idsPerAsset));
  // Names are listed twice: by the lookup before the run, and by the step. Each batch lists the present values.
  const isRead = Math.min(inBatch, different.size) >= minDifferentValues;
  const lists = (names === null ? 0 : 2) + (isRead ? batches : 0);
  return {
    listProperties: 1,
    searchAssets: lists,
    setAssetProperties: writes,
  };
}

/**
 * Number of platform ids to which the values of an asset are written. Counted as 1 if it is known only during the run.
 */
function idsOf(
  { assetType, names }: StepWork['config'],
  { outputs }: StepWork['found'][number],
): number {
  const isOfOutputs = assetType === 'RENDER' && names === undefined;
  return isOfOutputs && outputs ? Math.max(1, outputs.pictures + outputs.videos) : 1;
}

/** The values of an asset, as far as they can be computed before the run. */
function filled(value: Json, asset: StepWork['found'][number]): Json {
  if (Array.isArray(value)) return value.map((one) => filled(one, asset));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [name, filled(one, asset)]),
    );
  if (typeof value !== 'string') return value;
  const { platformIds = {}, ...known } = asset;
  try {
    return evaluateTemplate(value, expressionScopeOf({ ...known, platformIds }, {}));
  } catch (error) {
    if (error instanceof ExpressionError) return value;
    throw error;
  }
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
