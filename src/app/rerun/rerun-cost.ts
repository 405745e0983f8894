import type { App } from '../app.ts';
import { type CostTotals, costTotals } from '../plan/chosen-preview.ts';
import { estimatePreview } from '../plan/estimate-preview.ts';
import { inspectPreview } from '../plan/inspected-preview.ts';
import type { Preview } from '../plan/preview-assets.ts';
import type { ChosenPlan } from './choose-plan.ts';

/** Estimates the cost of a rerun; null if there is nothing to rerun. */
export async function readRerunCost(
  app: App,
  {
    chosenPlan: { plan },
    assetPreview,
  }: { chosenPlan: Pick<ChosenPlan, 'plan'>; assetPreview: Preview | null },
): Promise<CostTotals | null> {
  if (assetPreview === null) return null;
  const inspectedPreview = await inspectPreview(app, plan, assetPreview);
  return costTotals(await estimatePreview(app, plan, inspectedPreview));
}
