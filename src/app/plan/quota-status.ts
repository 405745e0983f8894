// Reads how much of the monthly quota of renders is left, and whether the next run fits. Read-only.
import { openConnector } from '../../connectors/index.ts';
import type { Estimate } from '../../engine/cost/step-cost.ts';
import { computeMaxRendersPerAsset, estimate } from '../../features/estimate.ts';
import { openQuotaConnector, openQuotaCounts } from '../../features/quota-counts.ts';
import { monthOf } from '../../language/calendar/month.ts';
import { formatUtcMinutes } from '../../plan/contract/canary.ts';
import { formatCount, formatNumber } from '../../plan/helpers/format-count.ts';
import { formatBound, variantsNote } from '../../plan/helpers/format-renders.ts';
import type { RenderQuota } from '../../plan/render-quota.ts';
import type { Plan } from '../../plan/types.ts';
import { readMark } from '../../store/claims/workspace-mark.ts';
import type { App } from '../app.ts';
import { explainUnlessUnauthorized } from '../renderline-error.ts';
import { estimatePreview } from './estimate-preview.ts';
import { inspectPreview } from './inspected-preview.ts';
import { previewAssets } from './preview-assets.ts';

export interface QuotaStatus extends Omit<RenderQuota, 'at'> {
  /** Month that the quota applies to, such as `2026-11`. */
  month: string;
  /** End of the month, ISO 8601. */
  until: string;
  /** Number of renders in the month so far. Null if the count cannot be read. */
  used: number | null;
  /** Number of renders left in the month. Null if `used` is null. */
  left: number | null;
  /** Number of renders that the run needs. It is an upper bound if `max` of the plan is true. */
  needed: number;
  /** Number of renders of the run that do not fit into the month. Null if `used` is null. */
  excess: number | null;
  /** True if the run may need more renders, because each variant of a production file requires one. */
  min: boolean;
}

type RunCost = Pick<Estimate, 'renders' | 'max' | 'min'>;

/** Compares the renders of the run with the monthly quota. Returns null if the file sets no quota. */
export async function readQuotaStatus(
  app: App,
  plan: Plan,
  cost: RunCost,
): Promise<QuotaStatus | null> {
  return (await createQuotaComparison(app, plan))?.(cost) ?? null;
}

/** Reads how much of the quota is used. Returns a function that compares a run with it, or null without a quota. */
async function createQuotaComparison(
  app: App,
  plan: Plan,
): Promise<((cost: RunCost) => QuotaStatus) | null> {
  const { renderQuota } = plan;
  if (renderQuota === undefined) return null;
  const month = monthOf(app.now(), renderQuota.timezone);
  const usedCount = await readUsed(app, plan, month.name);
  const { at: _at, ...quota } = renderQuota;
  const left = usedCount === null ? null : Math.max(0, quota.perMonth - usedCount);
  const until = new Date(month.endsAtMs).toISOString();
  return ({ renders: needed, min = false }) => {
    const excess = left === null ? null : Math.max(0, needed - left);
    return { ...quota, month: month.name, until, used: usedCount, left, needed, excess, min };
  };
}

async function readUsed(app: App, plan: Plan, month: string): Promise<number | null> {
  try {
    const usedCount = (await openQuotaCounts(plan, openConnector)?.countUsed(month)) ?? null;
    const connector = openQuotaConnector(plan, openConnector);
    const isEmpty = plan.renderQuota?.at !== undefined && usedCount === 0 && connector !== null;
    // The first run with a quota leaves a mark at the location.
    if (!isEmpty || (await readMark(connector)) !== null) return usedCount;
    app.note(
      `No run has counted renders in ${connector.describe()}. Unless that location is new, mount or restore it, because the next run counts from 0.`,
    );
    return null;
  } catch (error) {
    app.note(
      `The number of renders this month is unknown: ${explainUnlessUnauthorized(error).message}`,
    );
    return null;
  }
}

/** Emits a note if the run's renders exceed, or may exceed, the monthly quota. @param knownCost the cost, if known */
export async function noteExceededQuota(
  app: App,
  plan: Plan,
  knownCost: RunCost | null,
): Promise<void> {
  const statusOf = await createQuotaComparison(app, plan);
  if (statusOf === null) return;
  const isWithinQuota = (cost: RunCost) => {
    const { left, needed } = statusOf(cost);
    return left !== null && needed * computeMaxRendersPerAsset(plan) <= left;
  };
  let cost = knownCost;
  if (cost === null) {
    const preview = await previewAssets(app, plan);
    // The run refuses some files and does not render them. Files are inspected only if the quota is too small for all.
    if (isWithinQuota(estimate(plan, preview, null))) return;
    cost = await estimatePreview(app, plan, await inspectPreview(app, plan, preview));
  }
  if (!isWithinQuota(cost)) app.note(formatQuotaStatus(statusOf(cost), cost.max));
}

/** Formats, e.g., `renders of 2026-11 (UTC) by this pipeline: 4,980 of 5,000 used, 20 left; the run needs 40: …`. */
export function formatQuotaStatus(status: QuotaStatus, isUpperBound: boolean): string {
  const { month, timezone, per, perMonth, used, left, needed, excess, min } = status;
  const scope = per === 'pipeline' ? 'this pipeline' : 'all pipelines of the workspace';
  const bound = formatBound({ max: isUpperBound, ...(min && { min }) });
  const head = `renders of ${month} (${timezone}) by ${scope}`;
  const need = `the run needs ${bound}${formatNumber(needed)}${min ? variantsNote : ''}`;
  if (used === null || left === null)
    return `${head}: it is unknown how many of ${formatNumber(perMonth)} are used; ${need}`;
  const count = `${formatNumber(used)} of ${formatNumber(perMonth)} used, ${formatNumber(left)} left`;
  return `${head}: ${count}; ${need}${excess ? `, so ${bound}${formatExcess(status, excess)}` : ''}`;
}

function formatExcess({ onBreach, until }: QuotaStatus, excess: number): string {
  const renders = formatCount(excess, 'render');
  const end = formatUtcMinutes(until);
  return onBreach === 'wait'
    ? `${renders} ${excess === 1 ? 'waits' : 'wait'} until ${end}`
    : `${renders} ${excess === 1 ? 'fails' : 'fail'} with RENDER_QUOTA_REACHED and can be rerun after ${end}`;
}
