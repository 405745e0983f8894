// Measures a run of one asset, alone and while a large run is in progress.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Place, Side, Task } from './contender.ts';
import { patienceMs } from './patience.ts';

const lookEveryMs = 50;

/** Milliseconds from the command to the picture in its folder, as a person waits for it. */
export async function timeSingle(side: Side, place: Place, task: Task): Promise<number> {
  const picture = join(task.out, `${task.workload.names[0] ?? ''}.png`);
  const startedAtMs = performance.now();
  await side.start(place, task);
  while (!existsSync(picture)) {
    const tookMs = performance.now() - startedAtMs;
    if (tookMs > patienceMs) throw new Error(`${picture} was not delivered within ${patienceMs} ms`);
    await delay(lookEveryMs);
  }
  return Math.round(performance.now() - startedAtMs);
}

/** Resolves when a quarter of the models are created, in addition to those that existed. */
export async function untilUnderWay(
  { sandbox }: Place,
  before: number,
  assets: number,
): Promise<void> {
  for (;;) {
    const { created } = await sandbox.stats();
    if (created.models - before >= assets / 4) return;
    await delay(lookEveryMs);
  }
}
