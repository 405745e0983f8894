// Who may ask: the browser that was given the address with the token, and only from a page of this server.
import { createHash, timingSafeEqual } from 'node:crypto';

/** Names of this machine; a stranger's name that points here (DNS rebinding) is none of them. */
const ownNames = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

export interface Asker {
  method: string;
  host: string | null;
  origin: string | null;
  cookies: string | null;
}

/** Cookies are shared by all ports of a host, so the port is in the name. */
export const cookieName = (port: number): string => `renderline_ui_${port}`;

/** Why a request is refused; null where it is not. */
export function refusalOf(
  { method, host, origin, cookies }: Asker,
  { token, port }: { token: string; port: number },
): { status: 401 | 403; why: string } | null {
  const name = host === null ? null : host.replace(/:\d+$/, '');
  if (name === null || !ownNames.test(name)) {
    return { status: 403, why: 'This server answers by the names of this machine only.' };
  }
  const isOwnPage = origin === null || origin === `http://${host}`;
  if (!isOwnPage || (method !== 'GET' && origin === null)) {
    return { status: 403, why: 'Another page may not ask here.' };
  }
  const shown = cookieOf(cookies ?? '', cookieName(port));
  if (isSame(shown, token)) return null;
  return {
    status: 401,
    why: 'Open the address that `renderline ui` printed: it carries the token.',
  };
}

/** In constant time. */
export function isSame(shown: string, token: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(shown), digest(token));
}

function cookieOf(cookies: string, name: string): string {
  for (const pair of cookies.split(';')) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return '';
}
