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

describe('a request after the printed address was opened', () => {
  const origin = page;
  test.each<[string, (pair: string, base: string) => Asked, number | null]>([
    ['a page of its own browser', () => ({}), null],
    ['a page below', (_, base) => ({ path: `${base}runs/r-1?page=2` }), null],
    ['a form of its own page', () => ({ method: 'POST', headers: { origin } }), null],
    ['a check whether a page exists', () => ({ method: 'HEAD' }), null],
    ['beside other cookies', (pair) => ({ headers: { cookie: `a=b; ${pair}; c=d=e` } }), null],
    [
      'beside a cookie of this name that another server has set',
      (pair) => ({ headers: { cookie: `renderline_ui=theirs; ${pair}` } }),
      null,
    ],
    ['by the name localhost', () => ({ headers: { host: 'localhost:4030' } }), null],
    ['without the cookie', () => ({ headers: { cookie: '' } }), 401],
    [
      'with the token as the cookie',
      () => ({ headers: { cookie: `renderline_ui=${token}` } }),
      401,
    ],
    ['with the cookie, without the path', () => ({ path: '/' }), 401],
    ['with the cookie, at another path', () => ({ path: `/ui-${'A'.repeat(32)}/` }), 401],
    ['with the path twice', (_, base) => ({ path: `/${base}` }), 401],
    [
      'with another host name that resolves to this computer',
      () => ({ headers: { host: 'evil.example' } }),
      403,
    ],
    [
      'with a host name that only starts with 127.0.0.1',
      () => ({ headers: { host: '127.0.0.1.evil.example' } }),
      403,
    ],
    ['from another website', () => ({ headers: { origin: 'https://evil.example' } }), 403],
    ['from a page at another port', () => ({ headers: { origin: 'http://127.0.0.1:1' } }), 403],
    [
      'a form of a page without an origin',
      () => ({ method: 'POST', headers: { origin: 'null' } }),
      403,
    ],
    ['a form without an origin header', () => ({ method: 'POST' }), 403],
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
  test('leads to the first page, without the token', () => {
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
  ])('%s with the token does not redirect elsewhere', (path, status) => {
    const access = new UiAccess(token);
    const asked = new Request(`${page}${path}?token=${token}`, { headers: { host } });
    const answer = answerOf(access, asked);
    expect(answer?.status).toBe(status);
    expect([null, access.base]).toContain(answer?.headers.get('location') ?? null);
    expect(answer?.headers.get('location') ?? '').not.toContain('evil');
  });

  test.each(['', 'the-toke', 'the-token2'])('with the token %j is refused', (shown) => {
    const access = new UiAccess(token);
    const asked = new Request(`${page}/?token=${shown}`, { headers: { host } });
    expect(answerOf(access, asked)?.status).toBe(401);
  });
});
