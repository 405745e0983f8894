// Which URLs the sandbox fetches for clients. The list is explicit, because a gap would be a security hole.

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { findAddressesProblem, type Network } from '../../../../src/api/network/network-guard.ts';
import { isPrivateAddress } from '../../../../src/api/network/private-addresses.ts';
import { parsePublicUrl, UnsafeUrlError } from '../../src/downloads/private-network.ts';
import { openDownload } from '../../src/downloads/safe-download.ts';

describe('addresses', () => {
  test.each([
    '0.0.0.0',
    '10.255.255.255',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'fc00::1',
    'fdff::1',
    'fe80::1',
    'ff02::1',
    'fe80::1%eth0',
    '168.63.129.16',
    '100.100.100.200',
    '::ffff:169.254.169.254',
    '0:0:0:0:0:ffff:10.0.0.1',
    '0000:0000:0000:0000:0000:FFFF:c0a8:0101',
    '::ffff:0:127.0.0.1',
    '::10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::10.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    '2001:db8::1',
    '2002:a00:1::1',
    '3fff::1',
    '4000::1',
    '5f00::1',
    'fd00:ec2::254',
    'fec0::1',
    'not an address',
  ])('%s is private', (address) => expect(isPrivateAddress(address)).toBe(true));

  test.each([
    '1.1.1.1',
    '93.184.216.34',
    '172.32.0.1',
    '192.169.0.1',
    '::ffff:8.8.8.8',
    '::ffff:808:808',
    '0:0:0:0:0:FFFF:1.1.1.1',
    '2606:4700::1111',
    '2a00:1450:4001:830::200e',
  ])('%s is public', (address) => expect(isPrivateAddress(address)).toBe(false));
});

describe('URLs', () => {
  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://0x7f000001/',
    'http://0177.0.0.1/',
    'http://017700000001/',
    'http://0x7f.1/',
    'http://0/',
    'http://127.0.0.1./',
    'http://①②⑦.⓪.⓪.①/',
    'http://127。0。0。1/',
    'http://%31%32%37.0.0.1/',
    'http://3232235777/',
    'http://0xa9fea9fe/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://127.0.0.1:8080/',
    'http://[::]/',
    'http://[::1]:80/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::a9fe:a9fe]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00:ec2::254]/',
    'http://[0:0:0:0:0:ffff:7f00:1]/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://a.localhost./',
    'http://metadata.goog/',
    'http://metadata.google.internal./',
    'http://git.corp/',
    'http://router.home.arpa/',
    'http://kubernetes.default.svc/',
    'http://:secret@example.com/',
    'http://example.com@127.0.0.1/',
    'http://exa mple.com/',
    'http://[fe80::1%25eth0]/',
    'http://metadata/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://user:secret@example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/plain,hi',
    '//example.com',
    'example.com',
    '',
  ])('%s is refused', (url) => {
    expect(() => parsePublicUrl(url, false)).toThrow(UnsafeUrlError);
  });

  test.each(['http://example.com/a.glb', 'https://example.com:8443/a?b#c', 'https://1.1.1.1/'])(
    '%s is accepted',
    (url) => expect(parsePublicUrl(url, false).href).toBe(url),
  );

  test('URLs of private hosts are accepted with allowPrivate, but other schemes are always refused', () => {
    expect(parsePublicUrl('http://127.0.0.1:9/', true).port).toBe('9');
    expect(() => parsePublicUrl('file:///etc/passwd', true)).toThrow(UnsafeUrlError);
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://2852039166/',
    'http://[fd00:ec2::254]/',
    'http://100.100.100.200/',
    'http://168.63.129.16/',
    'http://metadata/',
    'http://metadata.google.internal/',
    'http://instance-data/',
  ])('%s is refused as a metadata host, even with allowPrivate', (url) => {
    expect(() => parsePublicUrl(url, true)).toThrow(UnsafeUrlError);
  });

  test.each([
    'http://10.0.0.1/',
    'http://metadata.example.com/',
    'http://[::1]/',
    'http://localhost/',
    'http://[fd00::1]/',
  ])('%s is accepted with allowPrivate', (url) => expect(parsePublicUrl(url, true).href).toBe(url));
});

describe('redirects', () => {
  let server: Server;
  let port = 0;
  let asked: string[] = [];
  beforeEach(async () => {
    asked = [];
    server = createServer((request, response) => {
      asked.push(`${request.headers.host?.split(':')[0]}${request.url}`);
      const to = new URL(request.url ?? '', 'http://x').searchParams.get('to');
      if (to) response.writeHead(302, { location: to }).end();
      else response.end('content');
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    ({ port } = server.address() as AddressInfo);
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  /** Treats 127.0.0.1 as a public address. All other addresses are checked as usual. */
  const findProblem = (addresses: readonly string[], network: Network) =>
    findAddressesProblem(
      addresses.filter((address) => address !== '127.0.0.1'),
      network,
    );

  function open(to: string, addresses: Record<string, string> = {}) {
    const url = `http://files.example.com:${port}/?to=${encodeURIComponent(to)}`;
    return openDownload(url, {
      allowPrivate: false,
      resolve: (hostname) => Promise.resolve([addresses[hostname] ?? '127.0.0.1']),
      findProblem,
      signal: AbortSignal.timeout(5_000),
    });
  }

  test('redirects to a public host are followed', async () => {
    const download = await open(`http://other.example.com:${port}/end`);
    expect(await text(download.body)).toBe('content');
    await download.close();
    expect(asked[1]).toBe('other.example.com/end');
  });

  test.each([
    'http://127.0.0.1/secret',
    'http://[::ffff:7f00:1]/secret',
    'http://localhost/secret',
    'file:///etc/passwd',
    'http://inner.example.com/secret',
    'http://127.0.0.1.nip.example/secret',
    'http://both.example.com/secret',
    '//127.0.0.1/secret',
    'http://user:secret@files.example.com/secret',
    'gopher://files.example.com/secret',
    'http://[64:ff9b::7f00:1]/secret',
  ])('redirects to %s are refused before a connection is opened', async (to) => {
    const addresses = {
      'inner.example.com': '10.0.0.7',
      '127.0.0.1.nip.example': '127.0.0.2',
      'both.example.com': '64:ff9b::a00:7',
    };
    await expect(open(to, addresses)).rejects.toThrow(UnsafeUrlError);
    expect(asked).toHaveLength(1);
  });

  test('each host name is resolved once, so that a second DNS answer cannot be used', async () => {
    let lookups = 0;
    const download = await openDownload(`http://files.example.com:${port}/`, {
      allowPrivate: false,
      resolve: () => {
        lookups += 1;
        return Promise.resolve([lookups === 1 ? '127.0.0.1' : '10.0.0.7']);
      },
      findProblem,
      signal: AbortSignal.timeout(5_000),
    });
    await download.close();
    expect([lookups, asked.length]).toEqual([1, 1]);
  });
});
