// Counts requests from the platform's statistics.
import type { SandboxInUse } from '../system/_sandbox.ts';

/** Operations that are repeated whenever a cached response is too old. */
const readNowAndThen = new Set(['getMe', 'listTemplates']);

/** Requests by operation while `work` ran, without those that depend on how long it took. */
export async function requestsOf<T>(sandbox: Pick<SandboxInUse, 'stats'>, work: () => Promise<T>) {
  const before = (await sandbox.stats()).requests;
  const result = await work();
  const after = (await sandbox.stats()).requests;
  const requests = Object.fromEntries(
    Object.entries(after)
      .map(([operation, count]) => [operation, count - (before[operation] ?? 0)] as const)
      .filter(([operation, count]) => count > 0 && !readNowAndThen.has(operation)),
  );
  return { result, requests };
}
