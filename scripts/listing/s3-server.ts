// Serves a bucket over HTTP, with the part of the S3 protocol that a listing needs.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Bucket, StoredObject } from '../../src/connectors/bucket/bucket.ts';
import { NoObjectError } from './numbered-bucket.ts';

export interface ServedBucket {
  endpoint: string;
  close(): Promise<void>;
}

export async function serveBucket(bucket: Bucket): Promise<ServedBucket> {
  const server = createServer((request, response) => {
    respond(bucket, request, response).catch((error: unknown) => {
      response.statusCode = error instanceof NoObjectError ? 404 : 500;
      const code = error instanceof NoObjectError ? 'NoSuchKey' : 'InternalError';
      response.end(`<Error><Code>${code}</Code><Message>${code}</Message></Error>`);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast is safe, because the address of a server that listens on a port always has this form.
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(bucket: Bucket, request: IncomingMessage, response: ServerResponse) {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const [, , ...parts] = url.pathname.split('/');
  const name = decodeURIComponent(parts.join('/'));
  if (url.searchParams.has('list-type')) return response.end(await listPage(bucket, url));
  if (request.method === 'PUT') {
    const bytes = await buffer(request);
    const put = await bucket.put(name, bytes, request.headers['if-none-match'] === '*');
    if (put === 'written') return response.setHeader('etag', '"x"').end();
    response.statusCode = 412;
    return response.end('<Error><Code>PreconditionFailed</Code></Error>');
  }
  if (request.method === 'GET') {
    const { object, body } = await bucket.get(name, null, undefined);
    headers(response, object);
    return body.pipe(response);
  }
  if (request.method === 'DELETE') await bucket.remove(name);
  const object = request.method === 'HEAD' ? await bucket.head(name) : null;
  if (object) headers(response, object);
  response.statusCode = object ? 200 : request.method === 'HEAD' ? 404 : 204;
  return response.end();
}

function headers(response: ServerResponse, { bytes, mtimeMs, etag }: StoredObject): void {
  response.setHeader('content-length', bytes);
  response.setHeader('last-modified', new Date(mtimeMs).toUTCString());
  response.setHeader('etag', `"${etag}"`);
}

async function listPage(bucket: Bucket, { searchParams }: URL): Promise<string> {
  const startAfter =
    searchParams.get('continuation-token') ?? searchParams.get('start-after') ?? '';
  const pages = bucket.list(searchParams.get('prefix') ?? '', undefined, startAfter);
  const result = await pages[Symbol.asyncIterator]().next();
  const page = result.done === true ? [] : result.value.filter(({ name }) => name > startAfter);
  const last = page.at(-1)?.name ?? '';
  const contents = page.map(
    ({ name, bytes, mtimeMs, etag }) =>
      `<Contents><Key>${encodeURIComponent(name)}</Key><LastModified>${new Date(mtimeMs).toISOString()}</LastModified><ETag>${etag}</ETag><Size>${bytes}</Size></Contents>`,
  );
  const isCut = page.length === 1_000;
  return `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${isCut ? `<NextContinuationToken>${last}</NextContinuationToken>` : ''}${contents.join('')}</ListBucketResult>`;
}
