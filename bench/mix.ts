// Measures a run of one asset, alone and while a large run is in progress.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ContenderEnvironment, ContenderRunner, Task } from './contender.ts';
import { measurementTimeoutMs } from './timeout.ts';

const pollIntervalMs = 50;

/**
 * Measures the milliseconds from the command until the picture is in its folder, as a waiting person experiences them.
 */
export async function timeSingle(
  runner: ContenderRunner,
  contenderEnvironment: ContenderEnvironment,
  task: Task,
): Promise<number> {
  const picture = join(task.out, `${task.workload.names[0] ?? ''}.png`);
  const startedAtMs = performance.now();
  await runner.start(contenderEnvironment, task);
  while (!existsSync(picture)) {
    const tookMs = performance.now() - startedAtMs;
    if (tookMs > measurementTimeoutMs)
      throw new Error(`${picture} was not delivered within ${measurementTimeoutMs} ms`);
    await delay(pollIntervalMs);
  }
  return Math.round(performance.now() - startedAtMs);
}

/** Resolves when a quarter of the models have been created, in addition to those that existed. */
export async function waitUntilUnderWay(
  { sandbox }: ContenderEnvironment,
  modelsBefore: number,
  assets: number,
): Promise<void> {
  for (;;) {
    const { created } = await sandbox.stats();
    if (created.models - modelsBefore >= assets / 4) return;
    await delay(pollIntervalMs);
  }
}
