// Starts workers from the sources in the test's own process, with settings that no command offers.
import { inject } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { type RunningWorker, startWorker } from '../../src/app/worker/worker.ts';
import { omitUndefined } from '../../src/plan/helpers/omit-undefined.ts';
import { connectWorker } from '../../src/temporal/connection/connect.ts';
import { type Env, type Stoppable, stopAtEnd } from './_stack.ts';

interface Setting {
  /** The host name under which the worker registers. */
  host?: string;
  /** Consistency window of the platform, ms. */
  consistencyWindowMs?: number;
}

/** Resolves when the worker polls. The worker stops with the test file (`useProcesses`). */
export async function startWorkerWith(
  env: Env,
  { host, consistencyWindowMs }: Setting,
): Promise<RunningWorker & Stoppable> {
  const {
    RENDERLINE_BASE_URL: baseUrl = '',
    RENDERLINE_API_KEY: apiKey = '',
    RENDERLINE_TASK_QUEUE: taskQueue = '',
  } = env;
  const client = createClient({ baseUrl, apiKey, ...omitUndefined({ consistencyWindowMs }) });
  const connected = await connectWorker({ env });
  const { connection, namespace } = connected;
  const worker = await startWorker({
    connection,
    namespace,
    client,
    apiKey,
    taskQueue,
    ...omitUndefined({ host }),
    bundle: inject('workflowBundle'),
    shutdownGraceMs: 2_000,
  });
  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    worker.shutdown();
    await worker.done;
    await connected.close();
    await client.close();
  };
  const running = { ...worker, stop };
  stopAtEnd(running);
  return running;
}
