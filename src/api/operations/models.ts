// Models: platform.md, section 4.2.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import {
  givenId,
  givenName,
  itemListOf,
  markProse,
  markRequired,
} from '../contract/response-marks.ts';
import { fileType, id, openEnum, pageFields, pageQuery, timestamp } from '../contract/schemas.ts';
import { PropertyValue } from './assets.ts';

export const modelStatuses = [
  'PENDING',
  'UPLOADING',
  'ANALYZING',
  'READY',
  'APPROVED',
  'FAILED',
  'MODEL_REJECTED',
  'MODEL_REQUIRED',
] as const;
export type ModelStatus = (typeof modelStatuses)[number];
export const readyStatuses = ['READY', 'APPROVED'] as const satisfies readonly ModelStatus[];
const status = openEnum(modelStatuses);

export const ModelDetail = z.object({
  modelId: givenId,
  name: givenName,
  status,
  category: z.string(),
  fileType: z.string(),
  glbFilePath: z.string(),
  usdFilePath: z.string(),
});

export const ModelListItem = z.object({
  modelId: givenId,
  name: givenName,
  status,
  category: z.string(),
  fileType: z.string(),
  fileSize: z.int(),
  createdAt: timestamp,
  properties: z.array(PropertyValue).optional().describe('only with the properties query'),
});

export const ModelStatusItem = z.object({
  modelId: givenId,
  name: givenName,
  status: markRequired(status),
  ready: z.boolean().describe('true when status is READY or APPROVED'),
  error: markProse(z.string())
    .optional()
    .describe('only for FAILED models that were imported from a URL'),
});

export const ModelCreationItem = z.object({
  fileType,
  name: z.string().optional(),
  fileName: z
    .string()
    .optional()
    .describe('file name, from which the name is derived if name is omitted'),
  category: z.string().optional(),
  fileSize: z.int().nonnegative().optional().describe('bytes'),
});

export const UploadTarget = z.object({
  modelId: givenId,
  name: markRequired(givenName),
  uploadUrl: z.string(),
  uploadKey: z.string(),
});

export const modelOperations = defineOperations('4.2', {
  listModels: {
    route: 'GET /models',
    summary: 'List models, newest first, without sample models.',
    query: z.object({
      ...pageQuery,
      status: z.string().optional(),
      name: z.string().optional().describe('case-insensitive substring'),
      properties: z
        .string()
        .optional()
        .describe('JSON-encoded array of property filters, as for searchAssets'),
    }),
    response: z.object({ models: markRequired(itemListOf(ModelListItem)), ...pageFields }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED'],
    lists: { kind: 'model', isNewestFirst: true },
    tool: 'list_models',
  },
  createModels: {
    route: 'POST /models',
    summary: 'Create 1-50 model records, each with a signed upload URL.',
    body: z.object({ models: z.array(ModelCreationItem).min(1).max(50) }),
    status: 201,
    response: z.object({
      models: markRequired(itemListOf(UploadTarget)),
      errors: z.array(markProse(z.string())).optional().describe('only on partial success'),
    }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED', 'STORAGE_LIMIT_REACHED'],
    creates: { kind: 'model', idField: 'modelId' },
    retrySafety: 'lookup',
    verifiedBy: ['listModels'],
    batch: { field: 'models', max: 50 },
  },
  confirmModel: {
    route: 'POST /models/{modelId}/confirm',
    summary: 'Confirm the upload of a model; processing starts.',
    body: z.object({ fileType }),
    response: z.object({
      modelId: z.string(),
      name: z.string(),
      status,
      filePath: z.string(),
    }),
    errors: [
      'VALIDATION_ERROR',
      'FILE_NOT_UPLOADED',
      'MODEL_FILE_TOO_LARGE',
      'MODEL_NOT_FOUND',
      'STORAGE_LIMIT_REACHED',
    ],
    retrySafety: 'repeat',
  },
  importModel: {
    route: 'POST /models/import',
    summary: 'Import a model from a public URL.',
    body: z.object({
      url: z.string().min(1).describe('public http(s) download URL'),
      name: z.string().optional(),
      fileType: fileType.optional().describe('required if the URL has no extension'),
    }),
    status: 202,
    response: z.object({
      modelId: z.string(),
      name: z.string(),
      fileType: z.string(),
      status,
    }),
    errors: ['VALIDATION_ERROR', 'PLAN_LIMIT_REACHED', 'STORAGE_LIMIT_REACHED'],
    retrySafety: 'lookup',
  },
  checkModelStatus: {
    route: 'POST /models/status',
    summary: 'Get the status of up to 100 models in one request.',
    body: z.object({ modelIds: z.array(id).min(1).max(100) }),
    response: z.object({
      models: markRequired(itemListOf(ModelStatusItem)),
      allReady: z.boolean().describe('all requested models are ready and none is missing'),
      notFound: itemListOf(z.string(), 'ids that do not exist in the workspace'),
    }),
    errors: ['VALIDATION_ERROR'],
    retrySafety: 'read',
    batch: { field: 'modelIds', max: 100 },
  },
  downloadModel: {
    route: 'GET /models/{modelId}/download',
    summary: 'Redirect to a presigned URL of the file, valid for one hour.',
    query: z.object({ format: z.enum(['glb', 'usdz', 'source']).default('glb') }),
    status: 302,
    response: 'redirect',
    errors: ['VALIDATION_ERROR', 'MODEL_NOT_FOUND', 'NO_FILE'],
  },
  getModel: {
    route: 'GET /models/{modelId}',
    summary: 'Get a model.',
    response: ModelDetail,
    errors: ['MODEL_NOT_FOUND'],
    reads: 'model',
  },
  updateModel: {
    route: 'PATCH /models/{modelId}',
    summary: 'Rename a model.',
    body: z.object({ name: z.string().min(1) }),
    response: ModelDetail,
    errors: ['VALIDATION_ERROR', 'MODEL_NOT_FOUND'],
    retrySafety: 'repeat',
  },
  deleteModel: {
    route: 'DELETE /models/{modelId}',
    summary: 'Delete a model permanently; removes it from projects that use it.',
    response: z.object({ deleted: z.boolean(), modelId: z.string() }),
    errors: ['MODEL_NOT_FOUND'],
    deletes: 'model',
  },
});
