// Unified jobs: platform.md, section 4.7.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { batchProject, fileType, openEnum } from '../contract/schemas.ts';
import { RenderSettings } from './renders.ts';

export const jobStatuses = [
  'AWAITING_UPLOADS',
  'PROCESSING',
  'CREATING_PROJECTS',
  'RENDERING',
  'COMPLETE',
  'FAILED',
] as const;
const status = openEnum(jobStatuses);

export const JobUpload = z.object({
  id: givenId,
  fileName: markRequired(givenName),
  uploadUrl: z.string(),
  uploadKey: z.string(),
});

export const JobResult = z.object({
  model: z.object({ id: z.string(), name: z.string() }),
  project: z.object({ id: z.string(), name: z.string() }).optional(),
  renders: z
    .array(z.object({ id: z.string(), imageUrl: z.string(), fileType: z.string() }))
    .optional()
    .describe('present when renders were requested'),
});

export const Job = z.object({
  jobId: z.string(),
  status,
  models: z.array(JobUpload).optional(),
  errors: z
    .array(markProse(z.string()))
    .optional()
    .describe('only if the creation of some models failed'),
  progress: z
    .object({
      modelsUploaded: z.int(),
      modelsReady: z.int(),
      modelsTotal: z.int(),
      projectsCreated: z.int(),
      projectsTotal: z.int(),
      rendersComplete: z.int(),
      rendersTotal: z.int(),
    })
    .optional(),
  batchProject: batchProject.optional(),
  results: z.array(JobResult).optional().describe('present when COMPLETE'),
  error: markProse(z.string()).optional().describe('on FAILED'),
});

export const jobOperations = defineOperations('4.7', {
  createJob: {
    route: 'POST /jobs',
    summary: 'Upload models, create projects and optionally render, as one workflow.',
    body: z.object({
      models: z
        .array(z.object({ fileName: z.string().min(1), fileType, name: z.string().optional() }))
        .min(1)
        .max(50),
      createProjects: z.boolean().optional().describe('default true'),
      templateId: z
        .string()
        .optional()
        .describe(
          'required when renderSettings.renderBookmarks or renderSettings.renderShots is true',
        ),
      renderSettings: RenderSettings.optional().describe('omit to skip rendering'),
      webhookUrl: z.string().optional().describe('per-job webhook; public http(s) URL'),
    }),
    // The reference shows no success status. The sandbox returns 201, and the client accepts any 2xx.
    status: 201,
    response: z.object({
      jobId: givenId,
      status,
      models: markRequired(itemListOf(JobUpload)),
      errors: z.array(markProse(z.string())).optional(),
    }),
    errors: [
      'VALIDATION_ERROR',
      'PLAN_LIMIT_REACHED',
      'STORAGE_LIMIT_REACHED',
      'TEMPLATE_NOT_FOUND',
    ],
    creates: { kind: 'model', idField: 'modelId' },
    retrySafety: 'lookup',
    verifiedBy: ['listModels', 'getJob'],
    batch: { field: 'models', max: 50 },
  },
  confirmJobUploads: {
    route: 'POST /jobs/{jobId}/confirm-uploads',
    summary: 'Confirm the uploads of a job; it starts processing.',
    response: z.object({ jobId: z.string(), status, modelsConfirmed: z.int() }),
    errors: ['JOB_NOT_FOUND', 'INVALID_STATUS', 'FILE_NOT_UPLOADED', 'STORAGE_LIMIT_REACHED'],
    retrySafety: 'lookup',
    verifiedBy: ['getJob'],
  },
  getJob: {
    route: 'GET /jobs/{jobId}',
    summary: 'Get the status of a job; each call advances it when the previous phase has finished.',
    response: Job,
    errors: ['JOB_NOT_FOUND'],
    reads: 'job',
  },
});
