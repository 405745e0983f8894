// Common flows of sandbox tests: models, projects, renders.
import { expect } from 'vitest';
import { type TestSandbox, triangleGlb } from './_test-sandbox.ts';

export interface Upload {
  modelId: string;
  name: string;
  uploadUrl: string;
  uploadKey: string;
}

export async function createModel(sandbox: TestSandbox, fileName = 'chair.glb'): Promise<Upload> {
  const fileType = fileName.slice(fileName.lastIndexOf('.') + 1);
  const { body, text } = await sandbox.call<{ models: Upload[] }>('POST /models', {
    models: [{ fileType, fileName }],
  });
  const [model] = body.models;
  if (!model) throw new Error(`No model was made: ${text}`);
  return model;
}

/** Creates, uploads and confirms a model. Its processing has then started. */
export async function uploadedModel(
  sandbox: TestSandbox,
  fileName = 'chair.glb',
  bytes: Uint8Array = triangleGlb(),
): Promise<string> {
  const { modelId, uploadUrl } = await createModel(sandbox, fileName);
  expect((await sandbox.put(uploadUrl, bytes)).status).toBe(200);
  const fileType = fileName.slice(fileName.lastIndexOf('.') + 1);
  const confirmed = await sandbox.call(`POST /models/${modelId}/confirm`, { fileType });
  expect(confirmed.status).toBe(200);
  return modelId;
}

/** Like `uploadedModel`, but returns after processing has finished. */
export async function readyModel(
  sandbox: TestSandbox,
  fileName?: string,
  bytes?: Uint8Array,
): Promise<string> {
  const modelId = await uploadedModel(sandbox, fileName, bytes);
  sandbox.advance(6);
  return modelId;
}

export async function createProject(
  sandbox: TestSandbox,
  modelIds: readonly string[],
  more: object = {},
): Promise<string> {
  const { body, text } = await sandbox.call<{ projects: { projectId: string }[] }>(
    'POST /projects',
    { modelIds, ...more },
  );
  const projectId = body.projects?.[0]?.projectId;
  if (projectId === undefined) throw new Error(`No project was made: ${text}`);
  return projectId;
}

export interface Started {
  batchId: string;
  jobs: { jobId: string; status: string; projectId: string }[];
}

export async function startRender(
  sandbox: TestSandbox,
  projectIds: readonly string[],
  settings: object = { imageQuality: 0 },
): Promise<Started & { jobId: string }> {
  const { body } = await sandbox.call<Started>('POST /renders', { projectIds, settings });
  return { ...body, jobId: body.jobs[0]?.jobId ?? '' };
}

export interface JobResponse {
  status: string;
  errorMessage?: string;
  renders: { id: string; name: string; filePath: string; fileType: string; isVideo: boolean }[];
}

export async function readRender(sandbox: TestSandbox, jobId: string): Promise<JobResponse> {
  return (await sandbox.call<JobResponse>(`GET /renders/${jobId}`)).body;
}

/** Waits for a render to end and for its pictures. */
export async function finishRender(sandbox: TestSandbox, jobId: string): Promise<JobResponse> {
  sandbox.advance(9);
  await sandbox.sandbox.idle();
  return readRender(sandbox, jobId);
}

export async function statusOf(sandbox: TestSandbox, modelId: string): Promise<string> {
  const { body } = await sandbox.call<{ status: string }>(`GET /models/${modelId}`);
  return body.status;
}

/** Uploads a file that is not a model and lets its processing fail. Returns the id of the model. */
export async function brokenModel(sandbox: TestSandbox): Promise<string> {
  const modelId = await uploadedModel(sandbox, 'broken.glb', Buffer.from('not a model'));
  sandbox.advance(4);
  await sandbox.sandbox.deliverEvents();
  return modelId;
}
