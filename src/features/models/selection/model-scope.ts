// `modelScope`: the models of the platform with which a `variant` node starts a pipeline.
import { z } from 'zod';
import { readyStatuses } from '../../../api/operations/models.ts';
import type { ListDeps } from '../../../engine/discovery/list-deps.ts';
import { ids } from '../../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../../engine/node-type.ts';
import type { Lister } from '../../../store/discovery/listed-source.ts';
import { modelLister } from './select-models.ts';
import { listTaggedModels } from './tagged-models.ts';

/** Required fields by scope type; other fields are rejected. */
const fieldsByType = { all: [], tag: ['tagIds', 'property'], manual: ['modelIds'] } as const;
const allFields = ['modelIds', 'tagIds', 'property'] as const;

export const ModelScope = z
  .strictObject({
    type: z.enum(['all', 'tag', 'manual']),
    modelIds: ids.optional().describe('`manual`: these models.'),
    tagIds: ids.optional().describe('`tag`: models that carry any of these tags.'),
    property: z
      .string()
      .min(1)
      .optional()
      .describe(
        '`tag`: a MULTI_SELECT property of models that is used only for these tags and whose name starts with Renderline. Each run clears its values and copies the tags into it.',
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
      refuse(`needs ${missingFields.join(' and ')} with type ${scope.type}`);
    if (other.length > 0) refuse(`takes no ${other.join(' and ')} with type ${scope.type}`);
  })
  .describe(
    'Starts the pipeline with the READY and APPROVED models of the platform in this scope.',
  );

/**
 * Lists the models of the scope as assets. Colorway batches then name only new and changed models by id, because a
 * batch over the scope itself would repeat all swaps in every run.
 */
export function modelScopeLister(scope: z.output<typeof ModelScope>, context: ListDeps): Lister {
  const { type, modelIds = [], tagIds = [], property = '' } = scope;
  if (type === 'manual' || context.ids !== null) {
    return modelLister({ ids: modelIds, onlyReady: true }, context);
  }
  if (type === 'all') return modelLister({ status: readyStatuses }, context);
  return { list: (signal) => listTaggedModels({ tagIds, property }, context, signal) };
}

interface HasModelScope {
  modelScope?: z.output<typeof ModelScope> | undefined;
}

/** The root of the node type with `modelScope`. */
export const scopedModels: RootRole<HasModelScope> = {
  from: 'platform',
  by: ['modelScope'],
  brings: () => ['model', 'ready model'],
  list: ({ modelScope = { type: 'all' } }, context) => modelScopeLister(modelScope, context),
};
