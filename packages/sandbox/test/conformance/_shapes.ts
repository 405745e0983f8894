// platform.md, sections 2 and 7 as schemas: exactly the documented fields, since others would be invented.
import { z } from 'zod';

export const text = z.string();
export const id = z.string().min(1);
export const count = z.int().nonnegative();
export const dateTime = z.iso.datetime({ offset: true });
export const page = { total: count, limit: count, offset: count };

// 7
export const codes: Readonly<Record<string, number>> = {
  MISSING_API_KEY: 401,
  INVALID_API_KEY: 401,
  WORKSPACE_NOT_FOUND: 401,
  VALIDATION_ERROR: 400,
  INVALID_STATUS: 400,
  FILE_NOT_UPLOADED: 400,
  GEO_RESTRICTED: 403,
  PLAN_LIMIT_REACHED: 403,
  STORAGE_LIMIT_REACHED: 403,
  MODEL_NOT_FOUND: 404,
  PROJECT_NOT_FOUND: 404,
  TEMPLATE_NOT_FOUND: 404,
  JOB_NOT_FOUND: 404,
  RENDER_JOB_NOT_FOUND: 404,
  NOT_FOUND: 404,
  NO_FILE: 404,
  IDEMPOTENCY_CONFLICT: 409,
  MODEL_FILE_TOO_LARGE: 413,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
};

// 2.1
export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({ code: z.string().min(1), message: z.string().min(1) }),
});

// 2.2
export const ModelStatus = z.enum([
  'PENDING',
  'UPLOADING',
  'ANALYZING',
  'READY',
  'APPROVED',
  'FAILED',
  'MODEL_REJECTED',
  'MODEL_REQUIRED',
]);
export const ModelDetail = z.strictObject({
  modelId: id,
  name: text,
  status: ModelStatus,
  category: text,
  fileType: text,
  glbFilePath: text,
  usdFilePath: text,
});
export const ModelItem = z.strictObject({
  modelId: id,
  name: text,
  status: ModelStatus,
  category: text,
  fileType: text,
  fileSize: count,
  createdAt: dateTime,
});
export const ModelPage = z.strictObject({ models: z.array(ModelItem), ...page });
export const ModelsCreated = z.strictObject({
  models: z.array(z.strictObject({ modelId: id, name: text, uploadUrl: z.url(), uploadKey: id })),
  errors: z.array(text).min(1).optional(),
});
export const ModelConfirmed = z.strictObject({
  modelId: id,
  name: text,
  status: ModelStatus,
  filePath: text,
});
export const ModelImported = z.strictObject({
  modelId: id,
  name: text,
  fileType: text,
  status: z.literal('UPLOADING'),
});
export const ModelCheck = z.strictObject({
  modelId: id,
  name: text,
  status: ModelStatus,
  ready: z.boolean(),
  error: z.string().min(1).optional(),
});
export const ModelChecks = z.strictObject({
  models: z.array(ModelCheck),
  allReady: z.boolean(),
  notFound: z.array(text),
});
export const ModelDeleted = z.strictObject({ deleted: z.literal(true), modelId: id });

// 2.3
export const Project = z.strictObject({
  projectId: id,
  name: text,
  modelIds: z.array(id),
  templateId: id.nullish(),
});
export const BatchProject = z.strictObject({ id, title: text });
export const ProjectsCreated = z.strictObject({
  projects: z.array(Project),
  batchProject: BatchProject.optional(),
  errors: z.array(text).min(1).optional(),
});
export const ProjectItem = Project.extend({ status: text, source: text, createdAt: dateTime });
export const ProjectPage = z.strictObject({ projects: z.array(ProjectItem), ...page });
export const ProjectDeleted = z.strictObject({ deleted: z.literal(true), projectId: id });

// 2.4
export const RenderStatus = z.enum([
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
]);
export const RenderFile = z.strictObject({
  id,
  name: text,
  filePath: z.url(),
  fileType: text,
  isVideo: z.boolean(),
});
export const RenderJob = z.strictObject({
  jobId: id,
  status: RenderStatus,
  projectId: id,
  errorMessage: text.nullish(),
  renders: z.array(RenderFile).optional(),
});
export const RendersStarted = z.strictObject({
  batchId: id,
  jobs: z.array(z.strictObject({ jobId: id, status: RenderStatus, projectId: id })),
  totalProjects: count,
});
export const RenderBatch = z.strictObject({
  batchId: id,
  total: count,
  counts: z.partialRecord(RenderStatus, count),
  jobs: z.array(
    z.strictObject({
      jobId: id,
      status: RenderStatus,
      projectId: id,
      errorMessage: text.nullish(),
    }),
  ),
});
export const RenderCancelled = z.strictObject({ jobId: id, status: z.literal('CANCELLED') });
export const RenderRetried = z.strictObject({
  jobId: id,
  status: z.literal('QUEUED'),
  projectId: id,
  batchId: id,
});

// 2.6
export const RenderAsset = z.strictObject({
  id,
  name: text,
  projectId: id,
  fileType: text,
  isVideo: z.boolean(),
  aspectRatio: text,
  resolution: text,
  duration: z.number().positive().optional(),
  fileSize: count,
  favorited: z.boolean(),
  isPreview: z.boolean(),
  createdAt: dateTime,
  url: z.url(),
  thumbnailUrl: z.url(),
});
export const RenderPage = z.strictObject({ renders: z.array(RenderAsset), ...page });

// 2.7
export const Templates = z.strictObject({
  templates: z.array(z.strictObject({ templateId: id, name: text, description: text })),
});

// 2.8
export const eventNames = [
  'render.complete',
  'render.failed',
  'model.processed',
  'model.failed',
  'project.created',
  'job.complete',
  'job.failed',
] as const;
const EventName = z.enum(eventNames);
const webhook = {
  id,
  url: z.url(),
  events: z.array(EventName),
  enabled: z.boolean(),
  description: text.nullish(),
};
export const NoWebhook = z.strictObject({ configured: z.literal(false) });
export const Webhook = z.strictObject({
  configured: z.literal(true),
  ...webhook,
  lastTriggeredAt: dateTime.nullish(),
  failureCount: count,
});
export const WebhookSaved = z.strictObject({ ...webhook, secret: id });
export const WebhookSecret = z.strictObject({ secret: id });
export const WebhookEvents = z.strictObject({
  events: z.array(z.strictObject({ name: EventName, description: z.string().min(1) })),
});

// 2.9
export const JobStatus = z.enum([
  'AWAITING_UPLOADS',
  'PROCESSING',
  'CREATING_PROJECTS',
  'RENDERING',
  'COMPLETE',
  'FAILED',
]);
const JobModel = z.strictObject({ id, fileName: text, uploadUrl: z.url(), uploadKey: id });
export const JobCreated = z.strictObject({
  jobId: id,
  status: z.literal('AWAITING_UPLOADS'),
  models: z.array(JobModel),
  errors: z.array(text).min(1).optional(),
});
export const JobConfirmed = z.strictObject({
  jobId: id,
  status: z.literal('PROCESSING'),
  modelsConfirmed: count,
});
const Named = z.strictObject({ id, name: text });
export const JobResult = z.strictObject({
  model: Named,
  project: Named.optional(),
  renders: z.array(z.strictObject({ id, imageUrl: z.url(), fileType: text })).optional(),
});
export const Job = z.strictObject({
  jobId: id,
  status: JobStatus,
  models: z.array(JobModel),
  errors: z.array(text).min(1).optional(),
  progress: z.strictObject({
    modelsUploaded: count,
    modelsReady: count,
    modelsTotal: count,
    projectsCreated: count,
    projectsTotal: count,
    rendersComplete: count,
    rendersTotal: count,
  }),
  batchProject: BatchProject.optional(),
  results: z.array(JobResult).optional(),
  error: text.optional(),
});

// 2.12 and 4.1
export const Me = z.strictObject({
  workspace: Named,
  apiKey: z.strictObject({ name: text.nullable(), expiresAt: dateTime.nullable() }),
});
const used = z.strictObject({ used: count, limit: count.nullable() });
export const Usage = z.strictObject({
  tier: z.enum(['free', 'creator', 'production', 'enterprise']),
  projects: used,
  models: used,
  renders: z.strictObject({ limitPerMonth: count.nullable(), limitPerYear: count.nullable() }),
});
