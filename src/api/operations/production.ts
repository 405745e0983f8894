// Production files, their exports and the views that they print: platform.md, section 4.13.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, itemListOf, markProse, markRequired } from '../contract/response-marks.ts';
import { id, openEnum, timestamp } from '../contract/schemas.ts';

export const exportStatuses = ['CAPTURING', 'READY', 'FAILED'] as const;
export type ExportStatus = (typeof exportStatuses)[number];

export const captureModes = ['flat', 'lit'] as const;
export type CaptureMode = (typeof captureModes)[number];
const captureMode = z
  .enum(captureModes)
  .default('flat')
  .describe('flat = true material color; lit = studio lighting');

export const ProductionOptions = z.object({
  captureMode,
  recaptureAll: z.boolean().default(false).describe('export only: recapture every chosen variant'),
  includeSideViews: z
    .boolean()
    .default(true)
    .describe('left and right side views on each top sheet when available'),
  includeDetailPages: z
    .boolean()
    .default(true)
    .describe('one close-up page per logo; if false, only top sheets'),
  factoryNote: z.string().max(500).optional().describe('printed on every top sheet'),
});
export type ProductionOptions = z.output<typeof ProductionOptions>;

const ProductionRequest = z.object({
  variantIds: z
    .array(id)
    .min(1)
    .max(50)
    .describe('variants of the model; GUIDs with or without braces or dashes'),
  options: ProductionOptions.prefault({}),
});

export const ProductionFile = z.object({
  id: givenId,
  modelId: z.string(),
  documentNumber: z.string().describe('counted per workspace'),
  version: z.int(),
  variantIds: z.array(z.string()),
  variantNames: z.array(z.string()),
  createdAt: timestamp,
  createdByUserId: z.string(),
  downloadUrl: z.string().describe('signed PDF link valid one hour, served as an attachment'),
});

export const ProductionFileExport = z.object({
  id: markRequired(z.string().nullable().describe('null when the views were already current')),
  status: markRequired(openEnum(exportStatuses)),
  variantIds: z.array(z.string()),
  capturingVariantIds: z.array(z.string()).describe('variants being captured'),
  productionFile: markRequired(ProductionFile.nullable()),
  reason: markProse(z.string()).nullable(),
  createdAt: timestamp,
});

export const ProductionView = z.object({
  variantId: z.string(),
  capturedAt: timestamp,
  captureMode: openEnum(captureModes),
  stale: z
    .boolean()
    .describe("the variant's logos, slot placement or materials changed after capture"),
});

export const productionOperations = defineOperations('4.13', {
  exportProductionFile: {
    route: 'POST /models/{modelId}/production-files/export',
    summary: 'Capture what is missing or out of date, then build a production file.',
    body: ProductionRequest,
    status: [202, 201, 200],
    response: ProductionFileExport,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'lookup',
    verifiedBy: ['listProductionFileExports', 'listProductionFiles'],
    tool: 'export_production_file',
  },
  getProductionFileExport: {
    route: 'GET /production-file-exports/{exportId}',
    summary: 'Get an export; poll every few seconds while it is capturing.',
    response: ProductionFileExport,
    errors: ['NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'get_production_file_export',
    reads: 'production-export',
  },
  listProductionFileExports: {
    route: 'GET /models/{modelId}/production-file-exports',
    summary: 'List exports that are capturing or failed in the last 24 hours, newest first.',
    response: z.object({ exports: z.array(ProductionFileExport) }),
    errors: ['NOT_FOUND', 'PLAN_LIMIT_REACHED'],
  },
  createProductionFile: {
    route: 'POST /models/{modelId}/production-files',
    summary:
      'Build and store a production file immediately from the existing views; never captures.',
    body: ProductionRequest,
    status: 201,
    response: ProductionFile,
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'lookup',
    tool: 'create_production_file',
  },
  listProductionFiles: {
    route: 'GET /models/{modelId}/production-files',
    summary: "List a model's production files, newest first, with new download links.",
    response: z.object({ productionFiles: markRequired(itemListOf(ProductionFile)) }),
    errors: ['NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'list_production_files',
  },
  previewProductionFile: {
    route: 'POST /models/{modelId}/production-files/preview',
    summary:
      'Preview a draft as HTML, with a list of missing parts; stores nothing and uses no document number.',
    body: ProductionRequest,
    response: z.object({
      html: z
        .string()
        .meta({ contentMediaType: 'text/html' })
        .describe('marked DRAFT; its image links are signed and expire'),
      warnings: z.array(markProse(z.string())).describe('what is missing'),
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'read',
  },
  getProductionViews: {
    route: 'GET /models/{modelId}/production-views',
    summary: 'List when each variant was captured, and whether it has changed since.',
    response: z.object({ productionViews: z.array(ProductionView) }),
    errors: ['NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    tool: 'get_production_views_status',
  },
  requestProductionViews: {
    route: 'POST /models/{modelId}/production-views',
    summary: 'Capture the views of variants; poll their `capturedAt`.',
    body: z.object({
      variantIds: z.array(id).min(1).describe("['*'] = all variants"),
      captureMode,
    }),
    status: [202, 200],
    response: z.object({
      jobId: z.string().nullable(),
      dispatched: z.boolean(),
      reason: markProse(z.string()).nullable().describe('reason why the capture cannot start'),
    }),
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'PLAN_LIMIT_REACHED'],
    retrySafety: 'key',
    tool: 'request_production_views',
  },
});
