import { describe, expect, it } from 'vitest';
import { downloadTo } from '../../src/api/download.ts';
import { checkedUrl, guardedLookup, networkFor } from '../../src/api/network-guard.ts';
import { isPrivateAddress } from '../../src/api/private-addresses.ts';
import { ForbiddenAddressError } from '../../src/api/transfer-errors.ts';
import { errorOf } from './_server.ts';

describe('private addresses', () => {
  it.each([
    '127.0.0.1',
    '127.255.255.254',
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    'fc00::1',
    'fd12::1',
    'fe80::1',
    'ff02::1',
    '64:ff9b::7f00:1',
  ])('%s is one', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '193.0.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
  ])('%s is none', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe('the network of a platform', () => {
  it.each([
    ['http://127.0.0.1:4010/api/v1', 'any'],
    ['http://localhost:4010/api/v1', 'any'],
    ['http://[::1]:4010/api/v1', 'any'],
    // A neighbour in a container network.
    ['http://sandbox:4010/api/v1', 'any'],
    ['https://renders.corp/api/v1', 'any'],
    ['https://platform.example.com/api/v1', 'public'],
    ['https://8.8.8.8/api/v1', 'public'],
  ])('%s: %s', (baseUrl, network) => {
    expect(networkFor(new URL(baseUrl))).toBe(network);
  });
});

describe('URLs from outside', () => {
  it.each([
    'http://cdn.example/f',
    'ftp://cdn.example/f',
    'file:///etc/passwd',
    'https://127.0.0.1/f',
    'https://2130706433/f',
    'https://0x7f.1/f',
    'https://0177.0.0.1/f',
    'https://[::1]/f',
    'https://[::ffff:127.0.0.1]/f',
    'https://169.254.169.254/latest/meta-data',
  ])('%s is refused', (url) => {
    expect(() => checkedUrl(url, 'public')).toThrow(ForbiddenAddressError);
  });

  it.each(['https://cdn.example/f', 'https://8.8.8.8/f'])('%s is allowed', (url) => {
    expect(() => checkedUrl(url, 'public')).not.toThrow();
  });

  it('of a local sandbox may be http and private, and nothing stranger', () => {
    expect(() => checkedUrl('http://127.0.0.1:4010/f', 'any')).not.toThrow();
    expect(() => checkedUrl('file:///etc/passwd', 'any')).toThrow(ForbiddenAddressError);
  });
});

describe('names', () => {
  const lookUp = (hostname: string, all: boolean) =>
    new Promise<unknown>((resolve) => {
      guardedLookup(hostname, { all }, (error, address) => resolve(error ?? address));
    });

  it.each([true, false])('that lead to a private address are refused (all: %s)', async (all) => {
    expect(await lookUp('localhost', all)).toBeInstanceOf(ForbiddenAddressError);
  });

  it('are refused at the connection too, not only by spelling', async () => {
    const sink = { write: async () => undefined };
    const error = await errorOf(
      downloadTo({ url: 'https://localhost:1/f', sink, network: 'public' }),
    );
    expect(error).toBeInstanceOf(ForbiddenAddressError);
    expect(error.message).toContain('private address');
  });

  it('that do not exist fail as names', async () => {
    expect(await lookUp('does-not-exist.invalid', false)).toMatchObject({ syscall: 'getaddrinfo' });
  });
});
