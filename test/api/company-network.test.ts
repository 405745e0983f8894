// Our own clients in company networks: messages about certificates, and the use of the proxy.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer as createPlain } from 'node:http';
import { createServer } from 'node:https';
import { type AddressInfo, createServer as createTcp, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { downloadTo } from '../../src/api/download.ts';
import {
  classifyNetworkError,
  findNetworkErrorFix,
  formatNetworkError,
} from '../../src/api/network/network-errors.ts';
import { putFile } from '../../src/api/upload.ts';
import { sendNotice } from '../../src/features/notices/send-notice.ts';
import { listenForWakeUps } from '../../src/receiver/listen-for-wake-ups.ts';
import { readOperatorRules } from '../../src/settings/operator-rules.ts';
import { startTracing } from '../../src/telemetry/tracing.ts';
import { probeAddress, probeCertificates } from '../../src/temporal/connection/address-probe.ts';
import { Authority, type Certificate, canCertify } from '../system/_certificates.ts';
import { noProxies, startProxy, type TestProxy } from './_proxy.ts';

const secret = 'pr0xyCanary';
let folder: string;
let authority: Authority;
let proxy: TestProxy;
let port: number;
const servers: Server[] = [];
const hosts = new Set<string | undefined>();

async function listening(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function secured({ cert, key }: Certificate): Promise<number> {
  const files = { cert: readFileSync(cert), key: readFileSync(key) };
  return listening(
    // gRPC needs HTTP/2.
    createServer({ ...files, ALPNProtocols: ['http/1.1', 'h2'] }, (request, response) => {
      hosts.add(request.headers.host);
      request.resume().on('end', () => response.writeHead(404, { connection: 'close' }).end());
    }),
  );
}

beforeAll(async () => {
  proxy = await startProxy();
  if (!canCertify) return;
  folder = mkdtempSync(join(tmpdir(), 'renderline-test-'));
  authority = new Authority(folder, 'company');
  port = await secured(authority.sign('inside'));
});
afterAll(async () => {
  for (const server of servers) server.close();
  await proxy.close();
  if (canCertify) rmSync(folder, { recursive: true });
});
beforeEach(() => {
  hosts.clear();
  Object.assign(proxy, { tunnels: [], users: [], status: 200 });
  for (const [name, value] of Object.entries(noProxies)) vi.stubEnv(name, value);
});
afterEach(() => void vi.unstubAllEnvs());

/** The message of each of our clients if its connection to the host fails. Null if the client got a response. */
const clients: Readonly<Record<string, (origin: string) => Promise<string | null>>> = {
  async api(origin) {
    const client = createClient({ baseUrl: `${origin}/api/v1`, apiKey: 'svc_a_b' });
    const error = await client.getMe().catch((failed: unknown) => failed);
    await client.close();
    return error instanceof Error && error.name === 'TransportError' ? error.message : null;
  },
  upload: (origin) =>
    putFile({
      url: `${origin}/a?sig=c4n4ry`,
      network: 'any',
      contentType: 'model/gltf-binary',
      source: {
        name: 'a.glb',
        bytes: 1,
        content: async () => new Uint8Array(1),
        isUnchanged: async () => true,
      },
    }).then(() => null, messageUnlessAnswered),
  download: (origin) =>
    downloadTo({
      url: `${origin}/a?sig=c4n4ry`,
      network: 'any',
      sink: { write: async () => 0 },
    }).then(() => null, messageUnlessAnswered),
  notice: (origin) => {
    const guard = readOperatorRules({ RENDERLINE_SECRET_HOOK: 'words' }, 'any');
    const target = { url: `${origin}/in`, secretFrom: 'RENDERLINE_SECRET_HOOK' };
    const signal = new AbortController().signal;
    return sendNotice({ id: 'a', body: '{}', target }, guard, Date.now(), signal).then(
      () => null,
      (error: Error) => (/responded with status 404/.test(error.message) ? null : error.message),
    );
  },
  async 'wake-ups'(origin) {
    let listening: { stop(): Promise<void> } | undefined;
    const reason = await new Promise<string>((resolve) => {
      const onState = (state: { reason: string }) => resolve(state.reason);
      listening = listenForWakeUps({
        url: `${origin}/wake-ups`,
        apiKey: 'k',
        onWakeUps: () => 0,
        onState,
      });
    });
    await listening?.stop();
    return /returned 404/.test(reason) ? null : reason;
  },
  async traces(origin) {
    const said: string[] = [];
    const tracing = startTracing({
      url: `${origin}/v1/traces`,
      headers: {},
      service: 'renderline',
      version: '1',
      share: 1,
      onTrouble: (message) => said.push(message),
    });
    tracing.command('run-1', 'command', Date.now());
    await tracing.stop();
    const [message = 'nothing was said'] = said;
    return /Not Found/.test(message) ? null : message;
  },
};

function messageUnlessAnswered(error: Error): string | null {
  return error.name === 'TransportError' ? error.message : null;
}

describe.skipIf(!canCertify)('each client', () => {
  it.each(Object.keys(clients))(
    'the client "%s" reports a certificate of an unknown authority',
    async (name) => {
      const message = await clients[name]?.(`https://127.0.0.1:${port}`);
      expect(message).toMatch(/the certificate of 127\.0\.0\.1:\d+ is not trusted: this machine/);
      expect(message).not.toContain('c4n4ry');
      expect(hosts.size).toBe(0);
    },
  );

  it.each(['notice', 'traces'])(
    'the client "%s" reports an error that contains the fix',
    async (name) => {
      const message = await clients[name]?.(`https://127.0.0.1:${port}`);
      expect(message).toContain('NODE_EXTRA_CA_CERTS');
    },
  );

  it.each(Object.keys(clients))(
    'the client "%s" connects through the proxy, which resolves the host name',
    async (name) => {
      vi.stubEnv('HTTPS_PROXY', proxy.url.replace('//', `//user:${secret}@`));
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      expect(await clients[name]?.(`https://inside.invalid:${port}`)).toBeNull();
      expect(new Set(proxy.tunnels)).toEqual(new Set([`inside.invalid:${port}`]));
      expect([...hosts]).toEqual([`inside.invalid:${port}`]);
    },
  );

  it.each(Object.keys(clients))(
    'the client "%s" reports a proxy that refuses the connection, but not the password of the proxy',
    async (name) => {
      vi.stubEnv('HTTPS_PROXY', proxy.url.replace('//', `//user:${secret}@`));
      proxy.status = 407;
      const message = await clients[name]?.(`https://inside.invalid:${port}`);
      expect(message).toContain(
        `the proxy ${proxy.host} (HTTPS_PROXY) asks for a user and a password`,
      );
      expect(message).not.toContain(secret);
    },
  );

  it('the probe of Temporal reports the same certificate', async () => {
    const problems = await probeCertificates(`127.0.0.1:${port}`, {}, 2_000);
    expect(problems).toEqual({ server: expect.stringMatching(/is not trusted: this machine/) });
  });
});

describe.skipIf(!canCertify)('the classification of a real failure', () => {
  const faultAt = (at: number, options: object = {}) =>
    new Promise<ReturnType<typeof classifyNetworkError>>((resolve) => {
      const ca = readFileSync(authority.own.cert);
      const socket = connect({ host: '127.0.0.1', port: at, ca, ...options });
      socket.once('error', (error) => resolve(classifyNetworkError(error, 'store:443')));
    });

  it('an expired certificate is reported as a certificate error', async () => {
    const fault = await faultAt(await secured(authority.sign('old', -3)));
    expect(fault).toMatchObject({ errorKind: 'certificate', phase: 'connect' });
    expect(fault?.reason).toBe('the certificate of store:443 has expired');
    expect(fault && findNetworkErrorFix(fault)).toContain('renew');
  });

  it('a certificate for another name is reported with a fix', async () => {
    const fault = await faultAt(port, { servername: 'other.example.com' });
    expect(fault?.reason).toBe('the certificate of store:443 is for another host name');
    expect(fault && findNetworkErrorFix(fault)).toContain('correct the host');
  });

  it('the fix for an unknown authority mentions NODE_EXTRA_CA_CERTS', async () => {
    const fault = await faultAt(port, { ca: undefined });
    expect(fault && findNetworkErrorFix(fault)).toContain('NODE_EXTRA_CA_CERTS');
  });

  it('a port without TLS is reported as not speaking TLS', async () => {
    const at = await listening(createPlain());
    const fault = await faultAt(at);
    expect(fault && formatNetworkError(fault, 'store:443')).toMatch(
      /^store:443: the server does not use TLS on this port/,
    );
  });

  it('an interrupted connection is reported as unreachable', async () => {
    const at = await listening(createTcp((socket) => socket.resetAndDestroy()));
    expect(await faultAt(at)).toMatchObject({
      errorKind: 'unreachable',
      reason: 'the connection was interrupted',
    });
  });

  it('a port without a listener is reported as refusing the connection', async () => {
    expect(await faultAt(1)).toMatchObject({ phase: 'connect', reason: 'connection refused' });
    expect(await probeAddress('127.0.0.1:1', 1_000)).toBe('connection refused');
  });
});

describe('the classification of errors of libraries', () => {
  const coded = (code: string, more: object = {}) => Object.assign(new Error('x'), { code }, more);
  it.each([
    ['ENOTFOUND', coded('ENOTFOUND'), 'unreachable', 'connect'],
    ['EAI_AGAIN', coded('EAI_AGAIN'), 'unreachable', 'connect'],
    ['ECONNRESET', coded('ECONNRESET'), 'unreachable', 'sent'],
    ['ETIMEDOUT', coded('ETIMEDOUT'), 'unreachable', 'sent'],
    ['a timeout', new DOMException('late', 'TimeoutError'), 'unreachable', 'sent'],
    [
      'an error with a cause',
      new Error('fetch failed', { cause: coded('ECONNREFUSED') }),
      'unreachable',
      'connect',
    ],
    [
      'an error of several addresses',
      new AggregateError([coded('ECONNREFUSED')]),
      'unreachable',
      'connect',
    ],
    [
      'a certificate error as a cause',
      new Error('x', { cause: coded('CERT_HAS_EXPIRED') }),
      'certificate',
      'connect',
    ],
    ['a proxy error with only a code', coded('PROXY_AUTH'), 'proxy', 'connect'],
    ['an address error with only a code', coded('ADDRESS_REFUSED'), 'address', 'connect'],
    ['an unknown code', coded('UND_ERR_NEW_ONE'), 'unreachable', 'sent'],
  ])('classifyNetworkError() returns the kind and phase of %s', (_, error, errorKind, phase) => {
    expect(classifyNetworkError(error, 'host')).toMatchObject({ errorKind, phase });
  });

  it.each([
    ['a TypeError', new TypeError('x')],
    ['an error with a code of our own', coded('NO_SUCH_THING')],
    ['a string', 'x'],
  ])('%s is not a network error', (_, error) => {
    expect(classifyNetworkError(error, 'host')).toBeNull();
  });
});
