// Tests a listing of an Azure container with a cursor: the service starts at the cursor, and an older service that
// ignores the cursor returns the same files.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { createFileLister } from '../../src/store/discovery/list-files.ts';
import { collect } from './_temp-folder.ts';

const flat = ['a', 'b', 'c', 'd', 'e'].map((name) => `shop/${name}.glb`);
const pageSize = 2;
let queries: URLSearchParams[] = [];
let knowsStartFrom = true;
let names = flat;
let orderOf = (name: string) => name;
/** Blobs that stand for folders, with the name of their metadata. */
let folders: Record<string, string> = {};

/** Lists as an account with a hierarchical namespace does: the files of a folder come before `a-b` and `a.glb`. */
const byFolder = (name: string) => name.replaceAll('/', '\u0001');

function metadataOf(name: string, query: URLSearchParams): string {
  const field = folders[name];
  return field !== undefined && query.get('include')?.split(',').includes('metadata')
    ? `<Metadata><${field}>true</${field}></Metadata>`
    : '';
}

function listingOf(query: URLSearchParams): string {
  const first = query.get('marker') || (knowsStartFrom && query.get('startFrom')) || '';
  const left = names.filter(
    (name) => name.startsWith(query.get('prefix') ?? '') && orderOf(name) >= orderOf(first),
  );
  const blobs = left
    .slice(0, pageSize)
    .map((name) => `<Blob><Name>${name}</Name><Properties/>${metadataOf(name, query)}</Blob>`);
  const next = left[pageSize] ?? '';
  return `<?xml version="1.0"?><EnumerationResults><Blobs>${blobs.join('')}</Blobs><NextMarker>${next}</NextMarker></EnumerationResults>`;
}

const server = createServer((request, response) => {
  const query = new URL(request.url ?? '', 'http://localhost').searchParams;
  if (!query.has('restype')) {
    // One blob.
    const field = folders[decodeURIComponent((request.url ?? '').replace(/^\/a\/media\//, ''))];
    response
      .writeHead(200, {
        'content-length': 0,
        etag: '"1"',
        ...(field && { [`x-ms-meta-${field}`]: 'true' }),
      })
      .end();
    return;
  }
  queries.push(query);
  response.writeHead(200, { 'content-type': 'application/xml' }).end(listingOf(query));
});

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const connector = () =>
  openConnector(
    { type: 'azure', container: 'media', prefix: 'shop' },
    {
      AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=${origin()}/a`,
    },
  );

beforeAll(async () => {
  vi.stubEnv('RENDERLINE_ALLOW_HOSTS', '127.0.0.1');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
beforeEach(() => {
  queries = [];
  knowsStartFrom = true;
  names = flat;
  folders = {};
  orderOf = (name) => name;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

describe('a listing of an Azure container that starts after a file', () => {
  it('a listing after a file asks the service to start there, and requests no earlier files', async () => {
    expect(await collect(connector().names('', { after: 'd.glb' }))).toEqual(['e.glb']);
    expect(queries.map((query) => query.get('startFrom'))).toEqual(['shop/d.glb']);
  });

  it('a listing after a file continues across pages', async () => {
    const rest = await collect(connector().names('', { after: 'a.glb' }));
    expect(rest).toEqual(['b.glb', 'c.glb', 'd.glb', 'e.glb']);
    expect(queries.map((query) => query.get('marker') ?? '')).toEqual(['', flat[2], flat[4]]);
  });

  it('a listing skips earlier files if the service starts with the first file', async () => {
    knowsStartFrom = false;
    expect(await collect(connector().names('', { after: 'd.glb' }))).toEqual(['e.glb']);
    expect(queries).toHaveLength(3);
  });

  it.each([{}, { after: '' }])(
    'a listing without a start file (%o) starts with the first file',
    async (options) => {
      expect(await collect(connector().names('', options))).toHaveLength(flat.length);
      expect(queries.every((query) => !query.has('startFrom'))).toBe(true);
    },
  );
});

describe('discovery in an account with a hierarchical namespace', () => {
  const limits = { names: 3, ms: 60_000 };
  const lister = () =>
    createFileLister({
      connector: connector(),
      config: { include: ['**/*'], exclude: [], stableForMs: 0 },
      node: 'take',
      now: () => 0,
    });
  beforeEach(() => {
    orderOf = byFolder;
  });

  it.each([true, false])(
    "discovery refuses to continue if the service's order would skip a file (the service can start at a name: %s)",
    async (knows) => {
      knowsStartFrom = knows;
      names = ['a/1', 'a/2', 'a/3', 'a/4', 'a-b', 'b'].map((name) => `shop/${name}`);
      const first = await lister().listPage?.('', limits, undefined);
      expect(first?.after).toBe('a/3');
      await expect(lister().listPage?.('a/3', limits, undefined)).rejects.toMatchObject({
        code: 'STORE_UNSUITABLE',
        message: expect.stringMatching(/"a-b" comes after a later name.*hierarchical namespace/),
      });
    },
  );

  it('discovery returns all files at once if the first page reveals the order', async () => {
    names = ['a/1', 'a-b', 'b', 'c', 'd'].map((name) => `shop/${name}`);
    const first = await lister().listPage?.('', limits, undefined);
    expect([first?.after, first?.sources.length]).toEqual([null, 5]);
  });
});

describe('folders of an account with a hierarchical namespace', () => {
  beforeEach(() => {
    names = ['shop/a', 'shop/a/1.glb', 'shop/a/deep', 'shop/b', 'shop/empty.glb'];
    folders = { 'shop/a': 'hdi_isfolder', 'shop/a/deep': 'Hdi_isfolder', 'shop/b': 'hdi_isfolder' };
  });

  it('folders are not listed as files', async () => {
    expect(await collect(connector().names())).toEqual(['a/1.glb', 'empty.glb']);
  });

  it('folders do not count as files when they are read by name', async () => {
    expect(await connector().stat('b')).toBeNull();
    expect(await connector().stat('empty.glb')).toMatchObject({ bytes: 0 });
    await expect(connector().read('b')).rejects.toMatchObject({ code: 'FILE_GONE' });
    await expect(connector().open('b')).rejects.toMatchObject({ code: 'FILE_GONE' });
    expect(await connector().read('empty.glb')).toHaveLength(0);
  });
});
