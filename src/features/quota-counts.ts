import type { Connector } from '../connectors/connector.ts';
import type { Plan } from '../plan/types.ts';
import { type RenderCounts, renderCountsAt } from '../store/calls/render-counts.ts';
import { createConnectorResolver } from './discovery-source.ts';

type QuotaPlan = Pick<Plan, 'pipeline' | 'records' | 'connectors' | 'renderQuota'>;
type OpenConnector = (spec: Plan['records']) => Connector;

/** Returns the connector with the count, or null if the pipeline has no quota. */
export function openQuotaConnector(plan: QuotaPlan, open: OpenConnector): Connector | null {
  const { renderQuota: quota, records } = plan;
  if (quota === undefined) return null;
  return quota.at === undefined ? open(records) : createConnectorResolver(plan, open)(quota.at);
}

export function openQuotaCounts(plan: QuotaPlan, open: OpenConnector): RenderCounts | null {
  const { renderQuota: quota, pipeline } = plan;
  const connector = openQuotaConnector(plan, open);
  if (quota === undefined || connector === null) return null;
  return renderCountsAt(connector, quota.per === 'pipeline' ? pipeline : null, quota.timezone);
}
