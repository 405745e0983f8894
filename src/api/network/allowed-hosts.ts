// Refuses addresses that must not receive secrets: other machines over plain http, unless the operator allows the host
// by name, and always the metadata services of clouds, which hand out credentials.
import { isLoopback, isMetadataHost } from './private-addresses.ts';

/** Lists the hosts that the operator allows, separated by commas. */
export const allowHostsVariable = 'RENDERLINE_ALLOW_HOSTS';

/** Endpoints of the AWS SDK. The operator sets them along with the credentials, so they may receive the credentials. */
const awsVariables = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'] as const;

const standardPorts: Readonly<Record<string, string>> = { http: '80', https: '443', sftp: '22' };

export type Hosts = ReadonlySet<string>;

/**
 * Returns the hosts that the operator allows over plain http, at private addresses, and as targets of connector
 * credentials if a pipeline file specifies the host. An entry is a host, a host and port, or an address with a scheme.
 */
export function readAllowedHosts(env: Readonly<Record<string, string | undefined>>): Hosts {
  const addresses = awsVariables.map((name) => env[name] ?? '').filter((text) => /\/\//.test(text));
  const names = [...(env[allowHostsVariable] ?? '').split(','), ...addresses].map(entryOf);
  return new Set(names.filter((name) => name !== ''));
}

/** Returns an address as `toOrigin` formats it, and any other text in lower case. */
function entryOf(text: string): string {
  const name = text.trim().toLowerCase();
  const [, scheme, host, port] = /^([a-z]+):\/\/([^/]*?)(?::(\d+))?(?:\/.*)?$/.exec(name) ?? [];
  return scheme === undefined || host === undefined ? name : toOrigin(scheme, host, port);
}

/** Returns the scheme and host of an address, with the port unless it is the default. */
export function toOrigin(scheme: string, host: string, port = ''): string {
  return `${scheme}://${host}${port === '' || port === standardPorts[scheme] ? '' : `:${port}`}`;
}

/** Returns the https URL of a host name or address. IPv6 addresses are put in brackets. */
export function hostUrl(host: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}`;
}

/** True if the operator allows the host of an origin, whether by host alone, with its port or with its scheme. */
export function isAllowedOrigin(origin: string, hosts: Hosts): boolean {
  const host = origin.replace(/^[a-z]+:\/\//, '');
  return [origin, host, host.replace(/:\d+$/, '')].some((name) => hosts.has(name));
}

/** Why an address is refused and how to allow it. The reason is text that follows the host name. */
export interface AddressProblem {
  reason: string;
  fix: string;
  /** True if no setting can allow it. */
  isFinal: boolean;
}

/** Returns why a URL, by its text alone, must not receive secrets or signed requests, or null if it may. */
export function findAddressProblem(url: URL, hosts: Hosts): AddressProblem | null {
  if (isMetadataHost(url)) {
    const reason = 'is a cloud metadata service, which returns credentials; no request is sent';
    return { reason, fix: 'use another host', isFinal: true };
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || isAllowedOrigin(url.origin, hosts))
    return null;
  const reason = 'would receive it unencrypted: plain http is only allowed to this machine';
  return { reason, fix: `use https, or ${allowHostFix(url)}`, isFinal: false };
}

/** Returns the instruction for allowing the host of a URL in the settings. */
export function allowHostFix(url: URL): string {
  return `set ${allowHostsVariable}=${url.hostname} where Renderline runs`;
}
