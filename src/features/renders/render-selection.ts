import { z } from 'zod';
import type { RootRole } from '../../engine/node-type.ts';
import {
  createModelLister,
  isReadyOnly,
  ModelSelection,
} from '../models/selection/select-models.ts';
import { RenderSelection, renderLister } from './select-renders.ts';

/** `select` of nodes that start with models or renders. */
export const SelectModelsOrRenders = z
  .strictObject({ models: ModelSelection.optional(), renders: RenderSelection.optional() })
  .refine(({ models, renders }) => (models === undefined) !== (renders === undefined), {
    message: 'must have models or renders, not both',
  })
  .describe('Starts the pipeline from models or finished renders on the platform.');

interface SelectsModelsOrRenders {
  select?: z.output<typeof SelectModelsOrRenders> | undefined;
}

export const modelOrRenderRoot: RootRole<SelectsModelsOrRenders> = {
  from: 'platform',
  by: ['select'],
  providedResources(config) {
    if (config === null) return ['model', 'ready model', 'finished render'];
    const { models, renders } = config.select ?? {};
    if (renders !== undefined) return ['finished render'];
    return isReadyOnly(models) ? ['model', 'ready model'] : ['model'];
  },
  list: ({ select }, context) =>
    select?.renders === undefined
      ? createModelLister(select?.models ?? {}, context)
      : renderLister(select.renders, context),
};
