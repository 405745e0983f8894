// Opens a client for the configured platform for the duration of a command.
import { type Client, createClient } from '../api/client.ts';
import type { AnswerOddity } from '../api/oddities.ts';
import { routesOf } from '../plan/named-operations.ts';
import type { Plan } from '../plan/types.ts';
import { createLogger } from '../settings/logger.ts';
import { logOddity } from './oddity-log.ts';
import type { Session } from './session.ts';
import { packageVersion } from './version.ts';

/**
 * Calls `work` with a client and always closes the client afterwards.
 * @param named operations (with their paths) from a pipeline file
 */
export async function withPlatform<T>(
  session: Session,
  work: (client: Client) => Promise<T>,
  named?: Plan['operations'],
): Promise<T> {
  const { config, baseUrl, apiKey } = await session.platform();
  const rateLimit = config.rateLimit.value;
  const client = createClient({
    baseUrl,
    apiKey,
    operations: { ...config.operations.value, ...routesOf(named) },
    userAgent: `renderline/${packageVersion()}`,
    onOddity: (oddity) => tellOddity(session, oddity, apiKey),
    ...(rateLimit === null ? {} : { rate: { limit: rateLimit } }),
  });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

function tellOddity({ io }: Session, oddity: AnswerOddity, apiKey: string): void {
  logOddity(createLogger({ stream: io.stderr, env: io.env, secrets: [apiKey] }), oddity);
}
