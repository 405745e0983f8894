// Refuses requests of foreign web pages, which could reach this server by DNS rebinding or post to it from anywhere.
import { isIP } from 'node:net';

const loopback = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|::1)$/;

/**
 * Returns the reason to refuse a request, or null. IP addresses and names without a dot are accepted as Host, because
 * DNS rebinding needs a public name. Other names must be allowed.
 * @param allowedHosts additional host names
 */
export function findForbiddenSender(
  { host, origin }: { host: string | null; origin: string | null },
  allowedHosts: readonly string[] = [],
): string | null {
  const name = host === null ? null : hostOf(`http://${host}`);
  if (name === null) return 'the request has no Host header';
  const isOurs =
    loopback.test(name) || isIP(name) !== 0 || !name.includes('.') || allowedHosts.includes(name);
  if (!isOurs) return `the Host ${name} is not allowed; allow it with --allow-host ${name}`;
  if (origin === null) return null;
  const originHost = hostOf(origin);
  const isPage =
    originHost !== null &&
    (loopback.test(originHost) || originHost === name || allowedHosts.includes(originHost));
  if (isPage) return null;
  return originHost === null
    ? `requests of web pages without a host (Origin: ${origin}) are refused`
    : `requests of web pages on ${originHost} are refused; allow them with --allow-host ${originHost}`;
}

function hostOf(url: string): string | null {
  if (!URL.canParse(url)) return null;
  return new URL(url).hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '') || null;
}
