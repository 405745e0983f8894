// Models, projects and renders that rows start from.
import { expect } from 'vitest';
import type { Platform } from './_platform.ts';
import {
  ModelChecks,
  ModelsCreated,
  ProjectsCreated,
  RenderJob,
  RendersStarted,
} from './_shapes.ts';

/** Render settings for one small, quick still. */
export const smallest = { imageQuality: 0, renderShots: false, renderVariants: false };

export function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('The platform answered with an empty list.');
  return item;
}

export async function createModel(platform: Platform, fileName: string) {
  const body = { models: [{ fileType: 'glb', fileName }] };
  return first((await platform.ok('POST /models', ModelsCreated, body)).models);
}

/** A model that is created, uploaded and confirmed. Its processing has started. */
export async function uploadedModel(platform: Platform, fileName: string, bytes?: Uint8Array) {
  const { modelId, uploadUrl } = await createModel(platform, fileName);
  const put = await platform.put(uploadUrl, bytes ?? platform.target.glb);
  expect(put).toEqual({ status: 200, text: '' });
  const confirmed = await platform.send(`POST /models/${modelId}/confirm`, {
    body: { fileType: 'glb' },
  });
  expect(confirmed.status, confirmed.text).toBe(200);
  return modelId;
}

export async function readyModel(platform: Platform, fileName: string, bytes?: Uint8Array) {
  const modelId = await uploadedModel(platform, fileName, bytes);
  await platform.until(
    () => platform.ok('POST /models/status', ModelChecks, { modelIds: [modelId] }),
    ({ allReady }) => allReady,
  );
  return modelId;
}

export async function createProject(
  platform: Platform,
  modelIds: readonly string[],
  more: object = {},
): Promise<string> {
  const { projects } = await platform.ok('POST /projects', ProjectsCreated, { modelIds, ...more });
  return first(projects).projectId;
}

export async function startRender(
  platform: Platform,
  projectId: string,
  settings: object = smallest,
) {
  const body = { projectIds: [projectId], settings };
  const { batchId, jobs } = await platform.ok('POST /renders', RendersStarted, body);
  return { batchId, jobId: first(jobs).jobId };
}

export async function finishedRender(platform: Platform, jobId: string) {
  return platform.until(
    () => platform.ok(`GET /renders/${jobId}`, RenderJob),
    ({ status }) => ['COMPLETED', 'FAILED', 'CANCELLED'].includes(status),
  );
}
