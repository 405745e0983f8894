// Kills workers during the work and replaces them.
import { setTimeout as delay } from 'node:timers/promises';
import { randomFraction } from '@renderline/sandbox/seeded-random';
import type { BenchSandbox } from './sandbox.ts';
import type { WorkerPool } from './worker-pool.ts';

const pollIntervalMs = 250;

/**
 * Returns the shares of progress at which a worker is killed. They are seeded, sorted, and not near the very start or
 * end.
 */
export function killPoints(kills: number, seed: number): number[] {
  return Array.from(
    { length: kills },
    (_, index) => 0.03 + 0.9 * randomFraction(seed, 'kill', index),
  ).toSorted((a, b) => a - b);
}

/** Kills workers at the shares of progress from `killPoints`. Resolves when all are killed or the work is done. */
export async function killDuring(
  pool: WorkerPool,
  sandbox: BenchSandbox,
  options: { kills: number; assets: number; seed: number; over: AbortSignal },
): Promise<void> {
  const { kills, assets, seed, over } = options;
  for (const [index, point] of killPoints(kills, seed).entries()) {
    // Each asset has two resources that become ready, a model and a render.
    while (!over.aborted && (await sandbox.stats()).seenReady < 2 * assets * point) {
      await delay(pollIntervalMs);
    }
    if (over.aborted) return;
    await pool.killOne(randomFraction(seed, 'victim', index));
  }
}
