// Refuses addresses that nothing secret may be sent to: other machines over plain http, unless the operator allows the host by
// name, and never the metadata services of clouds, which hand out credentials.
import { isLoopback, isMetadataHost } from './private-addresses.ts';

/** Holds names of hosts, with commas between them. */
export const allowHostsVariable = 'RENDERLINE_ALLOW_HOSTS';

export type Hosts = ReadonlySet<string>;

/** Hosts that the operator allows by plain http, and at private addresses where others must be public. */
export function allowedHosts(env: Readonly<Record<string, string | undefined>>): Hosts {
  const names = (env[allowHostsVariable] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => name !== ''));
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
  if (url.protocol === 'https:' || isLoopback(url.hostname) || hosts.has(url.hostname)) return null;
  const why = 'would get it in clear: plain http goes to this machine only';
  return { why, fix: `write https, or ${allowing(url)}`, isFinal: false };
}

/** Setting that allows the host of a URL. */
export function allowing(url: URL): string {
  return `set ${allowHostsVariable}=${url.hostname} where Renderline runs`;
}
