// `select` of node types that can start a pipeline with models or with finished renders of the platform.
import { z } from 'zod';
import { ids, nameGlob } from '../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../engine/node-type.ts';
import { ModelSelection, takesOnlyReady } from '../models/selection/model-selection.ts';
import { modelLister } from '../models/selection/select-models.ts';
import { renderLister } from './select-renders.ts';

const RenderSelection = z
  .strictObject({
    jobs: ids.optional().describe('Completed render jobs: one asset each, with all outputs.'),
    ids: ids.optional().describe('Outputs: one asset each.'),
    projectIds: ids.optional().describe('All outputs of these projects.'),
    name: nameGlob.optional(),
    isVideo: z.boolean().optional(),
    favorited: z.boolean().optional(),
  })
  .refine(
    (selection) =>
      (selection.jobs ?? selection.ids) === undefined || Object.keys(selection).length === 1,
    { message: 'takes either jobs, ids or other conditions' },
  )
  .describe(
    'Finished renders that meet all conditions; without a condition all renders of the workspace.',
  );

/** `select` of nodes that take models or renders. */
export const SelectModelsOrRenders = z
  .strictObject({ models: ModelSelection.optional(), renders: RenderSelection.optional() })
  .refine(({ models, renders }) => (models === undefined) !== (renders === undefined), {
    message: 'takes either models or renders',
  })
  .describe('Starts the pipeline with models or finished renders of the platform.');

interface SelectsModelsOrRenders {
  select?: z.output<typeof SelectModelsOrRenders> | undefined;
}

/** The root of node types with `select: SelectModelsOrRenders`. */
export const selectedModelsOrRenders: RootRole<SelectsModelsOrRenders> = {
  from: 'platform',
  by: ['select'],
  brings(config) {
    if (config === null) return ['model', 'ready model', 'finished render'];
    const { models, renders } = config.select ?? {};
    if (renders !== undefined) return ['finished render'];
    return takesOnlyReady(models) ? ['model', 'ready model'] : ['model'];
  },
  list: ({ select }, context) =>
    select?.renders === undefined
      ? modelLister(select?.models ?? {}, context)
      : renderLister(select.renders, context),
};
