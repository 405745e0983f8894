// A small S3 server in this process that behaves like S3-compatible stores: each test decides what it lists or refuses.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, vi } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';

export interface Refusal {
  status: number;
  code: string;
  headers?: Readonly<Record<string, string>>;
}

export interface SmallS3 {
  readonly origin: string;
  readonly objects: Map<string, Buffer>;
  /** Method and key of each request. */
  readonly requests: string[];
  /** How keys of a listing are encoded. If null, keys are unencoded and the response declares no encoding. */
  encode: ((key: string) => string) | null;
  /** The refusal of a request. Null to serve the request. The key of a listing is ''. */
  refuse: (method: string, key: string, request: IncomingMessage) => Refusal | null;
  connector(prefix?: string): Connector;
}

const credentials = {
  AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'c4n4ry/S3/secret',
  AWS_REGION: 'eu-central-1',
  AWS_EC2_METADATA_DISABLED: 'true',
  RENDERLINE_ALLOW_HOSTS: '127.0.0.1',
};

/** Encodes a key as Amazon does: a space becomes a plus. */
export const asAmazon = (key: string) => encodeURIComponent(key).replaceAll('%20', '+');

/** A store for the tests of one file. Before each test it is empty and refuses nothing. */
export function useSmallS3(): SmallS3 {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  let origin = '';
  const s3: SmallS3 = {
    objects,
    requests,
    encode: asAmazon,
    refuse: () => null,
    get origin() {
      return origin;
    },
    connector: (prefix = 'in') =>
      openConnector({ type: 's3', bucket: 'buck', prefix, endpoint: origin, pathStyle: true }),
  };
  const server = createServer((request, response) => {
    void buffer(request).then((body) => answer(s3, request, response, plainBody(request, body)));
  });
  beforeAll(async () => {
    for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(() => {
    objects.clear();
    requests.length = 0;
    s3.encode = asAmazon;
    s3.refuse = () => null;
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    server.closeAllConnections();
    server.close();
  });
  return s3;
}

function answer(s3: SmallS3, request: IncomingMessage, response: ServerResponse, body: Buffer) {
  const url = new URL(request.url ?? '', 'http://any');
  const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'));
  const { method = '' } = request;
  s3.requests.push(`${method} ${key}`);
  response.setHeader('x-amz-request-id', '1');
  const refusal = s3.refuse(method, key, request) ?? missing(s3, method, key);
  if (refusal) {
    const text = `<?xml version="1.0"?><Error><Code>${refusal.code}</Code><Message>x</Message></Error>`;
    response.writeHead(refusal.status, { 'content-type': 'application/xml', ...refusal.headers });
    return response.end(method === 'HEAD' ? undefined : text);
  }
  if (key === '') return response.end(method === 'HEAD' ? undefined : listing(s3, url));
  if (method === 'PUT') s3.objects.set(key, body);
  if (method === 'DELETE') s3.objects.delete(key);
  if (method === 'PUT' || method === 'DELETE')
    return response.writeHead(200, { etag: '"1"' }).end();
  const whole = s3.objects.get(key) ?? Buffer.alloc(0);
  const range = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '');
  const from = Number(range?.[1] ?? 0);
  const part = whole.subarray(from, range ? Number(range[2]) + 1 : undefined);
  response.writeHead(range ? 206 : 200, {
    etag: '"1"',
    'last-modified': new Date(0).toUTCString(),
    'content-length': part.length,
    ...(range
      ? { 'content-range': `bytes ${from}-${from + part.length - 1}/${whole.length}` }
      : {}),
  });
  return response.end(method === 'HEAD' ? undefined : part);
}

function missing({ objects }: SmallS3, method: string, key: string): Refusal | null {
  const isRead = method === 'GET' || method === 'HEAD';
  return isRead && key !== '' && !objects.has(key) ? { status: 404, code: 'NoSuchKey' } : null;
}

function listing({ objects, encode }: SmallS3, { searchParams }: URL): string {
  const prefix = searchParams.get('prefix') ?? '';
  const spell = encode ?? escaped;
  const found = [...objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  const items = found.map(
    (key) =>
      `<Contents><Key>${spell(key)}</Key><LastModified>1970-01-01T00:00:00.000Z</LastModified><ETag>&quot;1&quot;</ETag><Size>${objects.get(key)?.length}</Size></Contents>`,
  );
  const says = encode ? '<EncodingType>url</EncodingType>' : '';
  return `<?xml version="1.0"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>buck</Name>${says}<IsTruncated>false</IsTruncated>${items.join('')}</ListBucketResult>`;
}

function escaped(key: string): string {
  return key.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Decodes the chunks of a signed stream. */
function plainBody({ headers }: IncomingMessage, body: Buffer): Buffer {
  if (!String(headers['x-amz-content-sha256']).startsWith('STREAMING')) return body;
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.subarray(at, end).toString(), 16);
    if (end < 0 || !length) return Buffer.concat(pieces);
    pieces.push(body.subarray(end + 2, end + 2 + length));
    at = end + 4 + length;
  }
}
