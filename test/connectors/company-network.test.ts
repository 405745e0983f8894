// Stores in a company network that has its own certificate authority and a proxy.
import dns from 'node:dns';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { explainError } from '../../src/app/renderline-error.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { noProxies, startProxy, type TestProxy } from '../api/_proxy.ts';
import { Authority, canCertify } from '../system/_certificates.ts';
import { collect } from './_temp-folder.ts';

const secret = 'pr0xyCanary';
let server: Server;
let folder: string;
let port: number;
let hosts: Set<string | undefined>;
let proxy: TestProxy;

beforeAll(async () => {
  if (!canCertify) return;
  folder = mkdtempSync(join(tmpdir(), 'renderline-test-'));
  const { cert, key } = new Authority(folder, 'company').sign('store');
  server = createServer(
    { cert: readFileSync(cert), key: readFileSync(key) },
    (request, response) => {
      hosts.add(request.headers.host);
      request.resume().on('end', () => response.writeHead(403, { connection: 'close' }).end());
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
  proxy = await startProxy();
});
afterAll(async () => {
  if (!canCertify) return;
  rmSync(folder, { recursive: true });
  server.close();
  await proxy.close();
});
beforeEach(() => {
  hosts = new Set();
  if (canCertify) Object.assign(proxy, { tunnels: [], users: [], status: 200 });
  for (const [name, value] of Object.entries(noProxies)) vi.stubEnv(name, value);
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c4n4ry');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
});
afterEach(() => void vi.unstubAllEnvs());

function toThisMachine(
  _: string,
  options: { all?: boolean },
  answer: (...found: unknown[]) => void,
) {
  const found = { address: '127.0.0.1', family: 4 };
  if (options.all) answer(null, [found]);
  else answer(null, found.address, found.family);
}

const stores: Readonly<Record<string, (host: string) => Connector>> = {
  S3: (host) =>
    openConnector(
      { type: 's3', bucket: 'media', endpoint: `https://${host}:${port}`, pathStyle: true },
      { RENDERLINE_ALLOW_HOSTS: host },
    ),
  GCS: (host) =>
    openConnector({ type: 'gcs', bucket: 'media', endpoint: `https://${host}:${port}` }, {}),
  Azure: (host) =>
    openConnector(
      { type: 'azure', container: 'media' },
      {
        AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=https;AccountName=a;AccountKey=YQ==;BlobEndpoint=https://${host}:${port}/a`,
      },
    ),
};
const works: Readonly<Record<string, (connector: Connector) => Promise<unknown>>> = {
  list: (connector) => collect(connector.list()),
  read: (connector) => connector.read('a'),
  write: (connector) => connector.write('a', new Uint8Array(3), { ifAbsent: true }),
};
const cases = Object.keys(stores).flatMap((store) =>
  Object.keys(works).map((work) => [store, work] as const),
);

async function failing(store: string, work: string, host: string) {
  const connector = stores[store]?.(host) ?? expect.fail(store);
  const error = await works[work]?.(connector).catch((failed: unknown) => failed);
  if (!(error instanceof Error)) throw new Error('it should have failed');
  expect(`${error.message} ${error.stack}`).not.toContain(secret);
  return error;
}

describe.skipIf(!canCertify)('stores', () => {
  // Google's client retries a listing for 14 seconds, whatever the error.
  const quick = cases.filter((one) => one.join() !== 'GCS,list');
  it.each(quick)(
    'the error about an unknown certificate authority contains the fix (%s, %s)',
    async (store, work) => {
      const error = await failing(store, work, '127.0.0.1');
      expect(error).toMatchObject({
        code: 'CERTIFICATE_REFUSED',
        isTransient: false,
        runCause: { kind: 'later' },
        message: expect.stringMatching(
          /certificate of the store is not trusted.*NODE_EXTRA_CA_CERTS/,
        ),
      });
      expect(explainError(error)).toMatchObject({ code: 'CERTIFICATE_REFUSED', exit: 69 });
      expect(hosts.size).toBe(0);
    },
  );

  it.each(cases)('a request (%s, %s) goes through the proxy', async (store, work) => {
    vi.stubEnv('HTTPS_PROXY', proxy.url.replace('//', `//user:${secret}@`));
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const error = await failing(store, work, 'store.invalid');
    expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
    expect(new Set(proxy.tunnels)).toEqual(new Set([`store.invalid:${port}`]));
    expect(new Set(proxy.users)).toEqual(new Set([`user:${secret}`]));
    expect([...hosts]).toEqual([`store.invalid:${port}`]);
  });

  it.each(cases)(
    'a request (%s, %s) bypasses the proxy if the host is on NO_PROXY',
    async (store, work) => {
      vi.stubEnv('HTTPS_PROXY', proxy.url);
      vi.stubEnv('NO_PROXY', 'invalid');
      vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
      const lookup = vi.spyOn(dns, 'lookup').mockImplementation(toThisMachine as typeof dns.lookup);
      syncBuiltinESMExports();
      const error = await failing(store, work, 'store.invalid');
      lookup.mockRestore();
      syncBuiltinESMExports();
      expect(error).toMatchObject({ code: 'ACCESS_DENIED' });
      expect([...hosts]).toEqual([`store.invalid:${port}`]);
      expect(proxy.tunnels).toEqual([]);
    },
  );

  it.each(
    cases.flatMap(([store, work]) => [
      [store, work, 407, 'PROXY_REFUSED'] as const,
      [store, work, 403, store === 'GCS' ? 'ACCESS_DENIED' : 'PROXY_REFUSED'] as const,
    ]),
  )(
    'if the proxy answers a request (%s, %s) with %d, the error is %s',
    async (store, work, status, code) => {
      vi.stubEnv('HTTPS_PROXY', proxy.url.replace('//', `//user:${secret}@`));
      proxy.status = status;
      // Our own requests, apart from Google's client, give more details.
      const own = store === 'GCS' && work !== 'write' ? 'PROXY_REFUSED' : code;
      expect(await failing(store, work, 'store.invalid')).toMatchObject({ code: own });
    },
  );
});
