// The proxy of a connection: which one is used, which hosts bypass it, and the errors if it refuses the connection.
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadTo } from '../../src/api/download.ts';
import { findProxy } from '../../src/api/network/proxy.ts';
import { putFile } from '../../src/api/upload.ts';
import { findKnownFailure } from '../../src/failures/classify-error.ts';
import { noProxies, startProxy, type TestProxy } from './_proxy.ts';
import { clientOf, errorOf, json, me, startServer, type TestServer } from './_server.ts';

const secret = 'pr0xyCanary';

describe('the proxy of an address', () => {
  const both = { HTTPS_PROXY: 'http://secure:3128', HTTP_PROXY: 'http://plain:3128' };
  it.each([
    ['none if no variable is set', {}, 'https://a.example.com', null],
    [
      'HTTPS_PROXY for an https address',
      both,
      'https://a.example.com',
      'secure:3128 (HTTPS_PROXY)',
    ],
    ['HTTP_PROXY for an http address', both, 'http://a.example.com', 'plain:3128 (HTTP_PROXY)'],
    [
      'HTTP_PROXY for an https address if only HTTP_PROXY is set',
      { HTTP_PROXY: 'http://plain:1' },
      'https://a.example.com',
      'plain:1 (HTTP_PROXY)',
    ],
    [
      'none for an http address if only HTTPS_PROXY is set',
      { HTTPS_PROXY: 'http://s:1' },
      'http://a.example.com',
      null,
    ],
    [
      'the lower-case variable if both are set',
      { https_proxy: 'http://low:1', HTTPS_PROXY: 'http://up:1' },
      'https://a.example.com',
      'low:1 (https_proxy)',
    ],
    ['none if the variable is empty', { HTTPS_PROXY: ' ' }, 'https://a.example.com', null],
    [
      'one that is set without a scheme',
      { HTTPS_PROXY: 'p:3128' },
      'https://a.example.com',
      'p:3128 (HTTPS_PROXY)',
    ],
    [
      'one that is set without a port',
      { HTTPS_PROXY: 'http://p' },
      'https://a.example.com',
      'p:80 (HTTPS_PROXY)',
    ],
    [
      'one that is reached over TLS',
      { HTTPS_PROXY: 'https://p' },
      'https://a.example.com',
      'p:443 (HTTPS_PROXY)',
    ],
    ['none for a loopback address', both, 'https://127.0.0.1:4010', null],
    ['none for loopback by name', both, 'http://localhost:4010', null],
    ['none for the loopback address of IPv6', both, 'http://[::1]:4010', null],
  ])('findProxy() returns the proxy of an address: %s', (_, env, url, shown) => {
    expect(findProxy(new URL(url), env)?.label ?? null).toBe(shown);
  });

  it.each([
    ['a.example.com', 'https://a.example.com', true],
    ['A.Example.COM', 'https://a.example.com', true],
    ['example.com', 'https://a.example.com', true],
    ['.example.com', 'https://a.example.com', true],
    ['*.example.com', 'https://a.example.com', true],
    ['.example.com', 'https://example.com', true],
    ['ample.com', 'https://a.example.com', false],
    ['other, example.com', 'https://a.example.com', true],
    ['other example.com', 'https://a.example.com', true],
    ['example.com:443', 'https://a.example.com', true],
    ['example.com:8443', 'https://a.example.com', false],
    ['example.com:8443', 'https://a.example.com:8443', true],
    ['10.1.2.3', 'http://10.1.2.3:9000', true],
    ['10.1.2.3:9001', 'http://10.1.2.3:9000', false],
    ['*', 'https://a.example.com', true],
    ['', 'https://a.example.com', false],
  ])('with NO_PROXY=%s, the address %s bypasses the proxy: %s', (list, url, isDirect) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      const proxy = findProxy(new URL(url), { HTTP_PROXY: 'http://p:1', [name]: list });
      expect(proxy === null).toBe(isDirect);
    }
  });

  it.each(['socks5://p:1080', 'http://', 'p q', 'ftp://p'])(
    '%s is not a valid proxy address',
    (text) => {
      const env = { HTTPS_PROXY: text.replace('//', `//u:${secret}@`) };
      const failed = () => findProxy(new URL('https://a.example.com'), env);
      expect(failed).toThrow('HTTPS_PROXY is not the address of an http or https proxy');
      expect(failed).not.toThrow(secret);
    },
  );
});

describe('connections through a proxy', () => {
  let server: TestServer;
  let proxy: TestProxy;
  beforeAll(async () => {
    [server, proxy] = await Promise.all([startServer(), startProxy()]);
  });
  afterAll(() => Promise.all([server.close(), proxy.close()]));
  beforeEach(() => {
    for (const [name, value] of Object.entries(noProxies)) vi.stubEnv(name, value);
    Object.assign(proxy, { tunnels: [], users: [], status: 200 });
    server.received.length = 0;
    server.respondWith((_, response) => json(response, 200, me));
  });
  afterEach(() => void vi.unstubAllEnvs());

  /** A client of a host that no name server knows, like the platform for a machine behind a proxy. */
  const clientAt = (host: string) =>
    clientOf(server, { baseUrl: `http://${host}:${server.port}/api/v1` });

  it('requests to the API go through the proxy with a user and a password, and the proxy resolves the name', async () => {
    vi.stubEnv('HTTP_PROXY', proxy.url.replace('//', `//user:${secret}%2f@`));
    const client = clientAt('platform.invalid');
    await client.getMe();
    await client.close();
    expect(proxy.tunnels).toEqual([`platform.invalid:${server.port}`]);
    expect(proxy.users).toEqual([`user:${secret}/`]);
    expect(server.received).toMatchObject([
      { headers: { host: `platform.invalid:${server.port}` } },
    ]);
  });

  it.each([
    [407, 'PROXY_AUTH', 'PROXY_REFUSED', /asks for a user and a password/],
    [403, 'PROXY_DENIED', 'PROXY_REFUSED', /refuses connections to platform\.invalid:\d+/],
    [502, 'PROXY_NO_WAY', 'API_UNREACHABLE', /cannot reach platform\.invalid:\d+/],
  ])(
    'if a proxy responds with %d, the error is %s, nothing was sent, and no password is shown',
    async (status, code, failure, words) => {
      vi.stubEnv('HTTP_PROXY', proxy.url.replace('//', `//user:${secret}@`));
      proxy.status = status;
      const error = await errorOf(clientAt('platform.invalid').getMe());
      expect(error).toMatchObject({ name: 'TransportError', code, phase: 'connect' });
      expect(error.message).toMatch(words);
      expect(error.message).toContain(`the proxy ${proxy.host} (HTTP_PROXY)`);
      expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(secret);
      expect(findKnownFailure(error)?.failure.code).toBe(failure);
    },
  );

  it('the connect timeout does not end an established connection', async () => {
    vi.stubEnv('HTTP_PROXY', proxy.url);
    server.respondWith((_, response) => void setTimeout(() => json(response, 200, me), 400));
    const baseUrl = `http://platform.invalid:${server.port}/api/v1`;
    const client = clientOf(server, { baseUrl, timeouts: { connectMs: 200 } });
    expect(await client.getMe()).toMatchObject(me);
    await client.close();
  });

  it('an unreachable proxy causes an error that contains the address of the proxy, but not its password', async () => {
    vi.stubEnv('HTTP_PROXY', `http://u:${secret}@127.0.0.1:1`);
    const error = await errorOf(clientAt('platform.invalid').getMe());
    expect(error.message).toContain('the proxy 127.0.0.1:1 (HTTP_PROXY): connection refused');
    expect(error.message).not.toContain(secret);
  });

  it('an invalid proxy address causes the error PROXY_ADDRESS', async () => {
    vi.stubEnv('HTTP_PROXY', 'socks5://p:1080');
    const error = await errorOf(clientAt('platform.invalid').getMe());
    expect(error).toMatchObject({ code: 'PROXY_ADDRESS', phase: 'connect' });
  });

  const bytes = new TextEncoder().encode('solid');
  const upload = (url: string, network: 'any' | 'public') =>
    putFile({
      url,
      network,
      contentType: 'model/gltf-binary',
      source: {
        name: 'a.glb',
        bytes: bytes.length,
        content: async () => bytes,
        isUnchanged: async () => true,
      },
    });
  const download = (url: string, network: 'any' | 'public') =>
    downloadTo({ url, network, sink: { write: async () => undefined } });
  const transfers = [
    ['upload', upload],
    ['download', download],
  ] as const;

  it.each(transfers)('the %s of a signed link goes through the proxy', async (_, transfer) => {
    vi.stubEnv('HTTP_PROXY', proxy.url);
    server.respondWith((_request, response) => response.end());
    await transfer(`http://storage.invalid:${server.port}/a?sig=1`, 'any');
    expect(proxy.tunnels).toEqual([`storage.invalid:${server.port}`]);
  });

  it.each(
    transfers.flatMap(([name, transfer]) =>
      [
        'https://10.0.0.1/a',
        'https://[fd12::1]/a',
        'https://localhost/a',
        'https://storage.internal/a',
        'https://printer/a',
        'https://169.254.169.254/a',
        'https://metadata.google.internal/a',
      ].map((url) => [name, url, transfer] as const),
    ),
  )(
    'the %s of the signed link %s is refused before any request to the proxy',
    async (_, url, transfer) => {
      vi.stubEnv('HTTPS_PROXY', proxy.url);
      const refused = transfer(url, 'public');
      await expect(refused).rejects.toMatchObject({ name: 'ForbiddenAddressError' });
      expect(proxy.tunnels).toEqual([]);
    },
  );
});
