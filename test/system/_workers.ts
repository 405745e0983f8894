// Workers in the test's own process, each on a host of its own.
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { connectWorker } from '../../src/temporal/connect.ts';
import { type RunningWorker, startWorker } from '../../src/temporal/worker.ts';
import type { Env } from './_stack.ts';

const bundle = fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url));
const stops: (() => Promise<void>)[] = [];

/** Stops whatever a test file has left running. */
export function useWorkers(): void {
  afterAll(async () => {
    await Promise.all(stops.map((stop) => stop()));
  });
}

/** A worker that shows as of this host. */
export async function startWorkerHere(env: Env, host: string): Promise<RunningWorker> {
  const {
    RENDERLINE_BASE_URL: baseUrl = '',
    RENDERLINE_API_KEY: apiKey = '',
    RENDERLINE_TASK_QUEUE: taskQueue = '',
  } = env;
  const client = createClient({ baseUrl, apiKey });
  const connected = await connectWorker({ env });
  const { connection, namespace } = connected;
  const worker = await startWorker({
    connection,
    namespace,
    client,
    apiKey,
    taskQueue,
    host,
    bundle,
    shutdownGraceMs: 2_000,
  });
  stops.push(async () => {
    worker.shutdown();
    await worker.done;
    await connected.close();
    await client.close();
  });
  return worker;
}
