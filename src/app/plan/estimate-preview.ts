import { openConnector } from '../../connectors/index.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { withCostConfigs } from '../../features/cost-config.ts';
import { estimate } from '../../features/estimate.ts';
import type { Plan } from '../../plan/types.ts';
import type { App } from '../app.ts';
import { EarlierRecords, withKnownOutputs } from './earlier-records.ts';
import type { InspectedPreview } from './inspected-preview.ts';

/** Estimates the cost of the assets in a preview, using the rows of tables and the outputs of finished renders. */
export async function estimatePreview(
  app: App,
  plan: Plan,
  preview: InspectedPreview,
  earlierRecords: EarlierRecords = new EarlierRecords(preview.store),
): Promise<Estimate> {
  const assets = await withKnownOutputs(earlierRecords, preview.assets);
  const planWithConfigs = await withCostConfigs(plan, openConnector);
  const { rateLimit } = await app.config();
  const cost = estimate(
    planWithConfigs,
    { ...preview, assets },
    rateLimit.value,
    preview.reachedSteps,
  );
  return { ...cost, max: cost.max || preview.uninspectedCount > 0 };
}
