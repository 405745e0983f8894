// The workload of all contenders. It consists of small models whose names state the platform's durations, so that the
// ideal time is known and does not depend on the order of requests.
import { linkSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultRule } from '@renderline/sandbox/faults';
import { randomFraction } from '@renderline/sandbox/seeded-random';
import { boxModel } from './box-model.ts';

export interface Workload {
  folder: string;
  names: string[];
  /** The platform's durations for the slowest asset: model processing, then rendering. */
  slowestMs: number;
}

/** Ranges and steps of the sandbox's durations at speed 1, for model processing and total render time. */
const modelMs = { min: 2_000, max: 6_000, step: 200 };
const renderMs = { min: 3_000, max: 9_000, step: 250 };

/** Writes one small model per asset. */
export function writeWorkload(folder: string, assets: number, seed: number): Workload {
  const names: string[] = [];
  let slowestMs = 0;
  for (let index = 0; index < assets; index += 1) {
    const model = pick(modelMs, randomFraction(seed, 'model time', index));
    const render = pick(renderMs, randomFraction(seed, 'render time', index));
    slowestMs = Math.max(slowestMs, model + render);
    names.push(`asset-${String(index + 1).padStart(6, '0')}-m${model}-r${render}`);
  }
  return writeModels(folder, names, slowestMs);
}

/** Writes the model of a single asset with the shortest durations. */
export function writeSingle(folder: string, name: string): Workload {
  const full = `${name}-m${modelMs.min}-r${renderMs.min}`;
  return writeModels(folder, [full], modelMs.min + renderMs.min);
}

/** The number is below the 65,000 links that ext4 permits. */
const linksToOneFile = 30_000;

/**
 * Writes models that all have the same content, as links to a few files. Writing 100,000 small files can take minutes.
 */
function writeModels(folder: string, names: string[], slowestMs: number): Workload {
  mkdirSync(folder, { recursive: true });
  const bytes = boxModel();
  const path = (name: string) => join(folder, `${name}.glb`);
  let linkedFile = '';
  for (const [index, name] of names.entries()) {
    if (index % linksToOneFile === 0) {
      linkedFile = path(name);
      writeFileSync(linkedFile, bytes);
    } else linkSync(linkedFile, path(name));
  }
  return { folder, names, slowestMs };
}

/** Returns fault rules that give each model the durations that its name states. */
export function timeRules(): FaultRule[] {
  return [
    ...steps(modelMs).map((durationMs) => ({ model: `*-m${durationMs}-*`, do: { durationMs } })),
    ...steps(renderMs).map((durationMs) => ({ render: `*-r${durationMs}*`, do: { durationMs } })),
  ];
}

interface Range {
  min: number;
  max: number;
  step: number;
}

function steps({ min, max, step }: Range): number[] {
  return Array.from({ length: (max - min) / step + 1 }, (_, index) => min + index * step);
}

function pick(range: Range, share: number): number {
  const values = steps(range);
  return values[Math.floor(share * values.length)] ?? range.max;
}
