// What a competent developer writes without an engine: a loop with bounded concurrency, polling, and retries that
// honour Retry-After. All progress is lost when the process ends.
import { createWriteStream } from 'node:fs';
import { readdir, readFile, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as delay } from 'node:timers/promises';
import pLimit from 'p-limit';
import { z } from 'zod';
import { renderSettings } from '../settings.ts';

const Templates = z.object({
  templates: z.array(z.object({ templateId: z.string(), name: z.string() })),
});
const CreatedModels = z.object({
  models: z.array(z.object({ modelId: z.string(), uploadUrl: z.string() })).min(1),
});
const ModelStatus = z.object({
  models: z.array(z.object({ status: z.string(), ready: z.boolean() })).min(1),
});
const CreatedProjects = z.object({
  projects: z.array(z.object({ projectId: z.string() })).min(1),
});
const CreatedRenders = z.object({ jobs: z.array(z.object({ jobId: z.string() })).min(1) });
const RenderJob = z.object({
  status: z.string(),
  errorMessage: z.string().nullish(),
  renders: z.array(z.object({ filePath: z.string() })).optional(),
});

/** Number of assets processed concurrently. They spend most of their time waiting. */
const maxConcurrentAssets = 1_000;
const attempts = 8;
const pollEveryMs = 5_000;

export interface Platform {
  baseUrl: string;
  apiKey: string;
}

/** Creates a picture of every model in a folder. @returns the number of failures */
export async function renderFolder(
  platform: Platform,
  folder: string,
  out: string,
  template: string,
): Promise<number> {
  const { templates } = await request(platform, Templates, 'GET', '/templates');
  const templateId = templates.find(({ name }) => name === template)?.templateId;
  if (templateId === undefined) throw new Error(`there is no template "${template}"`);
  const limit = pLimit(maxConcurrentAssets);
  const files = (await readdir(folder)).filter((file) => file.endsWith('.glb'));
  const ends = await Promise.allSettled(
    files.map((file) => limit(() => renderAsset(platform, join(folder, file), out, templateId))),
  );
  const failures = ends.filter((end) => end.status === 'rejected');
  for (const { reason } of failures.slice(0, 5)) console.error(reason);
  return failures.length;
}

async function renderAsset(
  platform: Platform,
  file: string,
  out: string,
  templateId: string,
): Promise<void> {
  const name = basename(file, '.glb');
  const post = <T extends z.ZodType>(schema: T, path: string, body: unknown) =>
    request(platform, schema, 'POST', path, body);
  const createdModels = await post(CreatedModels, '/models', {
    models: [{ name, fileType: 'glb' }],
  });
  const [{ modelId, uploadUrl }] = first(createdModels.models);
  const bytes = await readFile(file);
  await send(() => fetch(uploadUrl, { method: 'PUT', body: bytes }));
  await post(z.unknown(), `/models/${modelId}/confirm`, { fileType: 'glb' });
  for (;;) {
    await delay(pollEveryMs);
    const { models } = await post(ModelStatus, '/models/status', { modelIds: [modelId] });
    const [{ status, ready }] = first(models);
    if (ready) break;
    if (status === 'FAILED') throw new Error(`model ${modelId} of ${name} failed`);
  }
  const { projects } = await post(CreatedProjects, '/projects', {
    modelIds: [modelId],
    templateId,
  });
  const [{ projectId }] = first(projects);
  const { jobs } = await post(CreatedRenders, '/renders', {
    projectIds: [projectId],
    settings: renderSettings,
  });
  const [{ jobId }] = first(jobs);
  for (;;) {
    await delay(pollEveryMs);
    const job = await request(platform, RenderJob, 'GET', `/renders/${jobId}`);
    if (job.status === 'FAILED' || job.status === 'CANCELLED') {
      throw new Error(job.errorMessage ?? `render ${jobId} of ${name} is ${job.status}`);
    }
    const picture = job.renders?.[0]?.filePath;
    if (job.status === 'COMPLETED' && picture !== undefined) {
      return download(picture, join(out, `${name}.png`));
    }
  }
}

async function download(url: string, output: string): Promise<void> {
  const response = await send(() => fetch(url));
  if (!response.body) throw new Error(`${url} is empty`);
  await pipeline(response.body, createWriteStream(`${output}.part`));
  await rename(`${output}.part`, output);
}

async function request<T extends z.ZodType>(
  { baseUrl, apiKey }: Platform,
  schema: T,
  method: 'GET' | 'POST',
  path: string,
  body?: unknown,
): Promise<z.output<T>> {
  const headers = {
    'X-API-Key': apiKey,
    // All attempts use one key, so that a retry after a lost response does not create a duplicate.
    ...(method === 'POST'
      ? { 'Content-Type': 'application/json', 'Idempotency-Key': crypto.randomUUID() }
      : {}),
  };
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
  const response = await send(() =>
    fetch(`${baseUrl}${path}`, { ...init, signal: AbortSignal.timeout(30_000) }),
  );
  return schema.parse(await response.json());
}

/** Time until which the platform has told this process to wait, in epoch ms. */
let pausedUntilMs = 0;

/** Retries 429 without limit, and other transient failures a few times. */
async function send(attempt: () => Promise<Response>): Promise<Response> {
  for (let attemptNumber = 1; ; ) {
    const pauseMs = pausedUntilMs - Date.now();
    if (pauseMs > 0) await delay(pauseMs);
    const response = await attempt().catch((error: unknown) => {
      if (attemptNumber >= attempts) throw error;
      return undefined;
    });
    if (response?.ok) return response;
    const text = await response?.text();
    if (response?.status === 429) {
      const seconds = Number(response.headers.get('retry-after') ?? 1);
      pausedUntilMs = Math.max(pausedUntilMs, Date.now() + seconds * 1_000);
      continue;
    }
    const isPermanent = response && response.status < 500 && ![408, 409].includes(response.status);
    if (response && (isPermanent || attemptNumber >= attempts)) {
      throw new Error(`${response.status}: ${text?.slice(0, 300)}`);
    }
    await delay(Math.min(2 ** attemptNumber * 500, 30_000) * (0.5 + Math.random() / 2));
    attemptNumber += 1;
  }
}

/** Returns the list with its first item, which the schemas require to exist. */
function first<T>(list: readonly T[]): readonly [T] {
  const [item] = list;
  if (item === undefined) throw new Error('the platform answered with an empty list');
  return [item];
}
