import { parseJson } from '../../api/responses/bounded-json.ts';
import type { FinalizedAsset } from '../../plan/contract/contract.ts';
import type { Intent } from '../calls/intents.ts';
import type { RunAsset } from '../runs/run-assets.ts';

/** Kinds of ids. `object`: the root took the object from the platform, and its kind was not stored. */
export type IdKind =
  | (typeof kindOfField)[keyof typeof kindOfField]
  | 'job'
  | 'render-job'
  | 'render-batch'
  | 'render'
  | 'colorway-batch'
  | 'colorway-job'
  | 'object';

/** `created` by a call, `listed` by the root, `sent` with a call, or `received` for no known reason. */
export type IdOrigin = 'created' | 'listed' | 'sent' | 'received';

/** One occurrence of an id at an asset of a shard. */
export interface Sighting {
  key: string;
  kind: IdKind;
  via: IdOrigin;
  /** Operation of the call. Null if no call has the id. */
  operation: string | null;
}

/** Fields whose values are ids, in all operations. */
const kindOfField = {
  modelId: 'model',
  modelIds: 'model',
  projectId: 'project',
  projectIds: 'project',
  templateId: 'template',
  variants: 'variant',
  variantIds: 'variant',
  variantsToRender: 'variant',
  exportId: 'production-export',
  fileId: 'production-file',
  propId: 'prop',
  decalId: 'decal',
  materialId: 'material',
  collectionId: 'collection',
  tagIds: 'tag',
  propertyId: 'property',
  optionIds: 'option',
  bookmarksToRender: 'bookmark',
  shotsToRender: 'shot',
} as const;

const kinds = new Map<string, IdKind>(Object.entries(kindOfField));

/** Operations that create resources whose ids a later read returns. */
const operationsYielding: { readonly [Kind in IdKind]?: readonly string[] } = {
  render: ['createRenders', 'retryRenderJob'],
  variant: ['createColorwayBatch'],
  'colorway-job': ['createColorwayBatch'],
  'production-file': ['exportProductionFile'],
};

/** True if the text is the wanted id, in any spelling. */
export type IdMatcher = (text: string) => boolean;

/** Finds the occurrences of an id in a creating call, for each asset. */
export function findIntentSightings(intent: Intent, isWanted: IdMatcher): Sighting[] {
  const { operation, assets, params = {}, known = {}, result = {} } = intent;
  const requestedKinds = new Map<string, IdKind>();
  const body = intent.bodyText === '' ? null : parseJson(intent.bodyText);
  for (const { kind, item } of findOccurrences(
    [params, body],
    isWanted,
    operation,
    assets.length,
  )) {
    const keys = item === null ? assets : assets.slice(item, item + 1);
    for (const key of keys) requestedKinds.set(key, kind);
  }
  for (const key of assets) {
    // An id that was known before, and is returned with the response, was not created by the call.
    const [knownOccurrence] = findOccurrences(known[key], isWanted, operation);
    if (knownOccurrence) requestedKinds.set(key, knownOccurrence.kind);
  }
  const sightings: Sighting[] = [...requestedKinds].map(([key, kind]) => ({
    key,
    kind,
    via: 'sent',
    operation,
  }));
  for (const [key, platformIds] of Object.entries(result)) {
    const [createdOccurrence] = requestedKinds.has(key)
      ? []
      : findOccurrences(platformIds, isWanted, operation);
    if (createdOccurrence)
      sightings.push({ key, kind: createdOccurrence.kind, via: 'created', operation });
  }
  return sightings;
}

/** Finds an id in one asset of the run assets or of the results. */
export function findAssetSighting(
  {
    key,
    source,
    platformIds = {},
  }: Pick<RunAsset | FinalizedAsset, 'key' | 'source' | 'platformIds'>,
  isWanted: IdMatcher,
): Sighting | null {
  const [heldOccurrence] = findOccurrences(platformIds, isWanted, null);
  const isListed = source.id !== undefined && isWanted(source.id);
  if (!heldOccurrence && !isListed) return null;
  return {
    key,
    kind: heldOccurrence?.kind ?? 'object',
    via: isListed ? 'listed' : 'received',
    operation: null,
  };
}

/** True for a call that gave an asset a resource of this kind. */
export function hasCreatedKind({ operation, assets }: Intent, kind: IdKind, key: string): boolean {
  return operationsYielding[kind]?.includes(operation) === true && assets.includes(key);
}

interface IdOccurrence {
  kind: IdKind;
  /** Index in a list with one item for each asset of the call. Null outside such a list. */
  item: number | null;
}

interface FieldPosition {
  field: string;
  /** Name of the field that contains the object with the field. */
  parent: string;
  item: number | null;
}

/** Finds all occurrences of the id in a value. A list of length `items` is assumed to have one item per asset. */
function findOccurrences(
  value: unknown,
  isWanted: IdMatcher,
  operation: string | null,
  items = -1,
): IdOccurrence[] {
  const occurrences: IdOccurrence[] = [];
  const walk = (part: unknown, position: FieldPosition): void => {
    if (typeof part === 'string') {
      const kind = isWanted(part) ? kindOf(position, operation) : null;
      if (kind !== null) occurrences.push({ kind, item: position.item });
    } else if (Array.isArray(part)) {
      const isPerAsset = position.item === null && part.length === items && position.field !== '';
      part.forEach((child, index) =>
        walk(child, isPerAsset ? { ...position, item: index } : position),
      );
    } else if (typeof part === 'object' && part !== null) {
      for (const [field, child] of Object.entries(part)) {
        walk(child, { ...position, field, parent: position.field });
      }
    }
  };
  walk(value, { field: '', parent: '', item: null });
  return occurrences;
}

/** Returns the kind of id that a field holds. Null if it holds something else, such as a name that looks like an id. */
function kindOf({ field, parent }: FieldPosition, operation: string | null): IdKind | null {
  const ofColorway = parent === 'colorway' || operation === 'retryColorwayJob';
  switch (field) {
    case 'jobId':
      if (ofColorway) return 'colorway-job';
      return operation === 'confirmJobUploads' ? 'job' : 'render-job';
    case 'failedJobId':
      return 'colorway-job';
    case 'batchId':
      return ofColorway ? 'colorway-batch' : 'render-batch';
    case 'id':
      return parent === 'outputs' ? 'render' : null;
    default:
      return kinds.get(field) ?? null;
  }
}
