// Splits a refused call in half until the bad asset is alone, so that one bad id does not fail fifty assets.
import { ResponseShapeError } from '../../api/errors/errors.ts';
import { findRefusal, itemReasons } from '../../api/errors/refusal.ts';
import { failRefused } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { Asset, AssetResult } from '../../plan/types.ts';
import { assertPastConsistencyWindow, type ConsistencyContext } from '../consistency-window.ts';
import { QuotaReachedError } from '../cost/render-reservations.ts';
import { failUnreadable } from '../unreadable-response.ts';

/**
 * Calls `send` for all assets. If the platform refuses the content, calls `send` for each half, recursively. If the
 * render quota does not cover all assets, first calls `send` for as many as it covers. `send` derives its idempotency
 * key from its assets, so each part has its own key.
 * @param namedIds id fields that the request contains. After a 404, later runs must not use these ids again. After any
 * other refusal, the ids remain valid, because creating the resources again would cost money.
 * @throws NotVisibleYetError if a missing resource may have been created a moment ago
 */
export async function splitCall<A extends Asset>(
  assets: readonly A[],
  send: (part: readonly A[]) => Promise<AssetResult[]>,
  context: ConsistencyContext,
  namedIds: (keyof PlatformIds)[] = [],
): Promise<AssetResult[]> {
  if (assets.length === 0) return [];
  const sendParts = async (first: number) => [
    ...(await splitCall(assets.slice(0, first), send, context, namedIds)),
    ...(await splitCall(assets.slice(first), send, context, namedIds)),
  ];
  try {
    return await send(assets);
  } catch (error) {
    const [only, ...others] = assets;
    const isAlone = only !== undefined && others.length === 0;
    if (error instanceof QuotaReachedError) {
      const { rendersLeft } = error;
      return isAlone || rendersLeft === 0 ? error.resultsOf(assets) : sendParts(rendersLeft);
    }
    // The asset fails alone, because an unreadable response about one asset must not fail other assets.
    if (isAlone && error instanceof ResponseShapeError) return [failUnreadable(only.key, error)];
    const refusal = findRefusal(error, itemReasons);
    if (refusal === null) throw error;
    const isMissing = refusal.blames === 'missing';
    // Inside the consistency window, splitting does not help, because the halves would not find the resource either.
    if (isMissing) {
      const createdAtMs = assets.map(({ platformIds }) => platformIds.lastCreatedAtMs ?? 0);
      const latest = { lastCreatedAtMs: Math.max(...createdAtMs) };
      assertPastConsistencyWindow(refusal.error.message, latest, context);
    }
    if (isAlone) {
      const missingFields = isMissing ? { forgetIds: namedIds, missing: true as const } : {};
      return [failRefused(refusal.error, only.key, missingFields)];
    }
    return sendParts(Math.ceil(assets.length / 2));
  }
}
