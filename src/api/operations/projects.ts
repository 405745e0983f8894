// Projects: platform.md, section 4.3.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import {
  batchProject,
  id,
  openEnum,
  pageFields,
  pageQuery,
  timestamp,
} from '../contract/schemas.ts';

export const Project = z.object({
  projectId: givenId,
  name: givenName,
  modelIds: markRequired(z.array(givenId)),
  // The reference lists a templateId, but a project created without a template has none.
  templateId: z.string().nullish(),
});

export const ProjectListItem = Project.extend({
  status: openEnum(
    ['PENDING', 'IN_PROGRESS', 'COMPLETED'],
    "examples; the platform's reference does not list the allowed values",
  ),
  source: openEnum(
    ['STUDIO', 'QUICK_RENDER', 'API'],
    "examples; the platform's reference does not list the allowed values",
  ),
  createdAt: timestamp,
});

export const projectOperations = defineOperations('4.3', {
  listProjects: {
    route: 'GET /projects',
    summary: 'List projects, newest first.',
    query: z.object({ ...pageQuery, status: z.string().optional() }),
    response: z.object({ projects: markRequired(itemListOf(ProjectListItem)), ...pageFields }),
    errors: ['VALIDATION_ERROR'],
  },
  createProjects: {
    route: 'POST /projects',
    summary: 'Create one project for all models, or one per model (createPerModel).',
    body: z.object({
      modelIds: z.array(id).min(1).max(50).describe('models must be READY or APPROVED'),
      name: z.string().optional().describe('single-project mode only'),
      templateId: z.string().optional(),
      createPerModel: z.boolean().optional(),
    }),
    status: 201,
    response: z.object({
      projects: markRequired(itemListOf(Project)),
      batchProject: batchProject.optional(),
      errors: z
        .array(markProse(z.string()))
        .optional()
        .describe('only on partial success in createPerModel mode'),
    }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED', 'NOT_FOUND'],
    creates: { kind: 'project', idField: 'projectId', parentKind: 'model' },
    retrySafety: 'lookup',
    verifiedBy: ['listProjects'],
    batch: { field: 'modelIds', max: 50 },
  },
  getProject: {
    route: 'GET /projects/{projectId}',
    summary: 'Get a project.',
    response: Project,
    errors: ['PROJECT_NOT_FOUND'],
    reads: 'project',
  },
  deleteProject: {
    route: 'DELETE /projects/{projectId}',
    summary: 'Delete a project with its renders, references and stored assets.',
    response: z.object({ deleted: z.boolean(), projectId: z.string() }),
    errors: ['PROJECT_NOT_FOUND'],
    deletes: 'project',
  },
});
