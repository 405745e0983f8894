// Workers that are killed while they work, each replaced by another.
import { setTimeout as delay } from 'node:timers/promises';
import { fraction } from '@renderline/sandbox/seeded';
import type { BenchSandbox } from './sandbox.ts';
import type { WorkerPool } from './worker-pool.ts';

const lookEveryMs = 250;

/** Shares of the work after which a worker is killed: chosen by the seed, in order, none at the very beginning or end. */
export function killPoints(kills: number, seed: number): number[] {
  return Array.from(
    { length: kills },
    (_, index) => 0.03 + 0.9 * fraction(seed, 'kill', index),
  ).toSorted((a, b) => a - b);
}

/** Kills at these shares of what the platform has shown ready; settles when all are done or the work is over. */
export async function killDuring(
  pool: WorkerPool,
  sandbox: BenchSandbox,
  options: { kills: number; assets: number; seed: number; over: AbortSignal },
): Promise<void> {
  const { kills, assets, seed, over } = options;
  for (const [index, point] of killPoints(kills, seed).entries()) {
    // Each asset is a model and a render that become ready.
    while (!over.aborted && (await sandbox.stats()).seenReady < 2 * assets * point) {
      await delay(lookEveryMs);
    }
    if (over.aborted) return;
    await pool.killOne(fraction(seed, 'victim', index));
  }
}
