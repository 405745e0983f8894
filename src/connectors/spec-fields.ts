// Config fields shared by several connectors, and their readers: checked endpoints, and secrets by variable name.
import { z } from 'zod';
import { findAddressProblem, readAllowedHosts } from '../api/network/allowed-hosts.ts';
import type { Environment } from '../settings/environment.ts';
import { relativeFolder } from '../settings/file-fields.ts';
import { readSecret } from '../settings/secrets/secret-names.ts';
import { ConnectorError } from './connector-error.ts';

/** The fields of a connector in a pipeline file. Errors name the `type`. */
interface Spec {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Creates the field for a folder in a bucket. @param store the vendor's word for a bucket */
export function prefixField(store: string) {
  return relativeFolder.describe(`Folder in the ${store}; default: the whole ${store}.`).optional();
}

/** Creates the field for the address of requests, which `endpointOf` reads. */
export function endpointField(description: string) {
  return z
    .string()
    .regex(
      /^https?:\/\/[A-Za-z0-9.\-_[\]:]+\/?[A-Za-z0-9._/-]*$/,
      'must be an address such as https://storage.example.com, without credentials',
    )
    .meta({ reference: 'address', description });
}

/** Returns the endpoint of a spec, if any. @throws ConnectorError if secrets or signed requests must not go there */
export function endpointOf(spec: Spec, env: Environment): string | undefined {
  const address = spec['endpoint'];
  if (typeof address !== 'string') return undefined;
  assertSafeAddress(spec, address, env);
  return address;
}

/** Checks an address. Accepts an invalid URL. @throws ConnectorError if secrets or signed requests must not go there */
export function assertSafeAddress(spec: Spec, address: string, env: Environment): void {
  if (!URL.canParse(address)) return;
  const url = new URL(address);
  const refusal = findAddressProblem(url, readAllowedHosts(env));
  if (refusal === null) return;
  throw new ConnectorError(
    'CONNECTOR_MISCONFIGURED',
    spec.type,
    `${url.host}, where a connector of type ${spec.type} sends signed requests, ${refusal.reason}`,
    refusal.fix,
  );
}

/** Reads the secret that `field` names, if any. @throws ConnectorError if it is not set or files must not name it */
export function readSecretField(spec: Spec, field: string, env: Environment): string | undefined {
  const name = spec[field];
  if (typeof name !== 'string') return undefined;
  const secret = readSecret(name, field, env);
  if ('value' in secret) return secret.value;
  throw new ConnectorError(
    secret.code === 'not-set' ? 'CREDENTIALS_MISSING' : 'SECRET_NOT_ALLOWED',
    spec.type,
    `${name}, which \`${field}\` of a connector of type ${spec.type} refers to, ${secret.reason}`,
    secret.fix,
  );
}
