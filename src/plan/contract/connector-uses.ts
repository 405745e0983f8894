// The connectors that the steps of a plan name. Pure.
import type { Json, Plan } from '../types.ts';

/** A step, by its activity, and the connector that its config names. */
export interface ConnectorUse {
  activity: string;
  connector: string;
}

export function connectorUsesOf(steps: Plan['steps']): ConnectorUse[] {
  return steps.flatMap(({ activity, config }) => {
    const connector = connectorIn(config);
    return connector === null ? [] : [{ activity, connector }];
  });
}

function connectorIn(config: Json): string | null {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return null;
  const name = config['connector'];
  return typeof name === 'string' ? name : null;
}
