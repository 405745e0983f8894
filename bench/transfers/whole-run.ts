// Large models by the whole product: a worker, a Temporal server and a sandbox as processes of their own.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { connectTemporal } from '../../src/temporal/connect.ts';
import { startDevServer } from '../../src/temporal/dev-server.ts';
import { findTemporalServer } from '../../src/temporal/find-server.ts';
import { untilClosed } from '../histories.ts';
import { cpuMs, peakMemoryMib, residentMib } from '../process-times.ts';
import { renderline } from '../renderline/side.ts';
import { startBenchSandbox } from '../sandbox.ts';
import type { NearReport } from './near-side.ts';
import { writeSparseModel } from './sparse-model.ts';

const patienceMs = 15 * 60_000;
const say = (line: string) => process.stderr.write(`${line}\n`);

/** What a worker takes to bring so many models of so many bytes to a picture each. */
export async function wholeRun(folder: string, bytes: number, count: number): Promise<NearReport> {
  const models = join(folder, 'models');
  const out = join(folder, 'pictures');
  for (const one of [models, out]) await mkdir(one, { recursive: true });
  const names = Array.from({ length: count }, (_, at) => `large-${at}`);
  for (const name of names) await writeSparseModel(join(models, `${name}.glb`), bytes);
  const { path: binary } = await findTemporalServer({ env: process.env, onProgress: say });
  const stops: (() => Promise<unknown>)[] = [];
  try {
    const sandbox = await startBenchSandbox(folder, 0, 1);
    stops.unshift(() => sandbox.child.stop());
    const server = await startDevServer({ binary, ui: false });
    stops.unshift(() => server.stop());
    const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: server.address } });
    stops.unshift(() => temporal.close());
    const place = {
      temporal: temporal.client,
      temporalAddress: server.address,
      sandbox,
      workload: { folder: models, names, slowestMs: 0 },
      limit: 0,
      out,
    };
    const worker = await renderline.startWorker(place);
    stops.unshift(() => worker.stop());
    const idleMib = residentMib(worker.pid);
    const cpuBefore = cpuMs(worker.pid);
    const startedMs = performance.now();
    await renderline.start(place);
    const isOver = (closed: number) => renderline.ended(closed, place.workload);
    await untilClosed(temporal.client, renderline.workflowTypes, isOver, patienceMs);
    return {
      idleMib,
      peakMib: peakMemoryMib(worker.pid) - idleMib,
      decoderMib: 0,
      cpuMs: cpuMs(worker.pid) - cpuBefore,
      ms: Math.round(performance.now() - startedMs),
      bytes: bytes * count,
    };
  } finally {
    for (const stop of stops) await stop();
  }
}
