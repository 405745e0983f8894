// Colorway batches: platform.md, section 4.8. The reference shows payloads but no paths.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { id, openEnum, pathId } from '../contract/schemas.ts';

export const colorwayBatchStatuses = [
  'in_progress',
  'complete',
  'partial_failure',
  'failed',
] as const;
export type ColorwayBatchStatus = (typeof colorwayBatchStatuses)[number];

export const colorwayJobStatuses = ['queued', 'swapping', 'complete', 'failed'] as const;
export type ColorwayJobStatus = (typeof colorwayJobStatuses)[number];

export const SwapRule = z.object({
  matchText: z.string().min(1).describe('matched against slot names'),
  matchMode: z.enum(['contains', 'exact']),
  materialId: id,
});
export type SwapRule = z.infer<typeof SwapRule>;

const ids = z.array(id);

export const ModelScope = z.discriminatedUnion('type', [
  z.object({ type: z.literal('all') }),
  z.object({ type: z.literal('tag'), tagIds: ids.min(1) }),
  z.object({ type: z.literal('manual'), modelIds: ids.min(1) }),
]);
export type ModelScope = z.infer<typeof ModelScope>;

export const ColorwayJob = z.looseObject({
  id: givenId,
  batchId: z.string(),
  colorwayDefinitionId: z.string(),
  baseModelId: givenId,
  status: markRequired(openEnum(colorwayJobStatuses)),
  retryCount: z.int(),
  errorMessage: markProse(z.string()).nullable(),
});

export const ColorwayBatch = z.looseObject({
  id: z.string(),
  status: openEnum(colorwayBatchStatuses),
  totalJobs: z.int(),
  completedJobs: z.int(),
  failedJobs: z.int(),
  swapRules: z.array(
    z.looseObject({ matchText: z.string(), matchMode: z.string(), materialId: z.string() }),
  ),
  modelScope: z.looseObject({
    type: z.string(),
    tagIds: ids.optional(),
    modelIds: ids.optional(),
  }),
  jobs: markRequired(itemListOf(ColorwayJob)),
});

export const colorwayOperations = defineOperations('4.8', {
  createColorwayBatch: {
    route: null,
    summary:
      'Swap materials on the slots of many models: one job per model that has a matching slot.',
    body: z.object({ swapRules: z.array(SwapRule).min(1), modelScope: ModelScope }),
    // The reference shows no success status. The sandbox returns 201, and the client accepts any 2xx.
    status: 201,
    response: z.object({
      batchId: givenId,
      totalJobs: z.int(),
      warnings: itemListOf(
        z.object({
          modelId: givenId,
          modelName: givenName,
          message: markProse(z.string()),
        }),
      ),
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'MODEL_NOT_FOUND'],
    retrySafety: 'none',
    verifiedBy: ['listModelVariants'],
    hasIdempotencyKey: true,
  },
  getColorwayBatch: {
    route: null,
    summary: 'Get a colorway batch with its jobs.',
    params: z.object({ batchId: pathId }),
    response: ColorwayBatch,
    errors: ['NOT_FOUND'],
    retrySafety: 'read',
    reads: 'colorway-batch',
  },
  retryColorwayJob: {
    route: null,
    summary: 'Retry a failed colorway job.',
    // The reference does not show the path, which may contain only the job's id. `batchId` is therefore optional.
    params: z.object({ batchId: pathId.optional(), jobId: pathId }),
    response: z.object({
      jobId: z.string(),
      batchId: z.string(),
      status: openEnum(colorwayJobStatuses),
      retryCount: z.int(),
    }),
    errors: ['INVALID_STATUS', 'NOT_FOUND', 'JOB_NOT_FOUND', 'MODEL_NOT_FOUND'],
    retrySafety: 'lookup',
    verifiedBy: ['getColorwayBatch'],
    hasIdempotencyKey: true,
  },
});
