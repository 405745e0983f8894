// Workers of the sources in the test's own process, with what no command sets.
import { inject } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { withoutUndefined } from '../../src/plan/without-undefined.ts';
import { connectWorker } from '../../src/temporal/connect.ts';
import { type RunningWorker, startWorker } from '../../src/temporal/worker.ts';
import { type Env, type Stoppable, stopAtEnd } from './_stack.ts';

interface Setting {
  /** The host that it shows as of. */
  host?: string;
  /** How long the platform may not show what it has just made, ms. */
  consistencyMs?: number;
}

/** Settles when it polls. Ends with the test file, where `useProcesses` is. */
export async function startWorkerWith(
  env: Env,
  { host, consistencyMs }: Setting,
): Promise<RunningWorker & Stoppable> {
  const {
    RENDERLINE_BASE_URL: baseUrl = '',
    RENDERLINE_API_KEY: apiKey = '',
    RENDERLINE_TASK_QUEUE: taskQueue = '',
  } = env;
  const client = createClient({ baseUrl, apiKey, ...withoutUndefined({ consistencyMs }) });
  const connected = await connectWorker({ env });
  const { connection, namespace } = connected;
  const worker = await startWorker({
    connection,
    namespace,
    client,
    apiKey,
    taskQueue,
    ...withoutUndefined({ host }),
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
