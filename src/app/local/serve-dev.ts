import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitForAbort } from '../../api/abort.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { withFileLock } from '../../temporal/server/file-lock.ts';
import type { App } from '../app.ts';
import { CleanupStack } from '../cleanup-stack.ts';
import { type LocalServices, startLocalServices } from './local-services.ts';

/** Port of the sandbox. If another program uses this port, the sandbox uses a free port instead. */
const sandboxPort = 4010;

export interface DevOptions {
  /** Absolute folder of the state. */
  folder: string;
  speed?: number | undefined;
  rateLimit?: number | undefined;
}

export interface DevEnvironment {
  shape: Omit<LocalServices, 'env' | 'broken' | 'sandboxPage'> & {
    schema: 'renderline/dev/v1';
    sandbox: string;
    data: string;
    /** File with `exports`, deleted when the services stop. */
    envFile: string;
  };
  /** Shell lines that set the variables with which commands in another shell find the services. */
  exports: string[];
}

interface DevCalls {
  stop: AbortSignal;
  onStarted: (environment: DevEnvironment) => void;
  /** Called before the services stop. */
  onStopping: () => void;
}

/** Serves until `stop` aborts. @throws errors of a service */
export async function serveDev(
  app: App,
  { folder, speed, rateLimit }: DevOptions,
  { stop, onStarted, onStopping }: DevCalls,
): Promise<void> {
  await withFileLock(join(folder, 'lock'), { waitLimitMs: 0, signal: stop }, async () => {
    const cleanup = new CleanupStack((text) => app.note(text));
    try {
      const taskQueue = (await app.config()).taskQueue.value;
      const services = await startLocalServices(app, cleanup, {
        data: folder,
        taskQueue,
        graceMs: 5_000,
        stop,
        sandbox: { port: sandboxPort, ...omitUndefined({ speed, rateLimit }) },
      });
      const exports = formatExports(services, taskQueue !== null);
      const envFile = join(folder, 'env');
      await writeFile(envFile, `${exports.join('\n')}\n`, { mode: 0o600 });
      cleanup.add('the file of exports', () => rm(envFile, { force: true }));
      const { env: _secrets, broken, sandboxPage: sandbox, ...serviceFields } = services;
      const schema = 'renderline/dev/v1';
      onStarted({ shape: { schema, ...serviceFields, sandbox, data: folder, envFile }, exports });
      await Promise.race([waitForAbort(stop), broken]);
      onStopping();
    } finally {
      await cleanup.stopAll();
    }
  });
}

function formatExports(services: LocalServices, isQueueSet: boolean): string[] {
  const { baseUrl, apiKey, temporalAddress, temporalUi, taskQueue } = services;
  return [
    `export TEMPORAL_ADDRESS=${temporalAddress}`,
    ...(temporalUi === null ? [] : [`export RENDERLINE_TEMPORAL_UI=${temporalUi}`]),
    `export RENDERLINE_BASE_URL=${baseUrl}`,
    `export RENDERLINE_API_KEY=${apiKey}`,
    `export RENDERLINE_WAKE_UPS_URL=${services.wakeUpsUrl}`,
    ...(isQueueSet ? [`export RENDERLINE_TASK_QUEUE=${taskQueue}`] : []),
  ];
}
