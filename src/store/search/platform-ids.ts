// Where ids of the platform stand in what a run keeps: in calls that it sent, in results, in manifests. Pure.
import { parseJson } from '../../api/bounded-json.ts';
import type { SettledAsset } from '../../plan/contract.ts';
import type { Intent } from '../calls/intents.ts';
import type { ManifestAsset } from '../runs/manifest.ts';

/** Kinds of ids. `object` where only its name tells: the root took it, and kept no more of it. */
export type IdKind =
  | (typeof kindOfField)[keyof typeof kindOfField]
  | 'job'
  | 'render-job'
  | 'render-batch'
  | 'render'
  | 'colorway-batch'
  | 'colorway-job'
  | 'object';

/**
 * How a run came by an id: a call of it made the thing, its root took it, a call was sent about it, or its
 * asset only has it.
 */
export type Came = 'made' | 'taken' | 'sent' | 'kept';

/** One id at one asset of a shard. */
export interface Sighting {
  key: string;
  kind: IdKind;
  came: Came;
  /** Operation of the call; null where no call tells. */
  operation: string | null;
}

/** Fields whose texts, or lists of texts, are ids, by whichever operation. */
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

/** Calls whose work yields things that only a later look tells the id of. */
const yieldedBy: { readonly [Kind in IdKind]?: readonly string[] } = {
  render: ['createRenders', 'retryRenderJob'],
  variant: ['createColorwayBatch'],
  'colorway-job': ['createColorwayBatch'],
  'production-file': ['exportProductionFile'],
};

/** Is this the id that is looked for? */
export type IsWanted = (text: string) => boolean;

/** Sightings of an id in a creating call, asset by asset. */
export function seenInIntent(intent: Intent, wanted: IsWanted): Sighting[] {
  const { operation, assets, params = {}, known = {}, answer = {} } = intent;
  const asked = new Map<string, IdKind>();
  const body = intent.bodyText === '' ? null : parseJson(intent.bodyText);
  for (const { kind, item } of kindsIn([params, body], wanted, operation, assets.length)) {
    const keys = item === null ? assets : assets.slice(item, item + 1);
    for (const key of keys) asked.set(key, kind);
  }
  for (const key of assets) {
    // A thing that was known before, and is handed back with the answer, was not made by the call.
    const [before] = kindsIn(known[key], wanted, operation);
    if (before) asked.set(key, before.kind);
  }
  const sightings: Sighting[] = [...asked].map(([key, kind]) => ({
    key,
    kind,
    came: 'sent',
    operation,
  }));
  for (const [key, refs] of Object.entries(answer)) {
    const [made] = asked.has(key) ? [] : kindsIn(refs, wanted, operation);
    if (made) sightings.push({ key, kind: made.kind, came: 'made', operation });
  }
  return sightings;
}

/** The sighting of an id at an asset of a manifest or of the results. */
export function seenAtAsset(
  { key, source, refs = {} }: Pick<ManifestAsset | SettledAsset, 'key' | 'source' | 'refs'>,
  wanted: IsWanted,
): Sighting | null {
  const [held] = kindsIn(refs, wanted, null);
  const taken = source.id !== undefined && wanted(source.id);
  if (!held && !taken) return null;
  return { key, kind: held?.kind ?? 'object', came: taken ? 'taken' : 'kept', operation: null };
}

/** True for a call that gave an asset a thing of this kind. */
export function yields({ operation, assets }: Intent, kind: IdKind, key: string): boolean {
  return yieldedBy[kind]?.includes(operation) === true && assets.includes(key);
}

interface Standing {
  kind: IdKind;
  /** Index in the list that has an item for each asset of the call; null outside of such a list. */
  item: number | null;
}

interface FieldPlace {
  field: string;
  /** Field that the object with the field stands under. */
  parent: string;
  item: number | null;
}

/** Every place where the id stands in a value. `items` is the length of the lists whose items are assets. */
function kindsIn(
  value: unknown,
  wanted: IsWanted,
  operation: string | null,
  items = -1,
): Standing[] {
  const found: Standing[] = [];
  const walk = (part: unknown, place: FieldPlace): void => {
    if (typeof part === 'string') {
      const kind = wanted(part) ? kindOf(place, operation) : null;
      if (kind !== null) found.push({ kind, item: place.item });
    } else if (Array.isArray(part)) {
      const each = place.item === null && part.length === items && place.field !== '';
      part.forEach((one, index) => walk(one, each ? { ...place, item: index } : place));
    } else if (typeof part === 'object' && part !== null) {
      for (const [field, one] of Object.entries(part)) {
        walk(one, { ...place, field, parent: place.field });
      }
    }
  };
  walk(value, { field: '', parent: '', item: null });
  return found;
}

/** null for a text that is no id, such as a name that reads like one. */
function kindOf({ field, parent }: FieldPlace, operation: string | null): IdKind | null {
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
