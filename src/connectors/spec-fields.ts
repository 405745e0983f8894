// Reads the fields of a connector's spec; a plan is data, so what stands in it is looked at again. Secrets
// are read by the name that the spec gives.
import { allowedHosts, refuseAddress } from '../api/allowed-hosts.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import type { Environment } from '../settings/environment.ts';
import { namedSecret } from '../settings/secret-names.ts';
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

/** An address of the spec that requests of the connector go to; undefined where it has none. */
export function endpointOf(spec: ConnectorSpec, env: Environment): string | undefined {
  const endpoint = optionalText(spec, 'endpoint');
  if (endpoint !== undefined) needSafeAddress(spec, endpoint, env);
  return endpoint;
}

/** @throws ConnectorError where what is secret or signed may not go there */
export function needSafeAddress(spec: ConnectorSpec, address: string, env: Environment): void {
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const refusal = refuseAddress(url, allowedHosts(env));
  if (refusal === null) return;
  throw new ConnectorError(
    'CONNECTOR_MISCONFIGURED',
    spec.type,
    `${url.host}, where a connector of type ${spec.type} sends signed requests, ${refusal.why}`,
    refusal.fix,
  );
}

/** The secret in the variable that `field` names; undefined where the spec names none. */
export function secretFrom(
  spec: ConnectorSpec,
  field: string,
  env: Environment,
): string | undefined {
  const name = optionalText(spec, field);
  if (name === undefined) return undefined;
  const secret = namedSecret(name, field, env);
  if ('value' in secret) return secret.value;
  throw new ConnectorError(
    secret.code === 'not-set' ? 'CREDENTIALS_MISSING' : 'SECRET_NOT_ALLOWED',
    spec.type,
    `${name}, which \`${field}\` of a connector of type ${spec.type} names, ${secret.why}`,
    secret.fix,
  );
}
