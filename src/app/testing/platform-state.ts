import type { Client } from '../../api/client.ts';
import type { PipelineTest } from '../../compile/test-file/test-file.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';
import { defaultSlots, expandNumbered } from './test-files.ts';

type PlatformModel = PipelineTest['platform']['models'][number];

export interface PlatformAccess {
  client: Client;
  /** Address of the sandbox's control endpoints. */
  origin: string;
  maker: Pick<SandboxPackage, 'createModel'>;
  advanceTime: (ms: number) => Promise<void>;
}

/** Time that is skipped after the setup. It is longer than any processing that is not delayed by a fault rule. */
const processingMs = 60_000;

/** Creates everything that the test declares under `platform`. @returns tag ids by name */
export async function preparePlatform(
  platform: PipelineTest['platform'],
  access: PlatformAccess,
): Promise<Map<string, string>> {
  const tags = new Map<string, string>();
  const { models, materials, properties, limits, templates } = platform;
  for (const name of new Set([...platform.tags, ...models.flatMap((model) => model.tags)])) {
    const createdTag = await callSandbox(access, '/tags', { name });
    tags.set(name, String(createdTag['id']));
  }
  for (const template of templates) {
    const { name, id, views, shots, transparent } =
      typeof template === 'string'
        ? { name: template, views: ['Main'], shots: [], transparent: false }
        : template;
    await callSandbox(access, '/templates', {
      name,
      ...(id === undefined ? {} : { id }),
      ...(transparent ? { look: 'Cut Out' } : {}),
      bookmarks: views.map(withId),
      shots: shots.map((shot) => ({ ...withId(shot), seconds: 1 })),
    });
  }
  for (const [index, name] of materials.entries()) {
    const hex = `#${(0x30_40_50 + index * 0x11_22_33).toString(16).slice(-6)}`;
    await access.client.createPantoneMaterial({ body: { name, pantoneCode: '2767 C', hex } });
  }
  for (const name of properties) {
    const body = { name, type: 'MULTI_SELECT' as const, appliesTo: ['MODEL' as const] };
    await access.client.createProperty({ body });
  }
  if (Object.keys(limits).length > 0) await callSandbox(access, '/limits', limits);
  await uploadModels(models, tags, access);
  if (models.length + materials.length > 0) await access.advanceTime(processingMs);
  return tags;
}

/** Adds an id to a view or shot without one. The id is its name. */
function withId(view: string | { name: string; id: string }): { name: string; id: string } {
  return typeof view === 'string' ? { name: view, id: view } : view;
}

/** Uploads models to the platform as another user would, without a run. */
export async function uploadModels(
  models: readonly PlatformModel[],
  tags: ReadonlyMap<string, string>,
  access: PlatformAccess,
): Promise<void> {
  for (const model of models) {
    for (const name of expandNumbered(model.name, model.count)) {
      const id = await uploadModel(name, model, access);
      const tagIds = model.tags.flatMap((tag) => tags.get(tag) ?? []);
      if (tagIds.length > 0) await callSandbox(access, `/models/${id}/tags`, { tagIds });
      if (model.status !== undefined && model.status !== 'READY') {
        await callSandbox(access, `/models/${id}/status`, { status: model.status });
      }
    }
  }
}

async function uploadModel(
  name: string,
  { slots = defaultSlots, category }: Pick<PlatformModel, 'slots' | 'category'>,
  { client, maker }: PlatformAccess,
): Promise<string> {
  const bytes = await maker.createModel(name, slots);
  const item = { name, fileType: 'glb', ...(category === undefined ? {} : { category }) };
  const { models } = await client.createModels({ body: { models: [item] } });
  const [createdModel] = models;
  if (createdModel?.uploadUrl === undefined)
    throw new Error(`the platform did not accept the model "${name}"`);
  const { modelId, uploadUrl } = createdModel;
  const response = await fetch(uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!response.ok)
    throw new Error(`the upload of "${name}" failed with status ${response.status}`);
  await client.confirmModel({ params: { modelId }, body: { fileType: 'glb' } });
  return modelId;
}

/** Calls a control endpoint of the sandbox for what the API cannot do. @throws Error with the sandbox's message */
export async function callSandbox(
  { origin }: Pick<PlatformAccess, 'origin'>,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`${origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the sandbox refuses ${path}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
