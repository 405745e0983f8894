import type { lookup } from 'node:dns';
import { describe, expect, it } from 'vitest';
import { downloadTo } from '../../src/api/download.ts';
import { ForbiddenAddressError } from '../../src/api/errors/transfer-errors.ts';
import { findAddressProblem, readAllowedHosts } from '../../src/api/network/allowed-hosts.ts';
import { classifyNetworkError } from '../../src/api/network/network-errors.ts';
import {
  allowedNetworkOf,
  createGuardedLookup,
  findAddressesProblem,
  parseAllowedUrl,
} from '../../src/api/network/network-guard.ts';
import {
  isMetadataAddress,
  isMetadataHost,
  isPrivateAddress,
} from '../../src/api/network/private-addresses.ts';
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
    '64:ff9b::10.0.0.1',
    '64:ff9b:1::808:808',
  ])('%s is private', (address) => {
    expect(isPrivateAddress(address)).toBe(true);
  });

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '100.128.0.1',
    '193.0.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is not private', (address) => {
    expect(isPrivateAddress(address)).toBe(false);
  });
});

describe('the network of a platform', () => {
  it.each([
    ['http://127.0.0.1:4010/api/v1', 'any'],
    ['http://localhost:4010/api/v1', 'any'],
    ['http://[::1]:4010/api/v1', 'any'],
    // Another container in the same network.
    ['http://sandbox:4010/api/v1', 'any'],
    ['https://renders.corp/api/v1', 'any'],
    ['https://platform.example.com/api/v1', 'public'],
    ['https://8.8.8.8/api/v1', 'public'],
  ])('the network of the platform at %s is: %s', (baseUrl, network) => {
    expect(allowedNetworkOf(new URL(baseUrl))).toBe(network);
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
    expect(() => parseAllowedUrl(url, 'public')).toThrow(ForbiddenAddressError);
  });

  it.each(['https://cdn.example/f', 'https://8.8.8.8/f'])('%s is allowed', (url) => {
    expect(() => parseAllowedUrl(url, 'public')).not.toThrow();
  });

  it('URLs of a local sandbox may use http and private addresses, but not file:', () => {
    expect(() => parseAllowedUrl('http://127.0.0.1:4010/f', 'any')).not.toThrow();
    expect(() => parseAllowedUrl('file:///etc/passwd', 'any')).toThrow(ForbiddenAddressError);
  });
});

/** Metadata hosts of clouds, in all spellings that lead to them. */
const metadata = [
  '169.254.169.254',
  '169.254.170.2',
  '2852039166',
  '0xa9fea9fe',
  '0251.0376.0251.0376',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '[::ffff:169.254.169.254]',
  '[0:0:0:0:0:ffff:a9fe:a9fe]',
  '[::169.254.169.254]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:a9fe:a9fe::1]',
  '[fd00:ec2::254]',
  '[fd00:ec2::23]',
  '[fd20:ce::254]',
  '[fe80::a9fe:a9fe]',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'metadata',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data.ec2.internal',
];

describe('metadata hosts of clouds', () => {
  it.each(metadata)('%s is refused under every policy, even if it is allowed by name', (host) => {
    const url = new URL(`http://${host}/latest`);
    expect(isMetadataHost(url)).toBe(true);
    for (const network of ['public', 'any'] as const) {
      expect(() => parseAllowedUrl(`https://${host}/latest`, network)).toThrow(
        ForbiddenAddressError,
      );
    }
    const hosts = readAllowedHosts({ RENDERLINE_ALLOW_HOSTS: `${host},${url.hostname}` });
    expect(findAddressProblem(url, hosts)).toMatchObject({ isFinal: true });
  });

  it.each([
    '127.0.0.1',
    '10.0.0.1',
    '::1',
    'fd12::1',
    '8.8.8.8',
    '2606:4700::1111',
    '64:ff9b::808:808',
  ])('%s is not a metadata address', (address) => {
    expect(isMetadataAddress(address)).toBe(false);
  });
});

describe('plain http', () => {
  it.each([
    ['http://127.0.0.1:4010/api/v1', '', true],
    ['http://127.8.9.1/', '', true],
    ['http://localhost:4010/', '', true],
    ['http://shop.localhost/', '', true],
    ['http://[::1]:4010/', '', true],
    ['http://[::ffff:127.0.0.1]/', '', true],
    ['https://platform.example.com/', '', true],
    ['http://platform.example.com/', '', false],
    ['http://localhost.example.com/', '', false],
    ['http://127.0.0.1.example.com/', '', false],
    ['http://10.0.0.7/', '', false],
    ['http://sandbox:4010/', '', false],
    ['http://sandbox:4010/', 'receiver, Sandbox', true],
    ['http://sandbox.example/', 'sandbox', false],
    ['http://a.example/', '*', false],
  ])('the address %s is accepted if the allowed hosts are "%s": %s', (address, list, isFine) => {
    const hosts = readAllowedHosts({ RENDERLINE_ALLOW_HOSTS: list });
    expect(findAddressProblem(new URL(address), hosts) === null).toBe(isFine);
  });
});

describe('the addresses of a name', () => {
  it.each([
    [['8.8.8.8', '2606:4700::1111'], null, null],
    [['8.8.8.8', '64:ff9b::808:808'], null, null],
    [['8.8.8.8', '64:ff9b::a00:1'], 'private', 'both public and private'],
    [['127.0.0.1', '::1'], 'private', null],
    [['8.8.8.8', '127.0.0.1'], 'private', 'both public and private'],
    [['10.0.0.1', '8.8.8.8', '8.8.4.4'], 'private', 'both public and private'],
    [['2606:4700::1111', 'fd12::1'], 'private', 'both public and private'],
    [['8.8.8.8', '169.254.169.254'], 'credentials', 'credentials'],
    [['10.0.0.1', '::ffff:169.254.169.254'], 'credentials', 'credentials'],
    [['fe80::1%eth0'], 'credentials', 'credentials'],
  ])(
    'the reason to refuse the addresses %j is %s if only public addresses are allowed, and %s otherwise',
    (addresses, inPublic, else_) => {
      const matches = (reason: string | null) =>
        reason === null ? null : expect.stringContaining(reason);
      expect(findAddressesProblem(addresses, 'public')).toEqual(matches(inPublic));
      expect(findAddressesProblem(addresses, 'any')).toEqual(matches(else_));
    },
  );

  it('all addresses of a name are checked when a connection is made', async () => {
    const mixed = [
      { address: '8.8.8.8', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ];
    const resolve = ((
      _name: string,
      _options: object,
      answer: (error: null, found: object[]) => void,
    ) => answer(null, mixed)) as unknown as typeof lookup;
    for (const network of ['public', 'any'] as const) {
      const error = await new Promise((done) => {
        createGuardedLookup(network, resolve)('odd.example', {}, (failure) => done(failure));
      });
      expect(error).toBeInstanceOf(ForbiddenAddressError);
    }
  });
});

it('a call to a refused address counts as not sent', () => {
  const error = new ForbiddenAddressError('odd.example', 'it resolves to a private address');
  expect(classifyNetworkError(error, 'odd.example')).toMatchObject({
    errorKind: 'address',
    code: 'ADDRESS_REFUSED',
    phase: 'connect',
  });
});

describe('host names', () => {
  const lookUp = (hostname: string, all: boolean) =>
    new Promise<unknown>((resolve) => {
      createGuardedLookup('public')(hostname, { all }, (error, address) =>
        resolve(error ?? address),
      );
    });

  it.each([true, false])(
    'host names that lead to a private address are refused (all: %s)',
    async (all) => {
      expect(await lookUp('localhost', all)).toBeInstanceOf(ForbiddenAddressError);
    },
  );

  it('host names are refused when they resolve to a private address, not only by their spelling', async () => {
    const sink = { write: async () => undefined };
    const error = await errorOf(
      downloadTo({ url: 'https://localhost:1/f', sink, network: 'public' }),
    );
    expect(error).toBeInstanceOf(ForbiddenAddressError);
    expect(error.message).toContain('private address');
  });

  it('host names that do not exist fail in the lookup', async () => {
    expect(await lookUp('does-not-exist.invalid', false)).toMatchObject({ syscall: 'getaddrinfo' });
  });
});
