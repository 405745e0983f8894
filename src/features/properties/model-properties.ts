// Reads the properties of models that a condition uses (`model.properties.approved`), in as few requests as possible.
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { PropertyValue } from '../../api/operations/assets.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { callOptions } from '../../engine/submit/call-outcome.ts';
import type { PropertyScalar } from '../../language/expressions.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { NamedDefinition } from './property-definitions.ts';
import { withDefinitions } from './property-definitions-cache.ts';
import { toPropertyScalar } from './property-values.ts';
import { searchAssets } from './search-assets.ts';

type Context = Omit<NameLookUpDeps, 'getConnector'>;
type Value = ResponseOf<typeof PropertyValue>;

/** Values of a model by the names that the condition uses. */
export type ModelProperties = Readonly<Record<string, PropertyScalar>>;

/** Maximum number of models that are read one by one. */
const fewModels = 2;
const pageSize = 100;
/** Maximum age of a list of values that the steps of a run share. Each run reads its own lists. */
const maxAgeMs = 10_000;
/** A list with more pages is read only if reading each model would take more requests. */
const usualPages = 20;

/** @param names names, keys or ids of properties @throws RunCauseError for an unknown or ambiguous property */
export async function readModelProperties(
  names: readonly string[],
  modelIds: readonly string[],
  context: Context,
): Promise<(modelId: string | undefined) => ModelProperties> {
  return withDefinitions('MODEL', context, async (definitions) => {
    const properties = names.map((name) => definitions.property(name));
    const values = await readValues(properties, [...new Set(modelIds)], context);
    return (modelId) => {
      const valuesOfModel = modelId === undefined ? [] : values(modelId);
      const scalars = properties.map((property) => {
        const value = valuesOfModel.find((candidate) => isValueOf(property, candidate));
        return toPropertyScalar(property, value);
      });
      return Object.fromEntries(names.map((name, index) => [name, scalars[index] ?? null]));
    };
  });
}

/** Forgets lists of values after a write. */
export function forgetModelProperties(context: Pick<NameLookUpDeps, 'pollerContext'>): void {
  listsOf(context.pollerContext).clear();
}

type ValuesOf = (modelId: string) => readonly Value[];

/** Reads each model, or lists those with values if there are more than `fewModels` ids and not too many pages. */
async function readValues(
  definitions: readonly NamedDefinition[],
  ids: readonly string[],
  context: Context,
): Promise<ValuesOf> {
  if (ids.length === 0) return () => [];
  if (ids.length > fewModels) {
    const lists: Holders[] = [];
    for (const definition of definitions) lists.push(await listHolders(definition, ids, context));
    if (!lists.includes(null))
      return (modelId) => lists.flatMap((holders) => holders?.get(modelId) ?? []);
  }
  const { client } = context.pollerContext;
  const options = callOptions(context);
  const byId = new Map<string, readonly Value[]>();
  const read = async (id: string) => {
    const params = { assetType: 'MODEL' as const, id };
    const response = await nullIfNotFound(() => client.getAssetProperties({ params }, options));
    byId.set(id, response?.properties ?? []);
  };
  await mapBounded(ids, read, { signal: context.signal });
  return (modelId) => byId.get(modelId) ?? [];
}

/** Values of one property by model. Null if there are too many. */
type Holders = ReadonlyMap<string, Value> | null;

const listsOf = sharePerPoller(
  () => new Map<string, { readAtMs: number; holders: Promise<Holders> }>(),
);

function listHolders(
  definition: NamedDefinition,
  ids: readonly string[],
  context: Context,
): Promise<Holders> {
  const lists = listsOf(context.pollerContext);
  const nowMs = context.pollerContext.monotonicNow();
  for (const [id, { readAtMs }] of lists) if (nowMs - readAtMs > maxAgeMs) lists.delete(id);
  const key = `${context.run.run} ${definition.id}`;
  const cachedList = lists.get(key);
  if (cachedList !== undefined) return cachedList.holders;
  const holders = readHolders(definition, Math.max(ids.length, usualPages), context);
  holders.catch(() => {
    if (lists.get(key)?.holders === holders) lists.delete(key);
  });
  lists.set(key, { readAtMs: nowMs, holders });
  return holders;
}

async function readHolders(
  definition: NamedDefinition,
  maxPages: number,
  { pollerContext: { client }, requests, signal }: Context,
): Promise<Holders> {
  const assets = await searchAssets(
    { assetType: 'MODEL', properties: [{ propertyId: definition.id }] },
    maxPages * pageSize,
    { client, requests, signal },
  );
  if (assets === null) return null;
  return new Map(
    assets.flatMap(({ id, properties = [] }) => {
      const value = properties.find((candidate) => isValueOf(definition, candidate));
      return value === undefined ? [] : [[id, value] as const];
    }),
  );
}

function isValueOf({ id, key }: NamedDefinition, { propertyId, key: other }: Value): boolean {
  return propertyId === id || (propertyId === undefined && other === key);
}
