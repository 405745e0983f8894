// Runs large models through the whole product: a worker, a Temporal server and a sandbox, each in its own process.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { findTemporalServer } from '../../src/temporal/server/find-server.ts';
import { withEnvironment } from '../environment.ts';
import type { Case } from '../options.ts';
import { residentMib } from '../process-times.ts';
import { renderline } from '../renderline/contender.ts';
import { writeSparseModel } from './sparse-model.ts';
import type { TransferReport } from './transfer-process.ts';

const logProgress = (line: string) => process.stderr.write(`${line}\n`);

/** Measures what a worker needs to render `count` models of `bytes` bytes each. */
export async function measureRun(
  folder: string,
  bytes: number,
  count: number,
): Promise<TransferReport> {
  const models = join(folder, 'models');
  const out = join(folder, 'pictures');
  for (const path of [models, out]) await mkdir(path, { recursive: true });
  const names = Array.from({ length: count }, (_, index) => `large-${index}`);
  for (const name of names) await writeSparseModel(join(models, `${name}.glb`), bytes);
  const { path: binary } = await findTemporalServer({ env: process.env, onProgress: logProgress });
  const task = { workload: { folder: models, names, slowestMs: 0 }, out };
  return withEnvironment(oneWorker(count), renderline, binary, 1, async ({ pool }) => {
    const { contenderEnvironment } = pool;
    const pid = contenderEnvironment.workers[0]?.pid ?? -1;
    const idleMib = residentMib(pid);
    pool.begin();
    const sinceMs = Date.now();
    const startedMs = performance.now();
    await renderline.start(contenderEnvironment, task);
    await renderline.waitForEnd(contenderEnvironment, task, sinceMs);
    const [figures] = pool.figures();
    return {
      idleMib,
      peakMib: (figures?.peakMib ?? 0) - idleMib,
      decoderMib: 0,
      cpuMs: figures?.cpuMs ?? 0,
      ms: Math.round(performance.now() - startedMs),
      bytes: bytes * count,
    };
  });
}

const oneWorker = (assets: number): Case => ({
  contender: 'renderline',
  assets,
  limit: 0,
  workers: 1,
  windowSeconds: 60,
  mix: false,
  kills: 0,
});
