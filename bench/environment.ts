// The environment of a measurement: a folder, and new processes for the platform, the Temporal server and the workers.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import { connectTemporal } from '../src/temporal/connection/connect.ts';
import { startDevServer } from '../src/temporal/server/dev-server.ts';
import { findFreePorts } from '../src/temporal/server/free-ports.ts';
import { type Actions, readActions } from './billed-actions.ts';
import { stopChildren } from './child.ts';
import type { ContenderRunner, Task } from './contender.ts';
import type { Case } from './options.ts';
import { type BenchSandbox, startBenchSandbox } from './sandbox.ts';
import { WorkerPool } from './worker-pool.ts';
import type { Workload } from './workload.ts';

export interface BenchEnvironment {
  sandbox: BenchSandbox;
  pool: WorkerPool;
  /** Pid of the Temporal server. Undefined for a contender without one. */
  serverPid: number | undefined;
  actions(): Promise<Actions>;
  /** Creates a folder of models and an empty folder for their pictures. */
  task(name: string, write: (folder: string) => Workload): Promise<Task>;
}

const folders = new Set<string>();

/** Deletes the folders of all measurements. */
async function removeFolders(): Promise<void> {
  for (const folder of folders) await rm(folder, { recursive: true, force: true });
  folders.clear();
}

/** Ends the benchmark on SIGINT and SIGTERM, without leaving behind processes or folders. */
export function stopOnSignals(): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      process.stderr.write(`${signal}: stopping\n`);
      void stopChildren()
        .then(removeFolders)
        .finally(() => process.exit(130));
    });
  }
}

/** Sets up the environment, calls `measure`, and always tears the environment down. */
export async function withEnvironment<T>(
  benchCase: Case,
  runner: ContenderRunner,
  binary: string,
  seed: number,
  measure: (environment: BenchEnvironment) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'renderline-bench-'));
  folders.add(folder);
  const stops: (() => Promise<unknown>)[] = [removeFolders];
  try {
    const sandbox = await startBenchSandbox(folder, benchCase, seed);
    stops.unshift(() => stopChildren());
    const [metricsPort = 0] = await findFreePorts(1);
    const server =
      runner.workflowTypes.length === 0
        ? undefined
        : await startDevServer({ binary, ui: false, metricsPort });
    if (server) stops.unshift(() => server.stop());
    const address = server?.address ?? '';
    const temporal = await connectTo(address);
    stops.unshift(() => temporal.close());
    const contenderEnvironment = {
      temporal: temporal.client,
      temporalAddress: address,
      sandbox,
      limit: benchCase.limit,
      windowSeconds: benchCase.windowSeconds,
      env: {},
    };
    const env = (await runner.prepare?.({ ...contenderEnvironment, workers: [] })) ?? {};
    const pool = new WorkerPool(runner, { ...contenderEnvironment, env });
    stops.unshift(() => pool.stop());
    await pool.start(benchCase.workers);
    const task = async (name: string, write: (folder: string) => Workload): Promise<Task> => {
      const out = join(folder, `${name}-pictures`);
      await mkdir(out);
      return { workload: write(join(folder, `${name}-models`)), out };
    };
    const actions = async () => (server ? readActions(metricsPort) : {});
    return await measure({ sandbox, pool, serverPid: server?.pid, actions, task });
  } finally {
    for (const stop of stops) await stop();
  }
}

/** Connects to Temporal. For a contender without Temporal, the client is never used. */
async function connectTo(address: string): Promise<{ client: Client; close(): Promise<void> }> {
  if (address !== '') return connectTemporal({ env: { TEMPORAL_ADDRESS: address } });
  const connection = Connection.lazy();
  return { client: new Client({ connection }), close: () => connection.close() };
}
