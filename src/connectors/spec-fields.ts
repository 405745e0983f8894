// Reads the fields of a connector's spec; a plan is data, so what stands in it is looked at again.
import type { ConnectorSpec } from '../plan/types.ts';
import { ConnectorError } from './connector-error.ts';

export function textOf(spec: ConnectorSpec, field: string): string {
  const value = optionalText(spec, field);
  if (value !== undefined) return value;
  throw new ConnectorError(
    'CONNECTOR_MISCONFIGURED',
    spec.type,
    `a connector of type ${spec.type} needs \`${field}\``,
    'correct the connector in the file',
  );
}

export function optionalText(spec: ConnectorSpec, field: string): string | undefined {
  const value = spec[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
