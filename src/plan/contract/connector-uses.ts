import { jsonFieldsOf } from '../json.ts';
import type { Plan } from '../types.ts';

/** A step, identified by its activity, and the connector in its config. */
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
