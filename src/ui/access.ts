// Access control of `renderline ui`. It admits only a browser that has opened the address with the token, and only
// requests that come from pages of this server.

import { isLoopbackHost } from '../settings/fetch-server.ts';
import { createToken, isSameToken } from '../settings/secrets/bearer-token.ts';
import { isReadMethod, type Visitor } from './visitor.ts';

/** Security headers of every response. */
export const securityHeaders = {
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'referrer-policy': 'same-origin',
  'cache-control': 'no-store',
};

const cookieName = 'renderline_ui';

/**
 * Browsers send a cookie to all ports of a host, including other servers on this machine. The cookie is therefore
 * bound to an unguessable path, which only pages of this server contain: browsers send it only to addresses below it.
 */
export class UiAccess {
  /** Base path of all pages, with a trailing slash. */
  readonly base = `/ui-${createToken()}/`;
  readonly #token: string;
  /** Session secret that the browser receives in exchange for the token. */
  readonly #session = createToken();

  /** @param token part of the address that a person opens */
  constructor(token: string) {
    this.#token = token;
  }

  /** Returns the person who started the server, or a response: a refusal, or a new session for the right token. */
  admit(request: Request): Visitor | Response {
    const { headers, method } = request;
    const { pathname, searchParams } = new URL(request.url);
    if (!isLoopbackHost(headers.get('host'))) {
      return createRefusal(
        403,
        'This server accepts only requests that are addressed to this machine.',
      );
    }
    const isStart = pathname === '/' && method === 'GET';
    if (isStart && isSameToken(searchParams.get('token') ?? '', this.#token)) {
      return this.#startSession();
    }
    const origin = headers.get('origin');
    const isOwnPage = origin === null || origin === `http://${headers.get('host')}`;
    if (!isOwnPage || (!isReadMethod(method) && origin === null)) {
      return createRefusal(403, 'Requests from other pages are not accepted.');
    }
    const isBelowBase = isSameToken(pathname.slice(0, this.base.length), this.base);
    if (isBelowBase && this.#hasCookie(headers.get('cookie') ?? ''))
      return { name: null, role: 'start', base: this.base, link: null };
    const reason = 'Open the address that `renderline ui` printed: it contains the token.';
    return createRefusal(401, reason);
  }

  /** Redirects to the first page, so that the token does not stay in the address bar. */
  #startSession(): Response {
    const cookie = `${cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=${this.base}`;
    const headers = { ...securityHeaders, 'set-cookie': cookie, location: this.base };
    return new Response(null, { status: 303, headers });
  }

  /** Other servers on this machine may have set a cookie with the same name, so all cookies are checked. */
  #hasCookie(cookies: string): boolean {
    return cookies.split(';').some((pair) => {
      const [name = '', value = ''] = pair.trim().split('=', 2);
      return name === cookieName && isSameToken(value, this.#session);
    });
  }
}

export function createRefusal(status: 401 | 403, reason: string): Response {
  const headers = { ...securityHeaders, 'content-type': 'text/plain' };
  return new Response(reason, { status, headers });
}
