// `modelScope`: the platform models that a pipeline with a `variant` node as its root starts with.
import { z } from 'zod';
import { NotFoundError } from '../../../api/errors/errors.ts';
import { readyStatuses } from '../../../api/operations/models.ts';
import { type ListDeps, listOptions, listWithRetry } from '../../../engine/discovery/list-deps.ts';
import { readWithRetry } from '../../../engine/discovery/read-with-retry.ts';
import { ids } from '../../../engine/discovery/selection-fields.ts';
import { RunCauseError } from '../../../engine/engine-errors.ts';
import type { RootRole } from '../../../engine/node-type.ts';
import { chunks } from '../../../plan/helpers/chunks.ts';
import type { ListedSources, Lister } from '../../../store/discovery/listed-source.ts';
import {
  type NamedDefinition,
  PropertyDefinitions,
} from '../../properties/property-definitions.ts';
import { tagFailures } from '../failures.ts';
import { createModelLister } from './select-models.ts';

/** Required fields by scope type. Other fields are rejected. */
const fieldsByType = { all: [], tag: ['tagIds', 'property'], manual: ['modelIds'] } as const;
const allFields = ['modelIds', 'tagIds', 'property'] as const;

export const ModelScope = z
  .strictObject({
    type: z.enum(['all', 'tag', 'manual']),
    modelIds: ids.optional().describe('`manual`: ids of the models.'),
    tagIds: ids
      .optional()
      .describe('`tag`: ids of tags; the scope contains the models that have any of these tags.'),
    property: z
      .string()
      .min(1)
      .optional()
      .describe(
        '`tag`: a MULTI_SELECT property of models that is used only for these tags and whose name starts with Renderline. Each run clears the values of this property and copies the tags into it.',
      ),
  })
  .superRefine((scope, context) => {
    const needs: readonly string[] = fieldsByType[scope.type];
    const givenFields = allFields.filter((field) => scope[field] !== undefined);
    const missingFields = needs.filter(
      (field) => !givenFields.some((givenField) => givenField === field),
    );
    const other = givenFields.filter((field) => !needs.includes(field));
    const refuse = (message: string) => context.addIssue({ code: 'custom', message });
    if (missingFields.length > 0)
      refuse(`needs ${missingFields.join(' and ')}, because its type is ${scope.type}`);
    if (other.length > 0)
      refuse(`cannot have ${other.join(' and ')}, because its type is ${scope.type}`);
  })
  .describe(
    'Starts the pipeline with the READY and APPROVED models of the platform in this scope.',
  );

/**
 * Lists the models of the scope as assets. Colorway batches then contain the ids of only the new and changed models,
 * because a batch over the scope itself would repeat all swaps in every run.
 */
export function createScopeLister(scope: z.output<typeof ModelScope>, context: ListDeps): Lister {
  const { type, modelIds = [], tagIds = [], property = '' } = scope;
  if (type === 'manual' || context.ids !== null) {
    return createModelLister({ ids: modelIds, onlyReady: true }, context);
  }
  if (type === 'all') return createModelLister({ status: readyStatuses }, context);
  return { list: (signal) => listTaggedModels({ tagIds, property }, context, signal) };
}

interface HasModelScope {
  modelScope?: z.output<typeof ModelScope> | undefined;
}

/** The root of the node type with `modelScope`. */
export const scopedModels: RootRole<HasModelScope> = {
  from: 'platform',
  by: ['modelScope'],
  providedResources: () => ['model', 'ready model'],
  list: ({ modelScope = { type: 'all' } }, context) => createScopeLister(modelScope, context),
};

/** Required prefix of the property's name. The prefix shows that no person maintains the values. */
const propertyPrefix = 'Renderline';
/** Maximum number of ids that the platform accepts in one bulk write. */
const idsPerWrite = 100;

/**
 * Lists ready models with at least one of the tags. No operation lists them, but a tag can be copied into a property.
 * Therefore a dedicated property is cleared, filled from the tags and then queried. `plan` must not write, so it reads
 * the property as the last run filled it.
 * @param scope `property`: name, key or id of the dedicated property
 * @throws RunCauseError if the property or a tag does not exist, if the property is not dedicated to this use, or if,
 * in a run, no ready model has a tag
 */
async function listTaggedModels(
  scope: { tagIds: readonly string[]; property: string },
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
  const listedSources = await createModelLister(selection, context).list(signal);
  if (context.mayWrite && listedSources.sources.length === 0) {
    throw new RunCauseError(
      tagFailures.TAG_WITHOUT_MODELS,
      `no READY or APPROVED model has the tag ${scope.tagIds.join(' or ')} (${formatScopeLocation(context)})`,
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
  const query = { properties: JSON.stringify([{ propertyId: id }]) };
  const list = listWithRetry('listModels', client.listModels, query, context, signal);
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
