// Refuses addresses that nothing secret may be sent to: other machines over plain http, unless the operator allows the host by
// name, and never the metadata services of clouds, which hand out credentials.
import { isLoopback, isMetadataHost } from './private-addresses.ts';

/** Holds names of hosts, with commas between them. */
export const allowHostsVariable = 'RENDERLINE_ALLOW_HOSTS';

/** Addresses that the operator names for AWS's own client: what is named beside the credentials may have them. */
const awsVariables = ['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'] as const;

const standardPorts: Readonly<Record<string, string>> = { http: '80', https: '443', sftp: '22' };

export type Hosts = ReadonlySet<string>;

/**
 * Hosts that the operator allows: by plain http, at private addresses where others must be public, and for credentials of
 * connectors where a file names the host. An entry is a host, a host with its port, or an address with its scheme.
 */
export function allowedHosts(env: Readonly<Record<string, string | undefined>>): Hosts {
  const addresses = awsVariables.map((name) => env[name] ?? '').filter((text) => /\/\//.test(text));
  const names = [...(env[allowHostsVariable] ?? '').split(','), ...addresses].map(entryOf);
  return new Set(names.filter((name) => name !== ''));
}

/** An address as `originOf` writes it; any other text in lower case. */
function entryOf(text: string): string {
  const name = text.trim().toLowerCase();
  const [, scheme, host, port] = /^([a-z]+):\/\/([^/]*?)(?::(\d+))?(?:\/.*)?$/.exec(name) ?? [];
  return scheme === undefined || host === undefined ? name : originOf(scheme, host, port);
}

/** Scheme and host of an address, with the port where it is not the usual one. */
export function originOf(scheme: string, host: string, port = ''): string {
  return `${scheme}://${host}${port === '' || port === standardPorts[scheme] ? '' : `:${port}`}`;
}

/** A host that stands alone, as a URL that can be judged: in lower case, an address of IPv6 in brackets. */
export function hostUrl(host: string): string {
  return `https://${host.includes(':') ? `[${host}]` : host}`;
}

/** True where the operator names the host of an address, alone, with its port, or with its scheme. */
export function isNamed(origin: string, hosts: Hosts): boolean {
  const host = origin.replace(/^[a-z]+:\/\//, '');
  return [origin, host, host.replace(/:\d+$/, '')].some((name) => hosts.has(name));
}

/** Why an address is refused, in words that follow its host, and how to allow it. */
export interface Refusal {
  why: string;
  fix: string;
  /** True where no setting allows it. */
  isFinal: boolean;
}

/** Refuses a URL that nothing secret or signed may go to, judged by its text alone; null where it may. */
export function refuseAddress(url: URL, hosts: Hosts): Refusal | null {
  if (isMetadataHost(url)) {
    const why = 'is where a cloud hands out credentials; nothing is sent there';
    return { why, fix: 'name another host', isFinal: true };
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || isNamed(url.origin, hosts))
    return null;
  const why = 'would get it in clear: plain http goes to this machine only';
  return { why, fix: `write https, or ${allowing(url)}`, isFinal: false };
}

/** Setting that allows the host of a URL. */
export function allowing(url: URL): string {
  return `set ${allowHostsVariable}=${url.hostname} where Renderline runs`;
}
