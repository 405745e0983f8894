import { jsonFieldsOf } from '../json.ts';
import type { Plan } from '../types.ts';

/** A step, by its activity, and the connector that its config names. */
export interface ConnectorUse {
  activity: string;
  connector: string;
}

export function connectorUsesOf(steps: Plan['steps']): ConnectorUse[] {
  return steps.flatMap(({ activity, config }) => {
    const { connector } = jsonFieldsOf(config);
    return typeof connector === 'string' ? [{ activity, connector }] : [];
  });
}
