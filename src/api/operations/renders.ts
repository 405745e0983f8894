// Renders: platform.md, section 4.4.
import { z } from 'zod';
import { defineOperations } from '../contract/operation.ts';
import { givenId, itemListOf, markProse, markRequired } from '../contract/response-marks.ts';
import { id, openEnum, pageFields, pageQuery, timestamp } from '../contract/schemas.ts';

export const renderJobStatuses = [
  'QUEUED',
  'INGESTING',
  'PROCESSING',
  'RENDER_QUEUED',
  'RENDERING',
  'STYLING',
  'EXPORTING',
  'COMPLETED',
  'FAILED',
  'CANCELLED',
] as const;
export type RenderJobStatus = (typeof renderJobStatuses)[number];
const status = openEnum(renderJobStatuses);

/** Render settings. Fields that are not listed are allowed and passed on. */
export const RenderSettings = z.looseObject({
  renderBookmarks: z
    .boolean()
    .optional()
    .describe('render all camera bookmarks (stills); default true'),
  renderShots: z.boolean().optional().describe('render all video shots; default true'),
  renderVariants: z.boolean().optional().describe('render all model variants; default true'),
  imageQuality: z.literal([0, 1, 2]).optional().describe('0=720p, 1=1080p (default), 2=4K'),
  imageFormat: z
    .enum(['PNG', 'TIFF', 'JPEG'])
    .optional()
    .describe('PNG 8-bit (default), TIFF 16-bit, JPEG 8-bit sRGB'),
  postProcess: z
    .boolean()
    .optional()
    .describe('finishing pass, only for PNG and JPEG; default: the setting of the workspace'),
  videoQuality: z.literal([0, 1]).optional().describe('0=Fast (preview), 1=Best (default)'),
  videoResolution: z.literal([0, 1, 2]).optional().describe('0=720p, 1=1080p (default), 2=4K'),
  imageCustomResolution: z.boolean().optional(),
  imageCustomWidth: z.int().positive().optional().describe('pixels'),
  imageCustomHeight: z.int().positive().optional().describe('pixels'),
  videoCustomResolution: z.boolean().optional(),
  videoCustomWidth: z.int().positive().optional().describe('pixels'),
  videoCustomHeight: z.int().positive().optional().describe('pixels'),
  snapToPadding: z.boolean().optional(),
  snapPaddingPx: z.int().nonnegative().optional().describe('pixels'),
  centerFraming: z.boolean().optional(),
  zeroProductOffset: z.boolean().optional(),
  bookmarksToRender: z.array(z.string()).optional().describe('ids; empty or absent renders all'),
  shotsToRender: z.array(z.string()).optional().describe('ids; empty or absent renders all'),
  variantsToRender: z.array(z.string()).optional().describe('ids; empty or absent renders all'),
  videoRenderMode: z
    .enum(['full-sequence', 'single-clips'])
    .optional()
    .describe('one video of all shots, or one per shot'),
});
export type RenderSettings = z.infer<typeof RenderSettings>;

export const RenderAsset = z.object({
  id: givenId,
  name: markProse(z.string()),
  projectId: givenId,
  fileType: z.string(),
  isVideo: z.boolean(),
  aspectRatio: z.string(),
  resolution: z.string(),
  duration: z.number().optional().describe('seconds, videos only'),
  fileSize: z.int().describe('bytes'),
  favorited: z.boolean(),
  isPreview: z.boolean().describe('watermarked preview that does not count toward usage'),
  createdAt: timestamp,
  url: z.string().describe('URL of the primary asset: the MP4 of a video, otherwise the image'),
  thumbnailUrl: z.string(),
});

export const RenderOutput = z.object({
  id: givenId,
  name: markProse(z.string()),
  filePath: markRequired(z.string().describe('direct unsigned CDN URL')),
  fileType: markRequired(z.string().describe('for example PNG, MP4, PRORES')),
  isVideo: z.boolean(),
});

export const RenderJob = z.object({
  jobId: z.string(),
  status: markRequired(status),
  projectId: z.string(),
  errorMessage: markProse(z.string()).nullish().describe('present on failure'),
  // The list is required, because an unreadable output must not be silently missing from a delivery.
  renders: markRequired(z.array(RenderOutput).optional().describe('populated once COMPLETED')),
});

const startedJob = z.object({
  jobId: givenId,
  status,
  projectId: givenId,
});

const BatchJob = z.object({
  jobId: givenId,
  status: markRequired(status),
  projectId: z.string(),
  errorMessage: markProse(z.string()).nullish(),
});

export const renderOperations = defineOperations('4.4', {
  listRenders: {
    route: 'GET /renders',
    summary: 'List finished outputs, newest first.',
    query: z.object({
      ...pageQuery,
      projectId: z.string().optional(),
      isVideo: z.boolean().optional(),
      favorited: z.boolean().optional(),
    }),
    response: z.object({ renders: markRequired(itemListOf(RenderAsset)), ...pageFields }),
    errors: ['VALIDATION_ERROR'],
  },
  createRenders: {
    route: 'POST /renders',
    summary: 'Start one render job per project; all share a batchId.',
    body: z.object({
      projectIds: z
        .array(id)
        .min(1)
        .describe('1-50; duplicates are removed before the cap is checked')
        .meta({ maxItems: 50 }),
      settings: RenderSettings.optional(),
    }),
    // The reference shows no success status. The sandbox returns 201, and the client accepts any 2xx.
    status: 201,
    response: z.object({
      batchId: givenId,
      jobs: markRequired(itemListOf(startedJob)),
      totalProjects: z.int(),
    }),
    errors: ['VALIDATION_ERROR', 'PROJECT_NOT_FOUND'],
    creates: { kind: 'render-job', idField: 'jobId', in: 'projectIds' },
    retrySafety: 'none',
    verifiedBy: ['getRenderBatch'],
    batch: { field: 'projectIds', max: 50 },
  },
  getRenderJob: {
    route: 'GET /renders/{jobId}',
    summary: 'Get a render job, with its outputs once COMPLETED.',
    response: RenderJob,
    errors: ['RENDER_JOB_NOT_FOUND'],
    reads: 'render-job',
  },
  getRenderBatch: {
    route: 'GET /renders/batch/{batchId}',
    summary: 'List all jobs of one POST /renders.',
    response: z.object({
      batchId: z.string(),
      total: z.int(),
      counts: z.record(z.string(), z.int()),
      jobs: markRequired(itemListOf(BatchJob)),
    }),
    errors: ['NOT_FOUND'],
    reads: 'render-batch',
  },
  cancelRenderJob: {
    route: 'POST /renders/{jobId}/cancel',
    summary: 'Cancel a job that has not been dispatched yet (QUEUED or RENDER_QUEUED).',
    response: z.object({ jobId: z.string(), status }),
    errors: ['INVALID_STATUS', 'RENDER_JOB_NOT_FOUND'],
    retrySafety: 'repeat',
  },
  retryRenderJob: {
    route: 'POST /renders/{jobId}/retry',
    summary: 'Retry a FAILED job; it moves to a new batch.',
    response: z.object({
      jobId: givenId,
      status,
      projectId: z.string(),
      batchId: givenId,
    }),
    errors: ['INVALID_STATUS', 'RENDER_JOB_NOT_FOUND'],
    retrySafety: 'lookup',
    verifiedBy: ['getRenderJob'],
  },
  downloadRender: {
    route: 'GET /renders/{renderId}/download',
    summary: 'Redirect to a signed URL of an output, valid for one hour.',
    status: 302,
    response: 'redirect',
    errors: ['NOT_FOUND'],
    reads: 'render',
  },
});
