// Decides which addresses may receive credentials. Pipeline files are untrusted but contain addresses, so credentials
// are sent only to addresses of the vendor or of hosts that the operator allows (decision 067).
import type { z } from 'zod';
import {
  allowHostsVariable,
  findAddressProblem,
  type Hosts,
  hostUrl,
  isAllowedOrigin,
  readAllowedHosts,
  toOrigin,
} from '../api/network/allowed-hosts.ts';
import type { Environment } from '../settings/environment.ts';
import { ConnectorError } from './connector-error.ts';
import type { ConnectorType } from './connector-type.ts';

type Fields = Readonly<Record<string, unknown>>;

export interface LoginProblem {
  readonly code: 'CONNECTOR_MISCONFIGURED' | 'ENDPOINT_NOT_ALLOWED';
  readonly field: string;
  readonly what: string;
  readonly fix: string;
}

/** Returns why credentials must not go to a spec's address. Null if they may, or if there are none or no address. */
export function findLoginProblem(
  type: ConnectorType,
  spec: Fields,
  hosts: Hosts,
): LoginProblem | null {
  const fieldOfMark = (mark: string) =>
    Object.keys(type.config.shape).find(
      (field) => typeof spec[field] === 'string' && referenceOf(type.config.shape[field]) === mark,
    );
  const field = fieldOfMark('address') ?? fieldOfMark('host');
  const hasCredentials =
    type.usesProcessCredentials === true || fieldOfMark('environment') !== undefined;
  if (field === undefined || !hasCredentials) return null;
  const { origin, url } = parseAddress(String(spec[field]), spec['port']) ?? {};
  if (origin === undefined || url === undefined) return null;
  const addressProblem = findAddressProblem(url, hosts);
  const host = origin.replace(/^.*\/\//, '');
  const subject = `${host}, where a connector of type ${type.type} logs in,`;
  if (addressProblem !== null) {
    const { reason, fix } = addressProblem;
    return { code: 'CONNECTOR_MISCONFIGURED', field, what: `${subject} ${reason}`, fix };
  }
  const isOfVendor = url.protocol === 'https:' && type.vendorHosts?.test(url.host) === true;
  if (isOfVendor || isAllowedOrigin(origin, hosts)) return null;
  return {
    code: 'ENDPOINT_NOT_ALLOWED',
    field,
    what: `${subject} would receive credentials of the worker, but the operator has not allowed this address`,
    fix: `if the address is correct, set ${allowHostsVariable}=${origin} where Renderline runs`,
  };
}

/** @throws ConnectorError if credentials would go to an address that is not allowed */
export function assertLoginAllowed(type: ConnectorType, spec: Fields, env: Environment): void {
  const refusal = findLoginProblem(type, spec, readAllowedHosts(env));
  if (refusal === null) return;
  throw new ConnectorError(refusal.code, type.type, refusal.what, refusal.fix);
}

/** Returns the `reference` metadata of a field. For an optional field, this is the metadata of the inner type. */
function referenceOf(field: unknown): unknown {
  const type = field as z.ZodType & { def: { innerType?: unknown } };
  const mark = type.meta()?.['reference'];
  const { innerType } = type.def;
  return mark === undefined && innerType !== undefined ? referenceOf(innerType) : mark;
}

/** Returns the URL of a field, and its origin as written in RENDERLINE_ALLOW_HOSTS. Null for an invalid address. */
function parseAddress(text: string, port: unknown): { origin: string; url: URL } | null {
  const isUrl = text.includes('//');
  const address = isUrl ? text : hostUrl(text);
  if (!URL.canParse(address)) return null;
  const url = new URL(address);
  const portText = typeof port === 'number' ? String(port) : '';
  return { origin: isUrl ? url.origin : toOrigin('sftp', url.hostname, portText), url };
}
