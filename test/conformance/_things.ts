// Models, projects and renders that several sections of the suite need, made once.
import type { Client } from './_client.ts';
import { eventually } from './_client.ts';

/** Longest wait for a model or a render. */
export interface Patience {
  readonly patienceMs: number;
}

export async function createModel(client: Client, fileName: string) {
  const { models } = await client.ok('createModels', 'POST /models', {
    models: [{ fileType: 'glb', fileName }],
  });
  const [model] = models;
  if (!model) throw new Error('POST /models answered without a model.');
  client.made(`/models/${model.modelId}`);
  return model;
}

/** A model that is READY. */
export async function readyModel(
  client: Client,
  bytes: Uint8Array,
  fileName: string,
  { patienceMs }: Patience,
): Promise<string> {
  const { modelId, uploadUrl } = await createModel(client, fileName);
  await client.upload(uploadUrl, bytes);
  await client.ok('confirmModel', `POST /models/${modelId}/confirm`, { fileType: 'glb' });
  await eventually(
    () => client.ok('checkModelStatus', 'POST /models/status', { modelIds: [modelId] }),
    ({ allReady }) => allReady,
    patienceMs,
  );
  return modelId;
}

export async function createProject(client: Client, modelIds: readonly string[], name?: string) {
  const { projects } = await client.ok('createProjects', 'POST /projects', { modelIds, name });
  const [project] = projects;
  if (!project) throw new Error('POST /projects answered without a project.');
  client.made(`/projects/${project.projectId}`);
  return project;
}

/** A render job that COMPLETED: small, no variants, no videos. */
export async function finishedRender(client: Client, projectId: string, { patienceMs }: Patience) {
  const started = await client.ok('createRenders', 'POST /renders', {
    projectIds: [projectId],
    settings: { imageQuality: 0, renderShots: false, renderVariants: false },
  });
  const jobId = started.jobs[0]?.jobId ?? '';
  const job = await eventually(
    () => client.ok('getRenderJob', `GET /renders/${jobId}`),
    ({ status }) => status === 'COMPLETED',
    patienceMs,
  );
  return { ...started, job };
}
