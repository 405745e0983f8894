// What a node that begins a pipeline takes from the platform.
import { z } from 'zod';
import { modelStatuses, readyStatuses } from '../../api/operations/models.ts';
import { glob } from '../../language/fields.ts';
import type { RootRole } from '../../machinery/node-type.ts';
import { projectLister } from '../projects/select-projects.ts';
import { renderLister } from '../renders/select-renders.ts';
import { modelLister } from './select-models.ts';

/** A plan travels in every shard's history, so a file lists no more than this. */
export const idsAtMost = 1_000;

/** Platform ids that a file lists. */
export const ids = z
  .array(z.string().min(1))
  .min(1)
  .max(idsAtMost)
  .describe('Ids of the platform.');

const nameGlob = glob.describe(
  'Glob over the name, without regard to case; a star also stands for a slash.',
);

const date = z
  .string()
  .refine((text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), {
    message: 'must be a date such as 2026-01-31',
  })
  .describe('A day, such as 2026-01-31; inclusive.');

/** Conditions that stand alone; `min` with `max` and `after` with `before` are one. */
const conditions = [['options'], ['text'], ['min', 'max'], ['after', 'before'], ['isEmpty']];

const PropertyCondition = z
  .strictObject({
    property: z.string().min(1).describe('Name, key or id of the property.'),
    options: z
      .array(z.string().min(1))
      .min(1)
      .optional()
      .describe('Labels or ids; any of them matches.'),
    text: z.string().min(1).optional().describe('Part of a text, without regard to case.'),
    min: z.number().optional().describe('Inclusive.'),
    max: z.number().optional().describe('Inclusive.'),
    after: date.optional(),
    before: date.optional(),
    isEmpty: z.literal(true).optional().describe('No value is stored.'),
  })
  .refine(
    (filter) => {
      const given = new Set(Object.keys(filter));
      const used = conditions.filter((fields) => fields.some((field) => given.has(field)));
      return used.length <= 1;
    },
    { message: 'takes one condition: options, text, min and max, after and before, or isEmpty' },
  )
  .refine(({ min, max }) => min === undefined || max === undefined || min <= max, {
    message: 'has a min above its max',
  })
  .refine(({ after, before }) => after === undefined || before === undefined || after <= before, {
    message: 'has an after later than its before',
  });

const status = z.enum(modelStatuses);

const ModelSelection = z
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
      .describe('All must hold; a property alone must have some value.'),
  })
  .refine(standsAlone, { message: 'takes either ids or other conditions' })
  .describe('Models that fit; all of the workspace without a condition.');

/** `select` of nodes that take models. */
export const SelectModels = z
  .strictObject({ models: ModelSelection })
  .describe('Begins the pipeline with models of the platform.');

/** Ids say all; what was asked for by name must not be lost by a condition beside it. */
function standsAlone(selection: { ids?: unknown }): boolean {
  return selection.ids === undefined || Object.keys(selection).length === 1;
}

const ready: readonly string[] = readyStatuses;

interface SelectsModels {
  select?: z.output<typeof SelectModels> | undefined;
}

/** Whether every model of a selection is ready when it is taken. */
function takesOnlyReady(models: z.output<typeof ModelSelection> | undefined): boolean {
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

const ProjectSelection = z
  .strictObject({
    ids: ids.optional(),
    status: z.string().min(1).optional().describe("The platform's word, such as COMPLETED."),
    name: nameGlob.optional(),
  })
  .refine(standsAlone, { message: 'takes either ids or other conditions' })
  .describe('Projects that fit; all of the workspace without a condition.');

/** `select` of nodes that take projects. */
export const SelectProjects = z
  .strictObject({ projects: ProjectSelection })
  .describe('Begins the pipeline with projects of the platform.');

interface SelectsProjects {
  select?: z.output<typeof SelectProjects> | undefined;
}

/** The root of node types with `select: SelectProjects`. A project was made of models that are ready. */
export const selectedProjects: RootRole<SelectsProjects> = {
  from: 'platform',
  by: ['select'],
  brings: () => ['ready model', 'project'],
  list: ({ select }, context) => projectLister(select?.projects ?? {}, context),
};

const RenderSelection = z
  .strictObject({
    jobs: ids.optional().describe('Render jobs that have ended: one asset each, with all outputs.'),
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
  .describe('Finished renders that fit; all of the workspace without a condition.');

/** `select` of nodes that take models or renders. */
export const SelectModelsOrRenders = z
  .strictObject({ models: ModelSelection.optional(), renders: RenderSelection.optional() })
  .refine(({ models, renders }) => (models === undefined) !== (renders === undefined), {
    message: 'takes either models or renders',
  })
  .describe('Begins the pipeline with models or finished renders of the platform.');

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
