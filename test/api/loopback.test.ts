// Which hosts are this machine. Plain HTTP is allowed there, and servers that use a key may listen there.
import { expect, test } from 'vitest';
import { isLoopback, networkOf } from '../../src/api/network/private-addresses.ts';

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

test.each([
  ['203.0.113.7', '203.0.113'],
  ['::ffff:203.0.113.200', '203.0.113'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::9', '2001:db8:1:2'],
  ['fe80::1%eth0', 'fe80:0:0:0'],
  ['', ''],
])('%s belongs to the network %s', (address, network) => {
  expect(networkOf(address)).toBe(network);
});
