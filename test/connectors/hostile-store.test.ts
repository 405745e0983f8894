// A store with endless responses. A worker counts what it reads, and parses none of it.
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Stats } from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { maxResponseBytes, maxResponseTags } from '../../src/connectors/bucket/bounded-response.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { openS3Bucket } from '../../src/connectors/s3-bucket.ts';
import type { SftpFiles } from '../../src/connectors/sftp/sftp-files.ts';
import type { SftpJail } from '../../src/connectors/sftp/sftp-jail.ts';
import { walkServer } from '../../src/connectors/sftp/sftp-walk.ts';
import { writeForever } from '../_endless-response.ts';
import { collect } from './_temp-folder.ts';

/** Bytes in the buffers of a connection. */
const onTheWay = 16 * 1024 * 1024;
let sent = 0;
let answer: (out: ServerResponse) => void;
const server = createServer((_request, out) => answer(out));

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c4n4ry');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('RENDERLINE_ALLOW_HOSTS', '127.0.0.1');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const key = Buffer.from('c4n4ry').toString('base64');
  vi.stubEnv(
    'AZURE_STORAGE_CONNECTION_STRING',
    `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=${key};BlobEndpoint=${origin()}/a`,
  );
});
afterEach(() => {
  sent = 0;
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const stores = {
  s3: () => openConnector({ type: 's3', bucket: 'buck', endpoint: origin(), pathStyle: true }),
  azure: () => openConnector({ type: 'azure', container: 'buck', endpoint: origin() }),
  gcs: () => openConnector({ type: 'gcs', bucket: 'buck', endpoint: origin() }),
};

type Name = keyof typeof stores;

/** A start, and then the same piece without an end. */
function endless(begin: string, piece: string, headers: Record<string, string | number>) {
  const many = Buffer.from(piece.repeat(Math.ceil(65_536 / piece.length)));
  answer = (out) => {
    out.writeHead(headers['content-range'] === undefined ? 200 : 206, headers);
    out.write(begin);
    writeForever(out, many, (bytes) => {
      sent += bytes;
    });
  };
}

const xml = { 'content-type': 'application/xml' };
const json = { 'content-type': 'application/json' };
const s3Begin = '<?xml version="1.0"?><ListBucketResult>';
const azureBegin = '<?xml version="1.0"?><EnumerationResults><Blobs>';

describe('an endless listing', () => {
  it.each<[Name, string, string, string, Record<string, string>]>([
    ['s3', 'with one endless name', `${s3Begin}<Contents><Key>`, 'a', xml],
    ['s3', 'of empty elements', s3Begin, '<a/>', xml],
    ['azure', 'with one endless name', `${azureBegin}<Blob><Name>`, 'a', xml],
    ['azure', 'of empty elements', azureBegin, '<a/>', xml],
    ['gcs', 'with one endless name', '{"items":[{"name":"', 'a', json],
    ['gcs', 'of empty objects', '{"items":[{}', ',{}', json],
  ])(
    'an endless %s listing %s makes the location unreadable',
    async (store, _, begin, piece, headers) => {
      endless(begin, piece, headers);
      await expect(collect(stores[store]().names())).rejects.toMatchObject({
        code: 'PLACE_UNREADABLE',
        message: expect.stringMatching(/a response from the store contains more than .*`endpoint`/),
      });
      expect(sent).toBeLessThan(maxResponseBytes + onTheWay);
      if (store === 's3' && piece === '<a/>')
        expect(sent).toBeLessThan(maxResponseTags * piece.length + onTheWay);
    },
  );
});

it.each<Name>(['s3', 'azure', 'gcs'])(
  'a listing from %s that never arrives ends when its run is cancelled',
  async (store) => {
    const cancel = new AbortController();
    answer = () => cancel.abort(new Error('cancelled'));
    const names = collect(stores[store]().names('', { signal: cancel.signal }));
    await expect(names).rejects.toThrow('cancelled');
  },
  5_000,
);

it('a multipart upload to S3 sends no request if its run has already been cancelled', async () => {
  let requests = 0;
  answer = (out) => {
    requests += 1;
    out.writeHead(200, xml).end('<InitiateMultipartUploadResult><UploadId>1</UploadId>');
  };
  const spec = { bucket: 'buck', region: undefined, endpoint: origin(), pathStyle: true };
  const bucket = openS3Bucket(spec, { maxPutBytes: 1, partBytes: 5 * 1024 ** 2 });
  const file = {
    bytes: 6 * 1024 ** 2,
    async *pieces() {
      yield Buffer.alloc(6 * 1024 ** 2);
    },
  };
  const signal = AbortSignal.abort(new Error('cancelled'));
  await expect(bucket.putFile('a.mp4', file, { signal })).rejects.toThrow('cancelled');
  expect(requests).toBe(0);
});

it('an S3 listing that declares entities is not parsed', async () => {
  answer = (out) =>
    out
      .writeHead(200, xml)
      .end(
        `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">]><ListBucketResult><Contents><Key>&b;</Key></Contents></ListBucketResult>`,
      );
  await expect(collect(stores.s3().names())).rejects.toMatchObject({
    code: 'PLACE_UNREADABLE',
    message: expect.stringMatching(/declares entities/),
  });
});

const names: Name[] = ['s3', 'azure', 'gcs'];
const otherDocuments = [
  '<!doctype html><html>sign in</html>',
  '<html><body>sign in</body></html>',
  '<ListAllMyBucketsResult><Buckets/></ListAllMyBucketsResult>',
  '{"items":"sign in"}',
  '{"error":"sign in"}',
  'sign in',
  '',
];

it.each(names.flatMap((store) => otherDocuments.map((body) => [store, body] as const)))(
  'a listing of %s that is the document %j of a proxy is no empty folder, and stops the run because of the server',
  async (store, body) => {
    answer = (out) => out.writeHead(200, { 'content-type': 'text/html' }).end(body);
    await expect(collect(stores[store]().names())).rejects.toMatchObject({
      code: expect.stringMatching(/^(PLACE_UNREADABLE|CONNECTOR_UNREACHABLE)$/),
      message: expect.stringMatching(
        /(a response from the store .*check which server responds|no valid response was received)/,
      ),
    });
  },
);

/** A page of a listing with one object. The page says that another one follows. */
const pagesOf = (name: string, size: string) => ({
  s3: `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken><Contents><Key>${name}</Key><LastModified>2026-01-01T00:00:00Z</LastModified><Size>${size}</Size></Contents></ListBucketResult>`,
  azure: `<EnumerationResults><Blobs><Blob><Name>${name}</Name><Properties><Last-Modified>Thu, 01 Jan 2026 00:00:00 GMT</Last-Modified><Etag>1</Etag><Content-Length>${size}</Content-Length></Properties></Blob></Blobs><NextMarker>2</NextMarker></EnumerationResults>`,
  gcs: `{"items":[{"name":"${name}","size":"${size}","updated":"2026-01-01T00:00:00Z","generation":"1"}],"nextPageToken":"2"}`,
});
const answerWith = (store: Name, name: string, size: string) => {
  const headers = store === 'gcs' ? json : xml;
  answer = (out) => out.writeHead(200, headers).end(pagesOf(name, size)[store]);
};

const emptyPages = {
  s3: '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>2</NextContinuationToken></ListBucketResult>',
  azure: '<EnumerationResults><Blobs></Blobs><NextMarker>2</NextMarker></EnumerationResults>',
  gcs: '{"kind":"storage#objects","nextPageToken":"2"}',
};

it.each(names)('%s: a store whose listing has only empty pages is unreadable', async (store) => {
  answer = (out) => out.writeHead(200, store === 'gcs' ? json : xml).end(emptyPages[store]);
  await expect(collect(stores[store]().list())).rejects.toMatchObject({
    code: 'PLACE_UNREADABLE',
    message: expect.stringMatching(
      /returns the same page of the listing repeatedly \(it has no objects\)/,
    ),
  });
});

it.each(names)(
  '%s: a store that returns the first page again and again is unreadable',
  async (store) => {
    answerWith(store, 'a.glb', '1');
    await expect(collect(stores[store]().list())).rejects.toMatchObject({
      code: 'PLACE_UNREADABLE',
      message: expect.stringMatching(
        /the same page of the listing repeatedly \(it begins with "a.glb"\)/,
      ),
    });
  },
);

it('s3: a page that says that more follow, but not where, is not the end of the listing', async () => {
  const page = pagesOf('a.glb', '1').s3.replace(/<NextContinuationToken>.*Token>/, '');
  answer = (out) => out.writeHead(200, xml).end(page);
  await expect(collect(stores.s3().list())).rejects.toMatchObject({
    code: 'PLACE_UNREADABLE',
    message: expect.stringMatching(/more objects follow, but not where they are/),
  });
});

it.each(names)('%s: a listing that ends in the middle is not a complete one', async (store) => {
  const page = pagesOf('a.glb', '1')[store];
  answer = (out) => {
    out.useChunkedEncodingByDefault = false;
    out.writeHead(200, { ...(store === 'gcs' ? json : xml), connection: 'close' });
    out.end(page.slice(0, page.indexOf('a.glb') + 3));
  };
  await expect(collect(stores[store]().list())).rejects.toThrow();
});

it.each(
  names.flatMap(
    (store) =>
      [
        [store, 404, 'text/plain', '404 page not found'],
        [store, 404, 'text/html', '<html>default backend</html>'],
        [store, 410, 'text/plain', 'gone'],
      ] as const,
  ),
)(
  '%s: a response %i of a proxy (%s) means neither an empty folder nor a missing file',
  async (store, status, type, body) => {
    answer = (out) => out.writeHead(status, { 'content-type': type }).end(body);
    const unreachable = {
      code: 'CONNECTOR_UNREACHABLE',
      message: expect.stringMatching(/no valid response was received \((status|NotFound)/),
    };
    await expect(collect(stores[store]().names('records'))).rejects.toMatchObject(unreachable);
    await expect(stores[store]().read('records/a.json')).rejects.toMatchObject(unreachable);
    await expect(stores[store]().stat('records/a.json')).rejects.toMatchObject(unreachable);
    await expect(stores[store]().remove('records/a.json')).rejects.toMatchObject(unreachable);
    const writing = stores[store]().write('records/a.json', Buffer.from('{}'));
    await expect(writing).rejects.toMatchObject(unreachable);
  },
);

it.each(names.flatMap((store) => ['-1', '1.5', '1e300'].map((size) => [store, size] as const)))(
  '%s: an object of %s bytes makes the listing unreadable',
  async (store, size) => {
    answerWith(store, 'a.glb', size);
    await expect(collect(stores[store]().list())).rejects.toMatchObject({
      code: 'PLACE_UNREADABLE',
      message: expect.stringMatching(/does not report a valid size for "a.glb"/),
    });
  },
);

it.each(names)(
  '%s: an object outside the prefix, which the store ignores, is not in the folder',
  async (store) => {
    answerWith(store, 'sh/oslo.glb', '1');
    const files = stores[store]().list('shop')[Symbol.asyncIterator]();
    // The store never ends its listing, so the listing fails without a file.
    await expect(files.next()).rejects.toMatchObject({ code: 'PLACE_UNREADABLE' });
  },
);

it('a GCS listing with too many values is not parsed', async () => {
  answer = (out) => out.writeHead(200, json).end(`{"items":[${'[],'.repeat(1_000_000)}[]]}`);
  await expect(collect(stores.gcs().names())).rejects.toMatchObject({
    message: expect.stringMatching(/more than 1000000 values/),
  });
});

it.each([
  ['in any order', {}],
  ['in name order', { after: '' }],
])(
  'endlessly nested folders listed %s are read only to the maximum path length',
  async (_, order) => {
    let read = 0;
    const attrs = { isDirectory: () => true } as Stats;
    const files = {
      readFolder: async function* () {
        read += 1;
        if (read > 5_000) throw new Error('without end');
        yield [{ filename: 'abcdefg', longname: '', attrs }];
      },
    } as unknown as SftpFiles;
    const jail = {
      resolveFolder: async () => '/x',
      assertStillInside: async () => undefined,
    } as unknown as SftpJail;
    const skipped: string[] = [];
    const options = { ...order, onSkipped: (path: string) => skipped.push(path) };
    expect(await collect(walkServer(files, jail, '', options))).toEqual([]);
    expect(read).toBe(129);
    expect(skipped.map((path) => path.length)).toEqual([1_031]);
  },
);

describe('an object that is longer than its headers say', () => {
  it.each<Name>(['s3', 'azure', 'gcs'])(
    'an object in %s that is longer than its headers say is read only up to the declared length',
    async (store) => {
      endless('', 'x', {
        'content-range': 'bytes 0-9/10',
        'last-modified': 'Thu, 01 Jan 1970 00:00:00 GMT',
      });
      await expect(stores[store]().readPart('a', 0, 10)).rejects.toThrow();
      expect(sent).toBeLessThan(onTheWay);
    },
  );
});
