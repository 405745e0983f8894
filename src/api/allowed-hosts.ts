// Where nothing secret is sent: in clear to another machine, unless its operator allows that by name, and never to where
// clouds hand out their credentials.
import { isLoopback, isMetadataHost } from './private-addresses.ts';

/** Holds names of hosts, with commas between them. */
export const allowHostsVariable = 'RENDERLINE_ALLOW_HOSTS';

export type Hosts = ReadonlySet<string>;

/** Hosts that the operator lets be reached by plain http, and at private addresses where only public ones may be. */
export function allowedHosts(env: Readonly<Record<string, string | undefined>>): Hosts {
  const names = (env[allowHostsVariable] ?? '').split(',').map((name) => name.trim().toLowerCase());
  return new Set(names.filter((name) => name !== ''));
}

/** Why an address is refused, in words behind its host, and what would help. */
export interface Refusal {
  why: string;
  fix: string;
  /** No setting changes it. */
  isFinal: boolean;
}

/** Whether what is secret or signed may go to a URL, as far as its text tells; null where it may. */
export function refuseAddress(url: URL, hosts: Hosts): Refusal | null {
  if (isMetadataHost(url)) {
    const why = 'is where a cloud hands out credentials; nothing is sent there';
    return { why, fix: 'name another host', isFinal: true };
  }
  if (url.protocol === 'https:' || isLoopback(url.hostname) || hosts.has(url.hostname)) return null;
  const why = 'would get it in clear: plain http goes to this machine only';
  return { why, fix: `write https, or ${allowing(url)}`, isFinal: false };
}

/** The line that lets a host be reached. */
export function allowing(url: URL): string {
  return `set ${allowHostsVariable}=${url.hostname} where Renderline runs`;
}
