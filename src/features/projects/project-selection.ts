// `select` of node types that can start a pipeline with projects of the platform.
import { z } from 'zod';
import { ids, isAlone, nameGlob } from '../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../engine/node-type.ts';
import { projectLister } from './select-projects.ts';

const ProjectSelection = z
  .strictObject({
    ids: ids.optional(),
    status: z.string().min(1).optional().describe('Status on the platform, such as COMPLETED.'),
    name: nameGlob.optional(),
  })
  .refine(isAlone, { message: 'takes either ids or other conditions' })
  .describe(
    'Projects that meet all conditions; without a condition all projects of the workspace.',
  );

/** `select` of nodes that take projects. */
export const SelectProjects = z
  .strictObject({ projects: ProjectSelection })
  .describe('Starts the pipeline with projects of the platform.');

interface SelectsProjects {
  select?: z.output<typeof SelectProjects> | undefined;
}

/** The root of node types with `select: SelectProjects`. Models of an existing project are ready. */
export const selectedProjects: RootRole<SelectsProjects> = {
  from: 'platform',
  by: ['select'],
  brings: () => ['ready model', 'project'],
  list: ({ select }, context) => projectLister(select?.projects ?? {}, context),
};
