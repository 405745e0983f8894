import { rejectOnAbort } from '../../api/abort.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import { RequestCounter } from '../../api/request-counter.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { createPollerContext, type PollerContext } from '../../engine/polling/poller-context.ts';
import { commandFailures } from '../../failures/commands.ts';
import type { App } from '../app.ts';
import { openPlatform } from '../platform-client.ts';
import { RenderlineError } from '../renderline-error.ts';

type AppNames = Omit<NameLookUpDeps, 'getConnector'>;

const pollerContexts = new WeakMap<App, Promise<PollerContext>>();

/** Opens a client and keeps it until `closeNames` or the process ends. @throws RenderlineError without a platform */
export async function nameContext(app: App): Promise<AppNames> {
  const pollerContext = pollerContexts.get(app) ?? openPlatform(app).then(createPollerContext);
  pollerContexts.set(app, pollerContext);
  pollerContext.catch(() => pollerContexts.delete(app));
  return {
    pollerContext: await pollerContext,
    // Results are cached by run. A new run id every minute limits their age, because the workspace may change.
    run: { run: `minute ${Math.floor(readMonotonicMs() / 60_000)}` },
    requests: new RequestCounter(),
    signal: app.signal,
  };
}

/**
 * Runs the task within a time limit, because a person waits for its result.
 * @throws RenderlineError if the platform does not respond in time or is not configured
 */
export async function withNames<T>(
  app: App,
  maxWaitMs: number,
  task: (names: AppNames) => Promise<T>,
): Promise<T> {
  const timeout = AbortSignal.timeout(maxWaitMs);
  try {
    return await rejectOnAbort(timeout, nameContext(app).then(task));
  } catch (error) {
    if (!timeout.aborted) throw error;
    const message = `The platform did not respond within ${maxWaitMs / 1_000} s.`;
    throw new RenderlineError(commandFailures.API_UNREACHABLE, message);
  }
}

export async function closeNames(app: App): Promise<void> {
  const pollerContext = await pollerContexts.get(app)?.catch(() => null);
  pollerContexts.delete(app);
  await pollerContext?.client.close();
}
