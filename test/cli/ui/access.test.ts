import { expect, test } from 'vitest';
import { cookieName, refusalOf } from '../../../src/cli/ui/access.ts';

const port = 4030;
const token = 'the-token';
const host = `127.0.0.1:${port}`;
const own = { method: 'GET', host, origin: null, cookies: `${cookieName(port)}=${token}` };
const page = `http://${host}`;

test.each([
  ['a page of its own browser', {}, null],
  ['a form of its own page', { method: 'POST', origin: page }, null],
  ['beside other cookies', { cookies: `a=b; ${own.cookies}; c=d=e` }, null],
  ['by the name localhost', { host: `localhost:${port}` }, null],
  ['without a cookie', { cookies: null }, 401],
  ['with another token', { cookies: `${cookieName(port)}=the-toke` }, 401],
  ['with the cookie of a page at another port', { cookies: `${cookieName(1)}=${token}` }, 401],
  ['under a name that somebody made point here', { host: 'evil.example' }, 403],
  ['under a name that only begins like ours', { host: '127.0.0.1.evil.example' }, 403],
  ['without a host', { host: null }, 403],
  ['from a page elsewhere', { origin: 'https://evil.example' }, 403],
  ['from a page at another port', { origin: 'http://127.0.0.1:1' }, 403],
  ['a form of a page that does not say where it is', { method: 'POST', origin: 'null' }, 403],
  ['a form that tells no origin', { method: 'POST' }, 403],
])('%s', (_who, asker, status) => {
  expect(refusalOf({ ...own, ...asker }, { token, port })?.status ?? null).toBe(status);
});
