// Tests that the vendors' clients connect only to checked addresses, and not at all if one address of a name is
// refused.
import dns, { type LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { collect } from './_temp-folder.ts';

const host = 'store.example.test';
const realLookup = dns.lookup;
let addresses: string[] = [];
let lookups = 0;

/** Replaces the DNS of the whole process, so that a client with its own lookup would connect too. */
function resolve(name: string, options: object, answer: (no: null, all: LookupAddress[]) => void) {
  if (name !== host) return realLookup(name, options, answer as () => void);
  lookups += 1;
  const all = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  process.nextTick(answer, null, all);
}

beforeAll(() => {
  vi.spyOn(dns, 'lookup').mockImplementation(resolve as typeof dns.lookup);
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

let server: Server;
let port: number;
let connections = 0;
const hosts = new Set<string | undefined>();

beforeAll(async () => {
  server = createServer((request, response) => {
    hosts.add(request.headers.host);
    request.resume().on('end', () => response.writeHead(403, { connection: 'close' }).end());
  });
  server.on('connection', () => {
    connections += 1;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => server.close());
beforeEach(() => {
  lookups = 0;
  connections = 0;
  hosts.clear();
});

const secrets = {
  RENDERLINE_ALLOW_HOSTS: host,
  RENDERLINE_SECRET_SFTP: 'c4n4ry',
};
const azureString = (scheme: string) =>
  `DefaultEndpointsProtocol=${scheme};AccountName=a;AccountKey=YQ==;BlobEndpoint=${scheme}://${host}:${port}/a`;

const stores: Readonly<Record<string, (scheme: string) => Connector>> = {
  S3: (scheme) =>
    openConnector(
      { type: 's3', bucket: 'bucket', endpoint: `${scheme}://${host}:${port}`, pathStyle: true },
      secrets,
    ),
  GCS: (scheme) =>
    openConnector(
      { type: 'gcs', bucket: 'bucket', endpoint: `${scheme}://${host}:${port}` },
      secrets,
    ),
  Azure: (scheme) =>
    openConnector(
      { type: 'azure', container: 'bucket' },
      { ...secrets, AZURE_STORAGE_CONNECTION_STRING: azureString(scheme) },
    ),
  SFTP: () =>
    openConnector(
      { type: 'sftp', host, port, user: 'u', path: '/', passwordFrom: 'RENDERLINE_SECRET_SFTP' },
      secrets,
    ),
};

const works: Readonly<Record<string, (connector: Connector) => Promise<unknown>>> = {
  'a look': (connector) => connector.stat('a'),
  'a list': (connector) => collect(connector.list()),
  'a read': (connector) => connector.open('a'),
  'a write': (connector) => connector.write('a', new Uint8Array(3), { ifAbsent: true }),
  async 'a delivery'(connector) {
    const staged = await connector.stage('a');
    await staged.write(new Uint8Array(3_000_000));
    try {
      await staged.commit();
    } finally {
      await staged.discard();
    }
  },
};

beforeAll(() => {
  // Credentials for AWS's own chain.
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
    AWS_SECRET_ACCESS_KEY: 'c4n4ry',
    AWS_REGION: 'eu-central-1',
  });
});

describe.each(Object.keys(stores))('addresses of %s', (name) => {
  const open = (scheme: string) => stores[name]?.(scheme) ?? expect.fail(name);

  it.each(Object.keys(works))(
    'the client connects to the address that was checked: %s',
    async (work) => {
      addresses = ['127.0.0.1'];
      const failed = await works[work]?.(open('http')).catch((error: unknown) => error);
      expect(connections).toBeGreaterThan(0);
      expect(lookups).toBe(connections);
      if (name === 'SFTP') return;
      expect([...hosts]).toEqual([`${host}:${port}`]);
      expect(failed).toMatchObject({ code: 'ACCESS_DENIED' });
    },
  );

  it.each([
    ['a private and a public address', ['127.0.0.1', '8.8.8.8']],
    ['a public and a private address', ['8.8.8.8', '127.0.0.1']],
    ['the address of a cloud metadata service', ['169.254.169.254']],
    [
      'the addresses of a private host and a metadata service',
      ['127.0.0.1', '::ffff:169.254.169.254'],
    ],
  ])('a name with %s is refused before a connection is opened', async (_, found) => {
    addresses = found;
    for (const scheme of ['http', 'https']) {
      // Google's client retries a request for 14 seconds, whatever the error.
      for (const work of name === 'GCS' ? ['a read', 'a delivery'] : Object.keys(works)) {
        await expect(works[work]?.(open(scheme))).rejects.toMatchObject({
          code: 'CONNECTOR_MISCONFIGURED',
          message: expect.stringMatching(/(leads|resolves) to/),
          fix: expect.stringContaining('its DNS entries'),
        });
      }
    }
    expect(connections).toBe(0);
    expect(lookups).toBeGreaterThan(0);
  });
});
