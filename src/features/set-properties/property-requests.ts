// Counts the requests of `set_properties` before the run.
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import {
  compileExpression,
  ExpressionError,
  toExpressionScope,
} from '../../language/expressions.ts';
import { evaluateTemplate, findExpressions } from '../../language/value-template.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import { evaluateValue, isComputedValue, type PropertyOptions } from './desired-properties.ts';
import { minDifferentValues } from './present-values.ts';
import { idsPerRequest, splitIntoRequests } from './write-properties.ts';

const createdVariables = new Set<string | undefined>(['model', 'template', 'project', 'variant']);

/** What is known about an asset's values before the run. */
interface ExpectedWrite {
  /** Equal for assets with equal values. */
  values: string;
  /** The names of the assets that receive the values, or a string for each platform id of the asset. */
  ids: string[];
  /** False if only the run can compute the values or the names. */
  isKnown: boolean;
}

export function countPropertyRequests(stepWork: StepWork): Requests {
  const { config, found, assets, isMax } = stepWork;
  const names = Array.isArray(config['names']) ? config['names'].map(String) : null;
  const allWrites = found.map((asset, index) => toExpectedWrite(config, names, asset, index));
  // The number is limited, because in a grid several cells may be one asset of the step.
  const expectedWrites = Array.from({ length: Math.min(assets, allWrites.length) })
    .map((_, index) => allWrites[Math.floor((index * allWrites.length) / assets)])
    .filter((write) => write !== undefined);
  const { writes, reads } = isMax
    ? countMost(stepWork, expectedWrites)
    : countInOrder(chunks(expectedWrites, stepWork.batch));
  // The step lists names. The lookup before the run lists them too, unless all names are computed.
  const lists = names === null ? 0 : names.every(isComputedValue) ? 1 : 2;
  return { listProperties: 1, searchAssets: lists + reads, setAssetProperties: writes };
}

/** Counts the requests if the assets arrive in their order and in full batches. */
function countInOrder(batches: readonly ExpectedWrite[][]): { writes: number; reads: number } {
  const valuesOf = new Map<string, string>();
  let writes = 0;
  let reads = 0;
  for (const batch of batches) {
    const groups = groupBy(batch, ({ values }) => values);
    if (groups.size >= minDifferentValues) reads += 1;
    for (const [values, group] of groups) {
      for (const part of splitIntoRequests(group)) {
        // A resource shared by several assets is written once, and an asset with different values fails.
        const newIds = new Set(part.flatMap(({ ids }) => ids).filter((id) => !valuesOf.has(id)));
        for (const id of newIds) valuesOf.set(id, values);
        writes += Math.ceil(newIds.size / idsPerRequest);
      }
    }
  }
  return { writes, reads };
}

/** Counts the maximum requests, whatever assets a batch has and however many shards write the same values. */
function countMost(
  { assets, batch }: StepWork,
  expectedWrites: readonly ExpectedWrite[],
): { writes: number; reads: number } {
  const isKnown = expectedWrites.every((write) => write.isKnown);
  const inBatch = Math.min(assets, batch);
  const batches = Math.ceil(assets / batch);
  const valueCount = isKnown ? new Set(expectedWrites.map(({ values }) => values)).size : inBatch;
  const groups = Math.min(inBatch, valueCount);
  const ids = expectedWrites.reduce((most, write) => Math.max(most, write.ids.length), 1);
  const perAsset = Math.ceil(ids / idsPerRequest);
  const fitting = Math.ceil(inBatch / Math.max(1, Math.floor(idsPerRequest / ids))) * perAsset;
  const idCount = new Set(expectedWrites.flatMap((write) => write.ids)).size;
  const isOneRequest = isKnown && idCount <= idsPerRequest;
  const perBatch = isOneRequest ? groups : Math.min(inBatch * perAsset, fitting + groups - 1);
  // The current values are read only if the reads take at most half as many requests as the writes.
  const perRead = groups >= minDifferentValues ? Math.floor(groups / 2) : 0;
  return { writes: batches * perBatch, reads: batches * perRead };
}

/** True if the text depends on what the run creates, such as the id of the model. */
function isReadingResults(text: string): boolean {
  return findExpressions(text).some(({ source }) => {
    const compiled = compileExpression(source);
    return compiled.ok && compiled.reads.some((name) => createdVariables.has(name.split('.')[0]));
  });
}

function toExpectedWrite(
  { assetType, values }: StepWork['config'],
  names: readonly string[] | null,
  asset: StepWork['found'][number],
  index: number,
): ExpectedWrite {
  let isKnown = true;
  const fillText = (text: string) => {
    if (isReadingResults(text)) isKnown = false;
    const { platformIds = {}, ...knownFields } = asset;
    try {
      return evaluateTemplate(text, toExpressionScope({ ...knownFields, platformIds }, {}));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      isKnown = false;
      return text;
    }
  };
  // Until a render is finished, its outputs count as one.
  const { pictures = 1, videos = 0 } = (assetType === 'RENDER' && asset.outputs) || {};
  const count = Math.max(1, pictures + videos);
  const ownIds = Array.from({ length: count }, (_, outputIndex) => `${index} ${outputIndex}`);
  const ids = names === null ? ownIds : names.map((name) => String(fillText(name)).trim());
  // The cast is safe, because the schema of the node type has checked the configuration.
  const filledValues = Object.values(values as PropertyOptions['values']).map((value) =>
    evaluateValue(value, fillText),
  );
  return { values: JSON.stringify(filledValues), ids: [...new Set(ids)], isKnown };
}
