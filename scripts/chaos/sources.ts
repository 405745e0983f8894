// The files that a round begins with: models, each of its own colour, and pipeline files.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { boxModel } from '../../bench/box-model.ts';
import { diceOf } from './dice.ts';
import { pipelineText } from './pipelines.ts';
import type { PipelinePlan, RoundPlan } from './plan.ts';

/** Every content that a source has had, by its key, oldest first. */
export type SourceHashes = Map<string, string[]>;

export function keyOf(folder: string, index: number): string {
  return `${folder}-shoe-${String(index + 1).padStart(2, '0')}`;
}

export function keysOf({ folder, models }: Pick<PipelinePlan, 'folder' | 'models'>): string[] {
  return Array.from({ length: models }, (_, index) => keyOf(folder, index));
}

/** Where the files of a pipeline lie below the folder of its round. */
export function placesOf(root: string, { name, folder }: PipelinePlan) {
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
    const { file, folder, out } = placesOf(root, pipeline);
    await mkdir(folder, { recursive: true });
    await mkdir(out, { recursive: true });
    await writeFile(file, pipelineText(pipeline));
    for (const key of keysOf(pipeline)) {
      if (!hashes.has(key)) await writeModel(folder, key, { seed: plan.seed, hashes });
    }
  }
  return hashes;
}

/** Writes a model, of another colour than it had before. */
export async function writeModel(
  folder: string,
  key: string,
  { seed, hashes }: { seed: number; hashes: SourceHashes },
): Promise<void> {
  const before = hashes.get(key) ?? [];
  const dice = diceOf(seed);
  const share = (channel: string) => dice.between(0, 1_000, key, channel, before.length) / 1_000;
  const content = boxModel([share('red'), share('green'), share('blue')]);
  const sha256 = createHash('sha256').update(content).digest('hex');
  // Known before it is there: a worker may take it in the moment in between.
  hashes.set(key, [...before, sha256]);
  await writeFile(join(folder, `${key}.glb`), content);
}
