// Writes property values of models. Models with the same values share requests of up to 100 models.
import type { PropertyChange } from '../../api/operations/assets.ts';
import { collectCauses } from '../../engine/collect-causes.ts';
import type { NameContext } from '../../engine/discovery/name-context.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { fail } from '../../failures/fail.ts';
import { ExpressionError, expressionScopeOf } from '../../language/expressions.ts';
import { evaluateTemplate, expressionsIn } from '../../language/value-template.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelFailures } from '../models/failures.ts';
import type { NamedDefinition, PropertyDefinitions } from '../properties/property-definitions.ts';
import { propertyDefinitionsCache } from '../properties/property-definitions-cache.ts';
import { type PlainValue, toPropertyChange } from '../properties/property-values.ts';

export interface PropertyValues {
  /** By the property's name, key or id. Texts may contain CEL in double braces; null clears the value. */
  values: Record<string, null | number | string | readonly string[]>;
  mode: 'REPLACE' | 'ADD';
}

type ConfiguredValue = readonly [NamedDefinition, PropertyValues['values'][string]];

interface PropertyWrite {
  set: PropertyChange[];
  unset: string[];
}

export async function setProperties(
  { values, mode }: PropertyValues,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return withDefinitions(context, (book) => {
    const configured = Object.entries(values).map(
      ([called, value]): ConfiguredValue => [book.property(called), value],
    );
    return writeAll(configured, book, mode, assets, context);
  });
}

/** @throws RunCauseError that lists all properties that do not exist or are ambiguous */
export async function lookUpProperties(
  { values }: Pick<PropertyValues, 'values'>,
  context: NameContext,
): Promise<void> {
  await withDefinitions(context, async (book) => {
    await collectCauses(Object.keys(values), (called) => book.property(called));
  });
}

/** Clears the cache after an error that stops the run, because a person may repair the workspace before resuming it. */
async function withDefinitions<T>(
  { pollerContext, run, requests, signal }: NameContext,
  work: (book: PropertyDefinitions) => T | Promise<T>,
): Promise<T> {
  const book = await propertyDefinitionsCache(pollerContext).of(run.run, 'MODEL', requests, signal);
  try {
    return await work(book);
  } catch (error) {
    if (error instanceof RunCauseError)
      propertyDefinitionsCache(pollerContext).forget(run.run, 'MODEL');
    throw error;
  }
}

async function writeAll(
  configured: readonly ConfiguredValue[],
  definitions: PropertyDefinitions,
  mode: PropertyValues['mode'],
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const results: AssetResult[] = [];
  const groups = new Map<string, { write: PropertyWrite; assets: StepAsset[] }>();
  for (const asset of assets) {
    const write = valuesFor(asset, configured, definitions, context);
    if ('outcome' in write) {
      results.push(write);
      continue;
    }
    const name = JSON.stringify(write);
    const group = groups.get(name) ?? { write, assets: [] };
    group.assets.push(asset);
    groups.set(name, group);
  }
  for (const { write, assets: group } of groups.values()) {
    results.push(
      ...(await splitCall(group, (part) => writeValues(part, write, mode, context), context)),
    );
  }
  return results;
}

/** The values to write for one asset, or the asset's failure. */
function valuesFor(
  asset: StepAsset,
  configured: readonly ConfiguredValue[],
  definitions: PropertyDefinitions,
  context: NodeContext,
): PropertyWrite | AssetResult {
  const { key } = asset;
  if (!asset.platformIds.modelId) {
    const message = 'the asset has no model whose properties could be set';
    return fail(modelFailures.NO_MODEL, key, message);
  }
  const write: PropertyWrite = { set: [], unset: [] };
  for (const [definition, value] of configured) {
    try {
      const change = toPropertyChange(definition, plainValue(value, asset, context), definitions);
      if (change) write.set.push(change);
      else write.unset.push(definition.id);
    } catch (error) {
      if (error instanceof ExpressionError) {
        return fail(error.failure, key, error.message);
      }
      // A literal value is wrong for all assets and stops the run; a computed value fails only this asset.
      if (!(error instanceof RunCauseError) || !isComputed(value)) throw error;
      return fail(error.failure, key, error.message);
    }
  }
  return write;
}

function plainValue(value: ConfiguredValue[1], asset: StepAsset, { run }: NodeContext): PlainValue {
  const scope = expressionScopeOf(asset, run.parameters);
  const filled = (text: string) => evaluateTemplate(text, scope);
  if (typeof value === 'string') return filled(value);
  if (value === null || typeof value === 'number') return value;
  return value.map((text) => String(filled(text)));
}

function isComputed(value: ConfiguredValue[1]): boolean {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return texts.some((text) => expressionsIn(text).length > 0);
}

/** The request is idempotent, so no intent is recorded. */
async function writeValues(
  assets: readonly StepAsset[],
  { set, unset }: PropertyWrite,
  mode: PropertyValues['mode'],
  context: NodeContext,
): Promise<AssetResult[]> {
  await context.client.setAssetProperties(
    {
      body: {
        assetType: 'MODEL',
        ids: assets.map(({ platformIds }) => platformIds.modelId ?? ''),
        ...(set.length > 0 ? { set } : {}),
        ...(unset.length > 0 ? { unset } : {}),
        mode,
      },
    },
    { priority: 'create', scope: context.requests, signal: context.signal },
  );
  return assets.map(({ key }) => ({ key, outcome: 'done' }));
}
