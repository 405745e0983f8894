// `select` of node types that can start a pipeline with models of the platform.
import { z } from 'zod';
import { modelStatuses, readyStatuses } from '../../../api/operations/models.ts';
import { ids, isAlone, nameGlob } from '../../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../../engine/node-type.ts';
import { PropertyCondition } from '../../properties/property-condition.ts';
import { modelLister } from './select-models.ts';

const status = z.enum(modelStatuses);

export const ModelSelection = z
  .strictObject({
    ids: ids.optional(),
    status: z
      .union([status, z.array(status).min(1)])
      .optional()
      .describe('One status or several.'),
    name: nameGlob.optional(),
    properties: z
      .array(PropertyCondition)
      .min(1)
      .max(30)
      .optional()
      .describe('All conditions must hold. A property without a condition must have some value.'),
  })
  .refine(isAlone, { message: 'takes either ids or other conditions' })
  .describe('Models that meet all conditions; without a condition all models of the workspace.');

/** `select` of nodes that take models. */
export const SelectModels = z
  .strictObject({ models: ModelSelection })
  .describe('Starts the pipeline with models of the platform.');

const ready: readonly string[] = readyStatuses;

interface SelectsModels {
  select?: z.output<typeof SelectModels> | undefined;
}

/** True if the selection takes only models that are ready. */
export function takesOnlyReady(models: z.output<typeof ModelSelection> | undefined): boolean {
  const wanted = [models?.status ?? []].flat();
  return wanted.length > 0 && wanted.every((one) => ready.includes(one));
}

/** The root of node types with `select: SelectModels`. */
export const selectedModels: RootRole<SelectsModels> = {
  from: 'platform',
  by: ['select'],
  brings: (config) =>
    config === null || takesOnlyReady(config.select?.models) ? ['model', 'ready model'] : ['model'],
  list: ({ select }, context) => modelLister(select?.models ?? {}, context),
};
