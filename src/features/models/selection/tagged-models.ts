// Lists models that have a tag. No operation lists them, but a tag can be copied into a property. Therefore a dedicated
// property of the workspace is cleared, filled from the tags and then queried.
import { NotFoundError } from '../../../api/errors/errors.ts';
import { readyStatuses } from '../../../api/operations/models.ts';
import { pages } from '../../../api/pages.ts';
import { type ListDeps, listOptions } from '../../../engine/discovery/list-deps.ts';
import { readWithRetry } from '../../../engine/discovery/read-with-retry.ts';
import { RunCauseError } from '../../../engine/engine-errors.ts';
import { chunks } from '../../../plan/helpers/chunks.ts';
import type { ListedSources } from '../../../store/discovery/listed-source.ts';
import {
  type NamedDefinition,
  PropertyDefinitions,
} from '../../properties/property-definitions.ts';
import { tagFailures } from '../failures.ts';
import { modelLister } from './select-models.ts';

export interface TagScope {
  tagIds: readonly string[];
  /** Name, key or id of the dedicated property. */
  property: string;
}

/** Required prefix of the property's name. It shows that no person maintains the values. */
const propertyPrefix = 'Renderline';
/** Maximum number of ids that the platform takes in one bulk write. */
const idsPerWrite = 100;

/**
 * Lists ready models with at least one of the tags. `plan` must not write, so it reads the property as the last run
 * filled it.
 * @throws RunCauseError if the property or a tag does not exist, the property is not dedicated to this, or, in a run,
 * no ready model has a tag
 */
export async function listTaggedModels(
  scope: TagScope,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const definitions = await PropertyDefinitions.read(
    context.client(),
    'MODEL',
    context.requests,
    signal,
  );
  const property = definitions.property(scope.property);
  assertDedicatedProperty(property);
  if (context.mayWrite) {
    await clearProperty(property, context, signal);
    for (const tagId of scope.tagIds) await copyTag(tagId, property, context, signal);
  }
  const selection = { status: readyStatuses, properties: [{ property: property.id }] };
  const listedSources = await modelLister(selection, context).list(signal);
  if (context.mayWrite && listedSources.sources.length === 0) {
    throw new RunCauseError(
      tagFailures.TAG_WITHOUT_MODELS,
      `no model that is READY or APPROVED carries the tag ${scope.tagIds.join(' or ')} of ${formatScopeLocation(context)}`,
    );
  }
  return listedSources;
}

/** The property's values will be cleared, so its name must say that it belongs to Renderline. */
function assertDedicatedProperty({ name, type }: NamedDefinition): void {
  const isOurs = name.toLowerCase().startsWith(propertyPrefix.toLowerCase());
  if (isOurs && type === 'MULTI_SELECT') return;
  const problem = isOurs ? `is of type ${type}` : `does not begin with "${propertyPrefix}"`;
  throw new RunCauseError(
    tagFailures.TAG_PROPERTY_REFUSED,
    `the property "${name}" ${problem}; its values would be cleared, so the property must be reserved for Renderline`,
  );
}

/** Clears the property on all models. Copying a tag only adds values, so models that lost the tag would remain. */
async function clearProperty(
  { id }: NamedDefinition,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<void> {
  const client = context.client();
  const options = listOptions(context, signal);
  const holders = new Set<string>();
  const list = pages(
    'listModels',
    (input: Parameters<typeof client.listModels>[0]) =>
      readWithRetry(() => client.listModels(input, options), signal),
    { properties: JSON.stringify([{ propertyId: id }]) },
  );
  for await (const { modelId } of list) holders.add(modelId);
  for (const ids of chunks([...holders], idsPerWrite)) {
    const body = { assetType: 'MODEL' as const, ids, unset: [id], mode: 'REPLACE' as const };
    await readWithRetry(() => client.setAssetProperties({ body }, options), signal);
  }
}

async function copyTag(
  tagId: string,
  { id: propertyId, name }: NamedDefinition,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<void> {
  const client = context.client();
  const input = { params: { propertyId }, body: { tagId } };
  try {
    await readWithRetry(
      () => client.convertTagToPropertyOption(input, listOptions(context, signal)),
      signal,
    );
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    const message = `tag ${tagId} of ${formatScopeLocation(context)} could not be copied into the property "${name}": ${error.message}`;
    throw new RunCauseError(tagFailures.TAG_NOT_FOUND, message);
  }
}

function formatScopeLocation({ node }: ListDeps): string {
  return `\`modelScope.tagIds\` of the node ${node}`;
}
