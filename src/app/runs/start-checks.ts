// Checks before a run is started: whether its folders are here, its assets, and its limits.
import { hostname } from 'node:os';
import type { Limits } from '../../compile/pipeline.ts';
import { openConnector } from '../../connectors/index.ts';
import { formatExcess } from '../../engine/cost/check-limits.ts';
import { runFailures } from '../../failures/runs.ts';
import { findExceededLimits } from '../../features/inspect-files.ts';
import { locationOf } from '../../plan/run/location.ts';
import { sumPaid } from '../../plan/run/paid.ts';
import type { Plan } from '../../plan/types.ts';
import type { Discovered } from '../../store/discovery/discover.ts';
import { emptySourceWarnings } from '../../store/discovery/empty-source-warning.ts';
import { countDelivered } from '../../store/discovery/missing-sources.ts';
import type { App } from '../app.ts';
import { hasAnyAsset, previewAssets } from '../plan/preview-assets.ts';
import { previewStore } from '../plan/preview-store.ts';
import { RenderlineError } from '../renderline-error.ts';
import { type RunShape, totalRequests, zeroAssetCounts } from './run-shape.ts';

/** True if the plan's folders are on another host, so that they cannot be read here. */
export function isOnOtherHost({ host }: Plan): boolean {
  return host !== undefined && host !== hostname();
}

/**
 * Returns an empty result if the source contains no file for the plan, so that no run is started; otherwise null.
 * @throws ConnectorError when the folder does not exist.
 */
export async function resultIfNothingToDo(plan: Plan): Promise<RunShape | null> {
  if (await hasAnyAsset(plan)) return null;
  const { pipeline, discovery } = plan;
  const { records } = previewStore(plan);
  const delivered = await records.index().then(countDelivered, () => 0);
  return {
    schema: 'renderline/run/v1',
    run: null,
    pipeline,
    again: null,
    outcome: 'complete',
    cause: null,
    canary: null,
    inFlight: null,
    waits: [],
    destination: locationOf(plan.destination),
    unknown: null,
    discovered: true,
    verified: null,
    begins: [],
    exports: [],
    assets: zeroAssetCounts,
    files: [],
    withdrawn: null,
    deleted: [],
    failures: [],
    warnings: emptySourceWarnings(delivered, {
      node: discovery.node,
      findMissingSources: plan.withdrawn,
    }),
    requests: totalRequests({}),
    paid: sumPaid([]),
    historyEvents: 0,
    seconds: 0,
  };
}

/**
 * Checks the limits of the pipeline. Discovers the assets only if there are limits and `known` is null.
 * @throws RenderlineError when the run would exceed a limit.
 */
export async function refuseExcess(
  app: App,
  plan: Plan,
  limits: Limits,
  known: Discovered | null = null,
): Promise<void> {
  if (Object.keys(limits).length === 0) return;
  const found = known ?? (await previewAssets(app, plan));
  const config = await app.config();
  const rateLimit = config.rateLimit.value;
  const where = { open: openConnector, signal: app.signal };
  const excess = await findExceededLimits(plan, found, { limits, rateLimit }, where);
  if (excess.length === 0) return;
  throw new RenderlineError(
    runFailures.LIMIT_EXCEEDED,
    `The run would exceed its pipeline's limits:\n${formatExcess(excess)}`,
    { details: { excess } },
  );
}
