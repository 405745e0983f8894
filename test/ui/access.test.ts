// Access to the pages: only for the browser that opened the address, not for other servers that receive its cookies.
import { describe, expect, test } from 'vitest';
import { UiAccess } from '../../src/ui/access.ts';

const host = '127.0.0.1:4030';
const page = `http://${host}`;
const token = 'the-token';

/** The response to a request that is not admitted; null if it is admitted. */
function answerOf(access: UiAccess, asked: Request): Response | null {
  const admitted = access.admit(asked);
  return admitted instanceof Response ? admitted : null;
}

/** A browser that has opened the printed address. */
function entered() {
  const access = new UiAccess(token);
  const answer = answerOf(access, new Request(`${page}/?token=${token}`, { headers: { host } }));
  const cookie = answer?.headers.get('set-cookie') ?? '';
  const [pair = ''] = cookie.split(';');
  return { access, answer, cookie, pair };
}

interface Asked {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
}

describe('a request after the printed address has been opened', () => {
  const origin = page;
  test.each<[string, (pair: string, base: string) => Asked, number | null]>([
    ['a page of the same browser is admitted', () => ({}), null],
    [
      'a page below the first page is admitted',
      (_, base) => ({ path: `${base}runs/r-1?page=2` }),
      null,
    ],
    [
      'a form of one of the pages is admitted',
      () => ({ method: 'POST', headers: { origin } }),
      null,
    ],
    ['a check whether a page exists is admitted', () => ({ method: 'HEAD' }), null],
    [
      'a request with other cookies is admitted',
      (pair) => ({ headers: { cookie: `a=b; ${pair}; c=d=e` } }),
      null,
    ],
    [
      'a request with a cookie of this name from another server is admitted',
      (pair) => ({ headers: { cookie: `renderline_ui=theirs; ${pair}` } }),
      null,
    ],
    [
      'a request to the name localhost is admitted',
      () => ({ headers: { host: 'localhost:4030' } }),
      null,
    ],
    ['a request without the cookie is refused', () => ({ headers: { cookie: '' } }), 401],
    [
      'a request with the token as the cookie is refused',
      () => ({ headers: { cookie: `renderline_ui=${token}` } }),
      401,
    ],
    ['a request with the cookie but without the path is refused', () => ({ path: '/' }), 401],
    [
      'a request with the cookie but at another path is refused',
      () => ({ path: `/ui-${'A'.repeat(32)}/` }),
      401,
    ],
    ['a request that contains the path twice is refused', (_, base) => ({ path: `/${base}` }), 401],
    [
      'a request to another host name that resolves to this computer is refused',
      () => ({ headers: { host: 'evil.example' } }),
      403,
    ],
    [
      'a request to a host name that only starts with 127.0.0.1 is refused',
      () => ({ headers: { host: '127.0.0.1.evil.example' } }),
      403,
    ],
    [
      'a request from another website is refused',
      () => ({ headers: { origin: 'https://evil.example' } }),
      403,
    ],
    [
      'a request from a page at another port is refused',
      () => ({ headers: { origin: 'http://127.0.0.1:1' } }),
      403,
    ],
    [
      'a form of a page without an origin is refused',
      () => ({ method: 'POST', headers: { origin: 'null' } }),
      403,
    ],
    ['a form without an origin header is refused', () => ({ method: 'POST' }), 403],
  ])('%s', (_who, askedBy, status) => {
    const { access, pair } = entered();
    const { method = 'GET', path = access.base, headers } = askedBy(pair, access.base);
    const asked = new Request(`${page}${path}`, {
      method,
      headers: { host, cookie: pair, ...headers },
    });
    expect(answerOf(access, asked)?.status ?? null).toBe(status);
  });

  test('the cookie has a path that no other server uses', () => {
    const { access, cookie, pair } = entered();
    expect(cookie).toContain(`; Path=${access.base}`);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; /);
    expect(access.base).toMatch(/^\/ui-[\w-]{32}\/$/);
    expect(pair).not.toContain(token);
    expect(pair).not.toContain(access.base.slice(4, -1));
    expect(new UiAccess(token).base).not.toBe(access.base);
  });
});

describe('the printed address', () => {
  test('the printed address leads to the first page, without the token', () => {
    const { access, answer } = entered();
    expect([answer?.status, answer?.headers.get('location')]).toEqual([303, access.base]);
    expect(answer?.headers.get('referrer-policy')).toBe('same-origin');
    expect(answer?.headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    ['//evil.example/', 401],
    ['/\\evil.example/', 401],
    ['/https://evil.example/', 401],
    ['/runs', 401],
    ['/', 303],
  ])('the path %s with the token does not redirect elsewhere', (path, status) => {
    const access = new UiAccess(token);
    const asked = new Request(`${page}${path}?token=${token}`, { headers: { host } });
    const answer = answerOf(access, asked);
    expect(answer?.status).toBe(status);
    expect([null, access.base]).toContain(answer?.headers.get('location') ?? null);
    expect(answer?.headers.get('location') ?? '').not.toContain('evil');
  });

  test.each(['', 'the-toke', 'the-token2'])(
    'the printed address with the token %j is refused',
    (shown) => {
      const access = new UiAccess(token);
      const asked = new Request(`${page}/?token=${shown}`, { headers: { host } });
      expect(answerOf(access, asked)?.status).toBe(401);
    },
  );
});
