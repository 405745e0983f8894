// Writes property values of models. Models with the same values share requests of up to 100 models.
import type { PropertyChange } from '../../api/operations/assets.ts';
import { fail } from '../../failures/fail.ts';
import { assetScope, ExpressionError } from '../../language/expressions.ts';
import { evaluateTemplate, expressionsIn } from '../../language/value-template.ts';
import type { NameContext } from '../../machinery/discovery/name-context.ts';
import { RunCauseError } from '../../machinery/engine-errors.ts';
import { gatherCauses } from '../../machinery/gather-causes.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { splitCall } from '../../machinery/submit/split-call.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { modelFailures } from '../models/failures.ts';
import type { Definition, PropertyBook } from './property-book.ts';
import { propertyBooks } from './property-books.ts';
import { changeOf, type PlainValue } from './property-values.ts';

export interface PropertyValues {
  /** By the property's name, key or id. Texts may contain CEL in double braces; null clears the value. */
  values: Record<string, null | number | string | readonly string[]>;
  mode: 'REPLACE' | 'ADD';
}

type Written = readonly [Definition, PropertyValues['values'][string]];

interface Write {
  set: PropertyChange[];
  unset: string[];
}

export async function setProperties(
  { values, mode }: PropertyValues,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return withBook(context, (book) => {
    const written = Object.entries(values).map(
      ([called, value]): Written => [book.property(called), value],
    );
    return writeAll(written, book, mode, assets, context);
  });
}

/** @throws RunCauseError that lists all properties that do not exist or are ambiguous */
export async function lookUpProperties(
  { values }: Pick<PropertyValues, 'values'>,
  context: NameContext,
): Promise<void> {
  await withBook(context, async (book) => {
    await gatherCauses(Object.keys(values), (called) => book.property(called));
  });
}

/** Clears the cache after an error that stops the run, because a person may repair the workspace before resuming it. */
async function withBook<T>(
  { lookout, run, requests, signal }: NameContext,
  work: (book: PropertyBook) => T | Promise<T>,
): Promise<T> {
  const book = await propertyBooks(lookout).of(run.run, 'MODEL', requests, signal);
  try {
    return await work(book);
  } catch (error) {
    if (error instanceof RunCauseError) propertyBooks(lookout).forget(run.run, 'MODEL');
    throw error;
  }
}

async function writeAll(
  written: readonly Written[],
  book: PropertyBook,
  mode: PropertyValues['mode'],
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const results: AssetResult[] = [];
  const groups = new Map<string, { write: Write; assets: StepAsset[] }>();
  for (const asset of assets) {
    const write = writeFor(asset, written, book, context);
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
    results.push(...(await splitCall(group, (part) => send(part, write, mode, context), context)));
  }
  return results;
}

/** The values to write for one asset, or the asset's failure. */
function writeFor(
  asset: StepAsset,
  written: readonly Written[],
  book: PropertyBook,
  context: NodeContext,
): Write | AssetResult {
  const { key } = asset;
  if (!asset.refs.modelId) {
    const message = 'the asset has no model whose properties could be set';
    return fail(modelFailures.NO_MODEL, key, message);
  }
  const write: Write = { set: [], unset: [] };
  for (const [definition, value] of written) {
    try {
      const change = changeOf(definition, plainValue(value, asset, context), book);
      if (change) write.set.push(change);
      else write.unset.push(definition.id);
    } catch (error) {
      if (error instanceof ExpressionError) {
        return fail(error.failure, key, error.message);
      }
      // A literal value is wrong for all assets and stops the run; a computed value fails only this asset.
      if (!(error instanceof RunCauseError) || !isMade(value)) throw error;
      return fail(error.failure, key, error.message);
    }
  }
  return write;
}

function plainValue(value: Written[1], asset: StepAsset, { run }: NodeContext): PlainValue {
  const scope = assetScope(asset, run.parameters);
  const filled = (text: string) => evaluateTemplate(text, scope);
  if (typeof value === 'string') return filled(value);
  if (value === null || typeof value === 'number') return value;
  return value.map((text) => String(filled(text)));
}

function isMade(value: Written[1]): boolean {
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [];
  return texts.some((text) => expressionsIn(text).length > 0);
}

/** The request is idempotent, so no intent is recorded. */
async function send(
  assets: readonly StepAsset[],
  { set, unset }: Write,
  mode: PropertyValues['mode'],
  context: NodeContext,
): Promise<AssetResult[]> {
  await context.client.setAssetProperties(
    {
      body: {
        assetType: 'MODEL',
        ids: assets.map(({ refs }) => refs.modelId ?? ''),
        ...(set.length > 0 ? { set } : {}),
        ...(unset.length > 0 ? { unset } : {}),
        mode,
      },
    },
    { priority: 'create', scope: context.requests, signal: context.signal },
  );
  return assets.map(({ key }) => ({ key, outcome: 'done' }));
}
