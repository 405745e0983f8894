// Which hosts are this machine itself: plain HTTP may go there, and a server that acts with a key may listen there.
import { expect, test } from 'vitest';
import { isLoopback } from '../../src/api/private-addresses.ts';

test.each([
  ['127.0.0.1', true],
  ['127.8.8.8', true],
  ['::1', true],
  ['[::1]', true],
  ['[::ffff:127.0.0.1]', true],
  ['localhost', true],
  ['LOCALHOST.', true],
  ['app.localhost', true],
  ['0.0.0.0', false],
  ['::', false],
  ['192.168.1.4', false],
  ['[::ffff:10.0.0.1]', false],
  ['127.0.0.1.evil.example', false],
  ['localhost.evil.example', false],
  ['notlocalhost', false],
])('%s is loopback: %s', (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});
