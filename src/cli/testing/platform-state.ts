// Prepares the sandbox of a test: models, materials, templates, properties, tags and limits.
import type { Client } from '../../api/client.ts';
import type { PipelineTest } from '../../compile/test-file/test-file.ts';
import type { SandboxPackage } from '../../sandbox/interface.ts';
import { numbered, usualSlots } from './test-files.ts';

type PlatformModel = PipelineTest['platform']['models'][number];

export interface PlatformHand {
  client: Client;
  /** Address of the sandbox's control endpoints. */
  origin: string;
  maker: Pick<SandboxPackage, 'makeModel'>;
  /** Lets time pass until the platform has finished its work. */
  pass: (ms: number) => Promise<void>;
}

/** Longer than any processing that no fault rule delays. */
const processedMs = 60_000;

/** Creates everything that the test declares under `platform`. @returns ids of tags by name */
export async function preparePlatform(
  platform: PipelineTest['platform'],
  hand: PlatformHand,
): Promise<Map<string, string>> {
  const tags = new Map<string, string>();
  const { models, materials, properties, limits, templates } = platform;
  for (const name of new Set([...platform.tags, ...models.flatMap((one) => one.tags)])) {
    const made = await control(hand, '/tags', { name });
    tags.set(name, String(made['id']));
  }
  for (const template of templates) {
    const { name, id, views, shots } =
      typeof template === 'string' ? { name: template, views: ['Main'], shots: [] } : template;
    await control(hand, '/templates', {
      name,
      ...(id === undefined ? {} : { id }),
      bookmarks: views.map(named),
      shots: shots.map((shot) => ({ ...named(shot), seconds: 1 })),
    });
  }
  for (const [index, name] of materials.entries()) {
    const hex = `#${(0x30_40_50 + index * 0x11_22_33).toString(16).slice(-6)}`;
    await hand.client.createPantoneMaterial({ body: { name, pantoneCode: '2767 C', hex } });
  }
  for (const name of properties) {
    const body = { name, type: 'MULTI_SELECT' as const, appliesTo: ['MODEL' as const] };
    await hand.client.createProperty({ body });
  }
  if (Object.keys(limits).length > 0) await control(hand, '/limits', limits);
  await uploadModels(models, tags, hand);
  if (models.length + materials.length > 0) await hand.pass(processedMs);
  return tags;
}

/** A view or shot without an id uses its name as id. */
function named(view: string | { name: string; id: string }): { name: string; id: string } {
  return typeof view === 'string' ? { name: view, id: view } : view;
}

/** Uploads models to the platform without a run, as another user would. */
export async function uploadModels(
  models: readonly PlatformModel[],
  tags: ReadonlyMap<string, string>,
  hand: PlatformHand,
): Promise<void> {
  for (const model of models) {
    for (const name of numbered(model.name, model.count)) {
      const id = await uploadModel(name, model, hand);
      const tagIds = model.tags.flatMap((tag) => tags.get(tag) ?? []);
      if (tagIds.length > 0) await control(hand, `/models/${id}/tags`, { tagIds });
      if (model.status !== undefined && model.status !== 'READY') {
        await control(hand, `/models/${id}/status`, { status: model.status });
      }
    }
  }
}

async function uploadModel(
  name: string,
  { slots = usualSlots, category }: Pick<PlatformModel, 'slots' | 'category'>,
  { client, maker }: PlatformHand,
): Promise<string> {
  const bytes = await maker.makeModel(name, slots);
  const item = { name, fileType: 'glb', ...(category === undefined ? {} : { category }) };
  const { models } = await client.createModels({ body: { models: [item] } });
  const [made] = models;
  if (made?.uploadUrl === undefined)
    throw new Error(`the platform did not accept the model "${name}"`);
  const answer = await fetch(made.uploadUrl, { method: 'PUT', body: new Uint8Array(bytes) });
  if (!answer.ok) throw new Error(`the upload of "${name}" failed with status ${answer.status}`);
  await client.confirmModel({ params: { modelId: made.modelId }, body: { fileType: 'glb' } });
  return made.modelId;
}

/** Calls a control endpoint of the sandbox, for what the platform's API cannot do. @throws Error with the sandbox's message */
export async function control(
  { origin }: Pick<PlatformHand, 'origin'>,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const answer = await fetch(`${origin}/_sandbox${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`the sandbox refuses ${path}: ${text}`);
  return JSON.parse(text) as Record<string, unknown>;
}
