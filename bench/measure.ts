// One measurement: fresh platform, Temporal server and worker as separate processes, one side's work.
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectTemporal } from '../src/temporal/connect.ts';
import { startDevServer } from '../src/temporal/dev-server.ts';
import type { Side } from './contender.ts';
import { untilClosed } from './histories.ts';
import { fewestRequests, idealMs } from './ideal.ts';
import type { Case } from './options.ts';
import { cpuMs, peakMemoryMib } from './process-times.ts';
import { noticedP95Ms, startBenchSandbox } from './sandbox.ts';
import { writeWorkload } from './workload.ts';

export interface Measurement extends Case {
  route: string;
  outputs: number;
  failed: number;
  requests: number;
  byOperation: Record<string, number>;
  rateLimited: number;
  events: number;
  wallMs: number;
  idealMs: number;
  fewestRequests: number;
  workerCpuMs: number;
  serverCpuMs: number;
  workerPeakMib: number;
  noticedP95Ms: number;
}

/** Longest that one measurement may take, beyond what its requests need under the limit. */
const patienceMs = 20 * 60_000;

export async function measure(
  one: Case,
  side: Side,
  binary: string,
  seed: number,
): Promise<Measurement> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-bench-'));
  const stops: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    const workload = await writeWorkload(join(folder, 'models'), one.assets, seed);
    const out = join(folder, 'pictures');
    await mkdir(out);
    const sandbox = await startBenchSandbox(folder, one.limit, seed);
    stops.unshift(() => sandbox.child.stop());
    const server = await startDevServer({ binary, ui: false });
    stops.unshift(() => server.stop());
    const temporal = await connectTemporal({ env: { TEMPORAL_ADDRESS: server.address } });
    stops.unshift(() => temporal.close());
    const place = {
      temporal: temporal.client,
      temporalAddress: server.address,
      sandbox,
      workload,
      limit: one.limit,
      out,
    };
    const worker = await side.startWorker(place);
    stops.unshift(() => worker.stop());
    const before = {
      worker: cpuMs(worker.pid),
      server: cpuMs(server.pid),
      stats: await sandbox.stats(),
    };
    await side.start(place);
    const histories = await untilClosed(
      temporal.client,
      side.workflowTypes,
      (closed) => side.ended(closed, workload),
      patienceMs,
    );
    const workerCpuMs = cpuMs(worker.pid) - before.worker;
    const serverCpuMs = cpuMs(server.pid) - before.server;
    const stats = await sandbox.stats();
    const pictures = await readdir(out, { recursive: true });
    const outputs = pictures.filter((name) => name.endsWith('.png')).length;
    return {
      ...one,
      route: side.route,
      outputs,
      failed: one.assets - outputs,
      requests: stats.totalRequests - before.stats.totalRequests,
      byOperation: stats.requests,
      rateLimited: stats.rateLimited,
      events: histories.events,
      wallMs: histories.closedAtMs - histories.startedAtMs,
      idealMs: idealMs(workload.slowestMs, one),
      fewestRequests: fewestRequests(one.assets),
      workerCpuMs,
      serverCpuMs,
      workerPeakMib: peakMemoryMib(worker.pid),
      noticedP95Ms: noticedP95Ms(stats),
    };
  } finally {
    for (const stop of stops) await stop();
  }
}
