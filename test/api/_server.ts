// A real HTTP server for one test file: responds by a script and records the requests.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';

interface Received {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type RequestHandler = (request: Received, response: ServerResponse) => unknown;

export interface TestServer {
  origin: string;
  port: number;
  received: Received[];
  /** Sets the response to all requests until the next call. */
  respondWith(respondWith: RequestHandler): void;
  close(): Promise<void>;
}

export const testKey = 'svc_canary_5ecretPart';

export async function startServer(): Promise<TestServer> {
  let current: RequestHandler = (_, response) => response.end();
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const entry: Received = {
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.headers,
        body: Buffer.concat(chunks).toString('latin1'),
      };
      received.push(entry);
      current(entry, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    respondWith: (answer) => {
      current = answer;
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** A client of the server with its own budget. */
export function clientOf(server: TestServer, options: Partial<ClientOptions> = {}): Client {
  return createClient({
    baseUrl: `${server.origin}/api/v1`,
    apiKey: testKey,
    budget: new RateBudget(),
    ...options,
  });
}

export function json(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify(body));
}

export function refuse(
  response: ServerResponse,
  status: number,
  code: string,
  headers: Record<string, string> = {},
): void {
  json(response, status, { error: { code, message: `because of ${code}` } }, headers);
}

/** Returns the error with which a promise rejects. @throws Error if the promise resolves */
export async function errorOf(promise: Promise<unknown>): Promise<Error> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof Error)) throw new Error('expected the promise to reject with an Error');
  return outcome;
}

export const me = {
  workspace: { id: 'w1', name: 'Shoes' },
  apiKey: { name: 'nightly', expiresAt: null },
};
