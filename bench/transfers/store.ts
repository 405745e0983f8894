// A simulated file store that keeps only the sizes of files. It serves signed uploads, a CDN of large pictures, and the
// requests of S3, Azure and GCS that a delivery needs. It counts connections and requests.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { largeTiff } from './large-tiff.ts';

export interface CountingStore {
  origin: string;
  /** Returns the number of connections and requests since the last call. */
  take(): { sockets: number; requests: number };
  close(): Promise<void>;
}

type RouteHandler = (request: IncomingMessage, response: ServerResponse, path: string) => unknown;

export async function openStore(): Promise<CountingStore> {
  const sizes = new Map<string, number>();
  let [sockets, requests] = [0, 0];
  const routes: [RegExp, RouteHandler][] = [
    [/^GET \/cdn\/(\d+)/, sendPicture],
    [
      /^PUT \/put\//,
      async (request, response) => {
        await bytesIn(request);
        response.end();
      },
    ],
    [
      /^POST \/upload\/storage\/v1\/b\//,
      (request, response) => takeMultipart(request, response, sizes),
    ],
    [
      /^GET \/storage\/v1\/b\/[^/]+\/o\/(.+)$/,
      (_request, response, name) => {
        const path = decodeURIComponent(name);
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ name: path, size: String(sizes.get(path) ?? 0) }));
      },
    ],
    [
      /^PUT (\/.+)$/,
      async (request, response, path) => {
        sizes.set(path, await bytesIn(request));
        response.writeHead(request.headers['x-ms-version'] ? 201 : 200, { etag: '"1"' }).end();
      },
    ],
    [
      /^HEAD (\/.+)$/,
      (_request, response, path) => {
        response.writeHead(200, { 'content-length': sizes.get(path) ?? 0, etag: '"1"' }).end();
      },
    ],
  ];
  const server = createServer((request, response) => {
    requests += 1;
    const methodAndPath = `${request.method} ${(request.url ?? '').replace(/\?.*$/, '')}`;
    for (const [pattern, handle] of routes) {
      const match = pattern.exec(methodAndPath);
      if (match) return void handle(request, response, match[1] ?? '');
    }
    response.writeHead(404).end();
  });
  server.on('connection', () => (sockets += 1));
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: originOf(server),
    take() {
      const counts = { sockets, requests };
      [sockets, requests] = [0, 0];
      return counts;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function originOf(server: Server): string {
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`;
}

async function bytesIn(request: IncomingMessage): Promise<number> {
  let bytes = 0;
  for await (const chunk of request) bytes += (chunk as Buffer).length;
  return bytes;
}

/** Sends a TIFF of about this many bytes, for `GET /cdn/BYTES/…`. */
function sendPicture(_request: IncomingMessage, response: ServerResponse, bytes: string): void {
  const tiff = largeTiff(Number(bytes));
  response.writeHead(200, { 'content-type': 'image/tiff', 'content-length': tiff.bytes });
  Readable.from(tiff.pieces(), { objectMode: false }).pipe(response);
}

/** Stores the size of an object from a multipart upload, whose parts are the metadata and the bytes. */
async function takeMultipart(
  request: IncomingMessage,
  response: ServerResponse,
  sizes: Map<string, number>,
): Promise<void> {
  const boundary = /boundary=([^;]+)/.exec(request.headers['content-type'] ?? '')?.[1] ?? '';
  let head = '';
  let bytes = 0;
  for await (const chunk of request) {
    const piece = chunk as Buffer;
    bytes += piece.length;
    if (head.split('\r\n\r\n').length <= 2) head += piece.subarray(0, 4_096).toString('latin1');
  }
  const bodyAt = head.indexOf('\r\n\r\n', head.indexOf('\r\n\r\n') + 4) + 4;
  const endBytes = boundary.length + 6;
  const url = new URL(request.url ?? '/', 'http://store');
  const name = url.searchParams.get('name') ?? '';
  sizes.set(name, bytes - bodyAt - endBytes);
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ name, size: String(bytes - bodyAt - endBytes) }));
}
