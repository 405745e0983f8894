import type { App } from '../app.ts';
import { estimatePreview } from '../plan/estimate-preview.ts';
import { inspectPreview } from '../plan/inspected-preview.ts';
import type { Preview } from '../plan/preview-assets.ts';
import type { ChosenPlan } from './choose-plan.ts';

/** Estimated cost; `renders` is an upper bound if `max` is true. */
export interface RerunCost {
  /** Number of requests if the platform is as fast as usual; `maxRequests` if it is slow. */
  requests: number;
  maxRequests: number;
  renders: number;
  max: boolean;
  seconds: number;
}

/** Estimates the cost of a rerun; null if there is nothing to rerun. */
export async function readRerunCost(
  app: App,
  {
    chosenPlan: { plan },
    assetPreview,
  }: { chosenPlan: Pick<ChosenPlan, 'plan'>; assetPreview: Preview | null },
): Promise<RerunCost | null> {
  if (assetPreview === null) return null;
  const inspectedPreview = await inspectPreview(app, plan, assetPreview);
  const { requests, renders, max, seconds } = await estimatePreview(app, plan, inspectedPreview);
  return { requests: requests.total, maxRequests: requests.max, renders, max, seconds };
}
