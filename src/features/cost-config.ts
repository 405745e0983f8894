import type { Connector } from '../connectors/connector.ts';
import { ConnectorError } from '../connectors/connector-error.ts';
import { RunCauseError } from '../engine/engine-errors.ts';
import { parseOptions } from '../engine/parse-options.ts';
import type { ConnectorSpec, Plan, Step } from '../plan/types.ts';
import { createConnectorResolver } from './discovery-source.ts';
import { findStepType } from './index.ts';

/** Returns a plan for estimates only. Ignores data that cannot be read, because the lookup of names reports it. */
export async function withCostConfigs(
  plan: Plan,
  open: (spec: ConnectorSpec) => Connector,
): Promise<Plan> {
  const getConnector = createConnectorResolver(plan, open);
  const complete = async (step: Step): Promise<Step> => {
    const type = findStepType(step.activity);
    if (type?.readForCost === undefined) return step;
    try {
      const options = parseOptions(type, step.config);
      const costConfig = await type.readForCost(options, { getConnector });
      return { ...step, config: { ...Object(step.config), ...costConfig } };
    } catch (error) {
      if (error instanceof RunCauseError || error instanceof ConnectorError) return step;
      throw error;
    }
  };
  return { ...plan, steps: await Promise.all(plan.steps.map(complete)) };
}
