// Lists models of the workspace as assets: by id, or by status, name and properties.

import { z } from 'zod';
import type { ResponseOf } from '../../../api/contract/response-marks.ts';
import {
  type ModelListItem,
  type ModelStatus,
  modelStatuses,
  readyStatuses,
} from '../../../api/operations/models.ts';
import { findByIds } from '../../../engine/discovery/find-by-ids.ts';
import {
  filterCreatedSince,
  type ListDeps,
  listOptions,
  listWithRetry,
} from '../../../engine/discovery/list-deps.ts';
import { findLiteralPart, nameMatcher } from '../../../engine/discovery/name-match.ts';
import {
  failRefusedIds,
  objectFailure,
  toCreationTime,
  toUnkeyedObject,
} from '../../../engine/discovery/platform-objects.ts';
import { areIdsUncombined, ids, nameGlob } from '../../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../../engine/node-type.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import type { Failure } from '../../../plan/types.ts';
import type {
  ListedSource,
  ListedSources,
  Lister,
} from '../../../store/discovery/listed-source.ts';
import { createObjectSource } from '../../../store/records/source-version.ts';
import { PropertyCondition, toPropertyFilters } from '../../properties/property-condition.ts';
import { PropertyDefinitions } from '../../properties/property-definitions.ts';
import { modelFailures } from '../failures.ts';

const status = z.enum(modelStatuses);

export const ModelSelection = z
  .strictObject({
    ids: ids.optional(),
    status: z
      .union([status, z.array(status).min(1)])
      .optional()
      .describe('Status that the models must have, or a list of statuses.'),
    name: nameGlob.optional(),
    properties: z
      .array(PropertyCondition)
      .min(1)
      .max(30)
      .optional()
      .describe(
        'All conditions must hold. A property that is listed without a condition must have a value.',
      ),
  })
  .refine(areIdsUncombined, 'must have either ids or other conditions')
  .describe('Models that meet all conditions; without a condition, all models of the workspace.');

export const SelectModels = z
  .strictObject({ models: ModelSelection })
  .describe('Starts the pipeline with models of the platform.');

interface SelectsModels {
  select?: z.output<typeof SelectModels> | undefined;
}

export function isReadyOnly(models: z.output<typeof ModelSelection> | undefined): boolean {
  const statuses: string[] = [models?.status ?? []].flat();
  return statuses.length > 0 && statuses.every((name) => readyStatusNames.includes(name));
}

export const selectedModels: RootRole<SelectsModels> = {
  from: 'platform',
  by: ['select'],
  providedResources: (config) =>
    config === null || isReadyOnly(config.select?.models) ? ['model', 'ready model'] : ['model'],
  list: ({ select }, context) => createModelLister(select?.models ?? {}, context),
};

interface ModelConditions {
  ids?: readonly string[] | undefined;
  status?: ModelStatus | readonly ModelStatus[] | undefined;
  /** Glob of model names. */
  name?: string | undefined;
  properties?: readonly PropertyCondition[] | undefined;
  /** True to refuse models that are not ready. Applies only with `ids`. */
  onlyReady?: boolean;
}

/** A model from the list, or from a read by id, whose response has fewer fields. */
type Model = ResponseOf<typeof ModelListItem>;

export function createModelLister(selection: ModelConditions, context: ListDeps): Lister {
  const ids = context.ids ?? selection.ids;
  const { onlyReady = false } = selection;
  return {
    list: (signal) =>
      ids
        ? listModelsById(ids, onlyReady, context, signal)
        : listMatchingModels(selection, context, signal),
  };
}

async function listModelsById(
  ids: readonly string[],
  onlyReady: boolean,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const client = context.client();
  const options = listOptions(context, signal);
  const lookup = await findByIds<Model>(
    ids,
    {
      idOf: ({ modelId }) => modelId,
      async readPage(query) {
        const { models, total } = await client.listModels({ query }, options);
        return { items: models, total };
      },
      readOne: (modelId) => client.getModel({ params: { modelId } }, options),
    },
    signal,
  );
  const fits = ({ status }: Model) => !onlyReady || readyStatusNames.includes(status);
  const { node } = context;
  const unreadyModels = lookup.items.filter((model) => !fits(model));
  const failures = [
    ...failRefusedIds(lookup, { failure: modelFailures.MODEL_NOT_FOUND, what: 'model', node }),
    ...unreadyModels.map((model) => rejectUnreadyModel(model, node)),
  ];
  return { sources: lookup.items.filter(fits).map(toListedSource), failures };
}

const readyStatusNames: readonly (string | undefined)[] = readyStatuses;

function rejectUnreadyModel({ modelId, name = modelId, status }: Model, node: string): Failure {
  const problem = status === undefined ? 'has no status' : `is ${status}`;
  const message = `model "${name}" ${problem}; only READY and APPROVED models can get colorways`;
  return objectFailure(modelFailures.MODEL_NOT_READY, modelId, node, message);
}

async function listMatchingModels(
  { status, name, properties = [] }: ModelConditions,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const client = context.client();
  const fits = nameMatcher(name);
  const readDefinitions = () => PropertyDefinitions.read(client, 'MODEL', context.requests, signal);
  const filters =
    properties.length > 0 ? toPropertyFilters(properties, await readDefinitions()) : undefined;
  const query = omitUndefined({
    name: name === undefined ? undefined : findLiteralPart(name),
    properties: filters && JSON.stringify(filters),
  });
  const sourceById = new Map<string, ListedSource>();
  for (const passStatus of listStatusPasses(status)) {
    const passQuery = { ...query, ...omitUndefined({ status: passStatus }) };
    const list = listWithRetry('listModels', client.listModels, passQuery, context, signal);
    for await (const model of filterCreatedSince(list, context)) {
      if (fits(model.name ?? '')) sourceById.set(model.modelId, toListedSource(model));
    }
  }
  return { sources: [...sourceById.values()], failures: [] };
}

/**
 * Returns one pass for each status, because the list can filter by only one status. The passes follow the order of the
 * statuses, so that a model whose status advances in between is read twice rather than missed.
 */
function listStatusPasses(status: ModelConditions['status']): (ModelStatus | undefined)[] {
  if (status === undefined) return [undefined];
  const chosenStatuses = new Set([status].flat());
  return modelStatuses.filter((modelStatus) => chosenStatuses.has(modelStatus));
}

function toListedSource({
  modelId,
  name = modelId,
  category = '',
  fileType = '',
  fileSize,
  createdAt,
}: Model): ListedSource {
  return {
    unkeyed: toUnkeyedObject(modelId, name),
    source: createObjectSource(modelId, name, [category, fileType], fileSize ?? null),
    platformIds: {
      modelId,
      ...(category === '' ? {} : { category }),
      ...(fileType === '' ? {} : { fileType }),
    },
    ...toCreationTime(createdAt),
  };
}
