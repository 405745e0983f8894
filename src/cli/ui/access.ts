// Who may ask: the browser that was given the address with the token, and only from a page of this server.
import { isSame, newToken } from '../../settings/bearer-token.ts';
import { namesThisMachine } from '../../settings/fetch-server.ts';

/** Headers of every answer. */
export const safety = {
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
 * A browser sends a cookie to all ports of a host, and so to whatever else listens on this machine. So the cookie belongs
 * to a path that nobody guesses: the browser sends it only with addresses that begin with that path, and only pages of this
 * server have such addresses.
 */
export class UiAccess {
  /** Path that all pages lie below, with a slash at its end. */
  readonly base = `/ui-${newToken()}/`;
  readonly #token: string;
  /** Another secret than the token, which it is exchanged for. */
  readonly #session = newToken();

  /** @param token stands in the address that a person opens */
  constructor(token: string) {
    this.#token = token;
  }

  /** Lets the browser in that shows the token, and refuses who may not ask; null lets a request in. */
  gate(request: Request): Response | null {
    const { headers, method } = request;
    const { pathname, searchParams } = new URL(request.url);
    if (!namesThisMachine(headers.get('host'))) {
      return refused(403, 'This server answers by the names of this machine only.');
    }
    const shown = searchParams.get('token');
    if (pathname === '/' && method === 'GET' && shown !== null && isSame(shown, this.#token)) {
      return this.#entered();
    }
    const origin = headers.get('origin');
    const isOwnPage = origin === null || origin === `http://${headers.get('host')}`;
    if (!isOwnPage || (method !== 'GET' && origin === null)) {
      return refused(403, 'Another page may not ask here.');
    }
    const isBelow = isSame(pathname.slice(0, this.base.length), this.base);
    if (isBelow && this.#hasCookie(headers.get('cookie') ?? '')) return null;
    return refused(401, 'Open the address that `renderline ui` printed: it carries the token.');
  }

  /** The token leaves the address at once, and the browser goes to no other place than the first page. */
  #entered(): Response {
    const cookie = `${cookieName}=${this.#session}; HttpOnly; SameSite=Strict; Path=${this.base}`;
    const headers = { ...safety, 'set-cookie': cookie, location: this.base };
    return new Response(null, { status: 303, headers });
  }

  /** Others on this machine may have set a cookie of the same name, so each is looked at. */
  #hasCookie(cookies: string): boolean {
    return cookies.split(';').some((pair) => {
      const [name = '', value = ''] = pair.trim().split('=', 2);
      return name === cookieName && isSame(value, this.#session);
    });
  }
}

function refused(status: 401 | 403, why: string): Response {
  return new Response(why, { status, headers: { ...safety, 'content-type': 'text/plain' } });
}
