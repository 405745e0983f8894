// platform.md, section 2 as schemas: pipelines and colorway batches.
import { z } from 'zod';
import { count, dateTime, id, page, RenderStatus, text } from './_shapes.ts';

export const nodeTypes = [
  'connector_poll',
  'model_ready',
  'project_created',
  'render_complete',
  'render',
  'template_match',
  'variant',
  'export',
] as const;
const type = z.enum(nodeTypes);
const status = z.enum(['ACTIVE', 'PAUSED', 'ERROR']);
const ShortNode = z.strictObject({ type, enabled: z.boolean() });

export const PipelineCreated = z.strictObject({
  id,
  name: text,
  status,
  nodes: z.array(ShortNode),
  batchSize: count,
  maxRetries: count,
});
export const PipelineUpdated = z.strictObject({
  id,
  name: text,
  status,
  batchSize: count,
  maxRetries: count,
  consecutiveFailures: count,
});
export const Pipeline = z.strictObject({
  id,
  name: text,
  status,
  nodes: z.array(z.strictObject({ id, type, enabled: z.boolean() })),
  batchSize: count,
  maxRetries: count,
  consecutiveFailures: count,
  createdAt: dateTime,
  updatedAt: dateTime,
  jobStats: z.partialRecord(RenderStatus, count),
});
export const Pipelines = z.strictObject({
  pipelines: z.array(
    z.strictObject({
      id,
      name: text,
      status,
      nodes: z.array(ShortNode),
      consecutiveFailures: count,
      createdAt: dateTime,
    }),
  ),
});
export const PipelineJobs = z.strictObject({
  jobs: z.array(
    z.strictObject({
      id,
      status: RenderStatus,
      sourceFile: z.strictObject({ name: text, path: text, size: count }).nullable(),
      glossiModelId: text.nullable(),
      glossiProjectId: text.nullable(),
      renderOutputs: count,
      retryCount: count,
      lastError: text.nullable(),
      createdAt: dateTime,
      updatedAt: dateTime,
    }),
  ),
  ...page,
});
export const Connectors = z.strictObject({ connectors: z.array(text) });

export const ColorwayCreated = z.strictObject({
  batchId: id,
  totalJobs: count,
  warnings: z.array(z.strictObject({ modelId: id, modelName: text, message: text })),
});
/** Extra fields are allowed in a batch. */
export const ColorwayBatch = z.looseObject({
  id,
  status: z.enum(['in_progress', 'complete', 'partial_failure', 'failed']),
  totalJobs: count,
  completedJobs: count,
  failedJobs: count,
  swapRules: z.array(
    z.strictObject({ matchText: id, matchMode: z.enum(['contains', 'exact']), materialId: id }),
  ),
  modelScope: z.strictObject({
    type: z.enum(['all', 'tag', 'manual']),
    tagIds: z.array(text).optional(),
    modelIds: z.array(text).optional(),
  }),
  jobs: z.array(
    z.strictObject({
      id,
      batchId: id,
      colorwayDefinitionId: text,
      baseModelId: id,
      status: z.enum(['queued', 'swapping', 'complete', 'failed']),
      retryCount: count,
      errorMessage: text.nullable(),
    }),
  ),
});
export const ColorwayRetried = z.strictObject({
  jobId: id,
  batchId: id,
  status: z.enum(['queued', 'swapping', 'complete', 'failed']),
  retryCount: count,
});
