// Reads the fields of a connector's spec; a plan is data, so what stands in it is looked at again. Secrets
// are read here and nowhere else, by the name that the spec gives.
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

export type Environment = Readonly<Record<string, string | undefined>>;

/** The secret in the variable that `field` names; undefined where the spec names none. */
export function secretFrom(
  spec: ConnectorSpec,
  field: string,
  env: Environment,
): string | undefined {
  const name = optionalText(spec, field);
  if (name === undefined) return undefined;
  const value = env[name];
  if (value !== undefined && value !== '') return value;
  throw new ConnectorError(
    'CREDENTIALS_MISSING',
    spec.type,
    `${name}, which \`${field}\` of a connector of type ${spec.type} names, is not set`,
    `set ${name} in the environment of the worker and of the command`,
  );
}
