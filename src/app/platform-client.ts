import { type Client, createClient } from '../api/client.ts';
import type { ResponseAnomaly } from '../api/responses/anomalies.ts';
import { routesOf } from '../plan/named-operations.ts';
import type { Plan } from '../plan/types.ts';
import { createLogger, type Logger } from '../settings/logger.ts';
import type { App } from './app.ts';
import { readPackageVersion } from './read-package-version.ts';

/** Calls `task` with a client, then closes it. @param namedOperations operations with paths from a pipeline file */
export async function withPlatform<T>(
  app: App,
  task: (client: Client) => Promise<T>,
  namedOperations?: Plan['operations'],
): Promise<T> {
  const client = await openPlatform(app, namedOperations);
  try {
    return await task(client);
  } finally {
    await client.close();
  }
}

/** Opens a client. The caller must close it. */
export async function openPlatform(
  app: App,
  namedOperations?: Plan['operations'],
): Promise<Client> {
  const { config, baseUrl, apiKey } = await app.platform();
  const rateLimit = config.rateLimit.value;
  return createClient({
    baseUrl,
    apiKey,
    operations: { ...config.operations.value, ...routesOf(namedOperations) },
    userAgent: `renderline/${readPackageVersion()}`,
    onAnomaly: (anomaly) =>
      logAnomaly(createLogger({ stream: app.logStream, env: app.env, secrets: [apiKey] }), anomaly),
    ...(rateLimit === null ? {} : { rate: { limit: rateLimit } }),
  });
}

/** Logs a response of the platform that differs from its API reference. */
export function logAnomaly(logger: Logger, anomaly: ResponseAnomaly): void {
  logger.warn({ ...anomaly }, 'the response of the platform differs from its API reference');
}
