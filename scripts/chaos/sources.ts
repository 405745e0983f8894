// Writes the files with which a round starts: models and pictures, each in its own colour, and pipeline files.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import sharp from 'sharp';
import { boxModel } from '../../bench/box-model.ts';
import { pipelineText } from './pipelines.ts';
import type { PipelinePlan, RoundPlan } from './plan.ts';
import { createSeededRandom } from './seeded-random.ts';

/** All content hashes of each source, by key, oldest first. */
export type SourceHashes = Map<string, string[]>;

export function keyOf(folder: string, index: number): string {
  return `${folder}-shoe-${String(index + 1).padStart(2, '0')}`;
}

export function keysOf({
  kind,
  folder,
  models,
}: Pick<PipelinePlan, 'kind' | 'folder' | 'models'>): string[] {
  return Array.from({ length: models }, (_, index) =>
    kind === 'library' ? itemKey(index) : keyOf(folder, index),
  );
}

const itemFolders = ['props', 'decals', 'textures'] as const;

function itemKey(index: number): string {
  return `${itemFolders[index % itemFolders.length]}/item-${String(index + 1).padStart(2, '0')}`;
}

/** Returns the paths of a pipeline's files within the folder of its round. */
export function pipelinePaths(root: string, { name, folder }: PipelinePlan) {
  return {
    file: join(root, `${name}.yaml`),
    folder: join(root, 'models', folder),
    out: join(root, 'out', name),
  };
}

/** Writes all pipeline files and models of a round. */
export async function writeSources(root: string, plan: RoundPlan): Promise<SourceHashes> {
  const hashes: SourceHashes = new Map();
  for (const pipeline of plan.pipelines) {
    const { file, folder, out } = pipelinePaths(root, pipeline);
    await mkdir(folder, { recursive: true });
    await mkdir(out, { recursive: true });
    await writeFile(file, pipelineText(pipeline));
    const write = pipeline.kind === 'library' ? writeItem : writeModel;
    for (const key of keysOf(pipeline)) {
      if (!hashes.has(key)) await write(folder, key, { seed: plan.seed, hashes });
    }
  }
  return hashes;
}

interface WriteContext {
  seed: number;
  hashes: SourceHashes;
}

/** Writes a model in a new colour. */
export async function writeModel(
  folder: string,
  key: string,
  context: WriteContext,
): Promise<void> {
  const color = colorOf(key, context);
  await write(join(folder, `${key}.glb`), boxModel(color), key, context);
}

/** Writes the file of a library item: a model, or a picture of one colour. */
async function writeItem(folder: string, key: string, context: WriteContext): Promise<void> {
  if (key.startsWith('props/')) return writeModel(folder, key, context);
  const [r, g, b] = colorOf(key, context).map((share) => Math.round(255 * share));
  const background = { r: r ?? 0, g: g ?? 0, b: b ?? 0 };
  const create = { width: 8, height: 8, channels: 3, background } as const;
  const path = key.startsWith('textures/') ? `${key}_diffuse.png` : `${key}.png`;
  await write(join(folder, path), await sharp({ create }).png().toBuffer(), key, context);
}

function colorOf(key: string, { seed, hashes }: WriteContext): [number, number, number] {
  const previousHashes = hashes.get(key) ?? [];
  const rng = createSeededRandom(seed);
  const share = (channel: string) =>
    rng.between(0, 1_000, key, channel, previousHashes.length) / 1_000;
  return [share('red'), share('green'), share('blue')];
}

async function write(
  path: string,
  content: Buffer,
  key: string,
  { hashes }: WriteContext,
): Promise<void> {
  const sha256 = createHash('sha256').update(content).digest('hex');
  // The hash is recorded before the file is written, because a worker may read the file immediately.
  hashes.set(key, [...(hashes.get(key) ?? []), sha256]);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}
