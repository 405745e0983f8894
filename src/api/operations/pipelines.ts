// The platform's own pipelines (Enterprise): platform.md, section 4.8. The reference shows no paths.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { openEnum, pageFields, pageQuery, pathId, timestamp } from '../contract/schemas.ts';
import { renderJobStatuses } from './renders.ts';

export const pipelineStatuses = ['ACTIVE', 'PAUSED', 'ERROR'] as const;
export const pipelineNodeTypes = [
  'connector_poll',
  'model_ready',
  'project_created',
  'render_complete',
  'render',
  'template_match',
  'variant',
  'export',
] as const;

const status = openEnum(pipelineStatuses);
const type = openEnum(pipelineNodeTypes);
const config = z.record(z.string(), z.unknown()).optional().describe('free object');

const NewNode = z.object({ type: z.enum(pipelineNodeTypes), enabled: z.boolean(), config });
const Node = NewNode.extend({
  id: z.string().min(1).optional(),
  parentIds: z.array(z.string()).optional().describe('ids of the preceding nodes'),
});

const batchSize = z.int().min(1).max(100).optional();
const maxRetries = z.int().min(0).max(10).optional();

const counts = { batchSize: z.int(), maxRetries: z.int() };
const listedNode = z.object({ type: markRequired(type), enabled: markRequired(z.boolean()) });
const PipelineListItem = z.object({
  id: givenId,
  name: markRequired(givenName),
  status,
  nodes: z.array(listedNode),
  consecutiveFailures: z.int(),
  createdAt: timestamp,
});

export const Pipeline = PipelineListItem.extend({
  nodes: markRequired(z.array(listedNode.extend({ id: givenId }))),
  batchSize: markRequired(z.int()),
  maxRetries: markRequired(z.int()),
  updatedAt: timestamp,
  jobStats: z.record(z.string(), z.int()).describe('counts by render job status'),
});

export const PipelineJob = z.object({
  id: givenId,
  status: openEnum(renderJobStatuses),
  sourceFile: z.object({ name: z.string(), path: z.string(), size: z.int() }).nullable(),
  glossiModelId: z.string().nullish(),
  glossiProjectId: z.string().nullish(),
  renderOutputs: z.int(),
  retryCount: z.int(),
  lastError: markProse(z.string()).nullish(),
  createdAt: timestamp,
  updatedAt: timestamp,
});

const params = z.object({ pipelineId: pathId });
const reads = { route: null, retrySafety: 'read' } as const;

export const pipelineOperations = defineOperations('4.8', {
  createPipeline: {
    route: null,
    summary: 'Create a pipeline that turns files of a connected folder into renders.',
    body: z.object({
      name: z.string().min(1),
      nodes: z.array(NewNode).min(1),
      batchSize,
      maxRetries,
    }),
    status: 201,
    response: z.object({
      id: givenId,
      name: z.string(),
      status,
      nodes: z.array(listedNode),
      ...counts,
    }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'lookup',
    hasIdempotencyKey: true,
  },
  listPipelines: {
    ...reads,
    summary: "List the workspace's pipelines.",
    response: z.object({ pipelines: markRequired(itemListOf(PipelineListItem)) }),
    errors: ['PLAN_LIMIT_REACHED'],
  },
  // This operation must come before `getPipeline`, whose path in the sandbox also matches requests to this operation.
  listConnectors: {
    ...reads,
    summary: 'List the names of connected folders.',
    response: z.object({ connectors: markRequired(itemListOf(z.string())) }),
    errors: ['PLAN_LIMIT_REACHED'],
  },
  getPipeline: {
    ...reads,
    summary: 'Get a pipeline with counts of its jobs.',
    params,
    response: Pipeline,
    errors: ['PLAN_LIMIT_REACHED', 'NOT_FOUND'],
  },
  updatePipeline: {
    route: null,
    summary: 'Change the name, status, nodes, batch size or retries of a pipeline.',
    params,
    body: z.object({
      name: z.string().min(1).optional(),
      status: z.enum(pipelineStatuses).optional(),
      nodes: z.array(Node).min(1).optional(),
      batchSize,
      maxRetries,
    }),
    response: z.object({
      id: z.string(),
      name: z.string(),
      status,
      ...counts,
      consecutiveFailures: z.int(),
    }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED', 'NOT_FOUND'],
    retrySafety: 'repeat',
  },
  listPipelineJobs: {
    ...reads,
    summary: 'List the jobs of a pipeline, newest first.',
    params,
    query: z.object(pageQuery),
    response: z.object({ jobs: markRequired(itemListOf(PipelineJob)), ...pageFields }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED', 'NOT_FOUND'],
  },
});
