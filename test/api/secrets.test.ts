import type { ServerResponse } from 'node:http';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { downloadTo } from '../../src/api/download.ts';
import { RateBudget } from '../../src/api/rate-limit/budget.ts';
import { putFile } from '../../src/api/upload.ts';
import { clientOf, errorOf, json, startServer, type TestServer, testKey } from './_server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());

/** All parts of an error that a log, a history or a crash report could show. */
function everythingOf(error: Error): string {
  const shown = inspect(error, { depth: 10, showHidden: true, getters: true });
  return [shown, error.stack, JSON.stringify(error), String(error.cause)].join('\n');
}

const signature = 'c4n4rySignature';
const signed = `/f?X-Amz-Signature=${signature}`;

describe('the API key in errors and output', () => {
  const echo = (status: number, code: string) => (_: unknown, response: ServerResponse) =>
    json(response, status, { error: { code, message: `key ${testKey} and ${testKey}!` } });

  it.each([
    ['a 401 that repeats it', echo(401, 'INVALID_API_KEY')],
    ['a 400 that repeats it', echo(400, 'VALIDATION_ERROR')],
    ['a 429 that repeats it', echo(429, 'RATE_LIMITED')],
    ['a 500 that repeats it', echo(500, 'INTERNAL_ERROR')],
    [
      'HTML that repeats it',
      (_: unknown, response: ServerResponse) => response.end(`<b>${testKey}`),
    ],
    [
      'a body of another shape that repeats it',
      (_: unknown, response: ServerResponse) => json(response, 200, { workspace: testKey }),
    ],
    [
      'a redirect that repeats it',
      (_: unknown, response: ServerResponse) =>
        response.writeHead(302, { location: `/x?api_key=${testKey}` }).end(),
    ],
    [
      'a reset connection',
      (_: unknown, response: ServerResponse) => response.socket?.resetAndDestroy(),
    ],
  ])('the API key is not in the error or the output after %s', async (_, answer) => {
    server.respondWith(answer);
    const error = await errorOf(clientOf(server).getMe());
    expect(everythingOf(error)).not.toContain(testKey);
  });

  it('the API key is not in the error of a refused connection', async () => {
    const gone = await startServer();
    await gone.close();
    const baseUrl = `${gone.origin}/api/v1`;
    const error = await errorOf(clientOf(server, { baseUrl }).getMe());
    expect(everythingOf(error)).not.toContain(testKey);
  });

  it('the API key is not in the error of an invalid key', () => {
    const make = () => createClient({ baseUrl: server.origin, apiKey: `${testKey} ${testKey}` });
    try {
      make();
      expect.unreachable();
    } catch (error) {
      expect(inspect(error)).not.toContain(testKey);
    }
  });

  it('the API key is not in an inspected or serialized client', () => {
    const client = createClient({
      baseUrl: `${server.origin}/api/v1`,
      apiKey: testKey,
      budget: new RateBudget(),
    });
    expect(inspect(client, { depth: 10, showHidden: true })).not.toContain(testKey);
    expect(JSON.stringify(client)).not.toContain(testKey);
  });
});

describe('the query of a signed URL in errors', () => {
  const sink = { write: async () => undefined };

  it.each([
    ['403', (_: unknown, response: ServerResponse) => response.writeHead(403).end(signed)],
    ['404', (_: unknown, response: ServerResponse) => response.writeHead(404).end(signed)],
    ['503', (_: unknown, response: ServerResponse) => response.writeHead(503).end(signed)],
    ['reset', (_: unknown, response: ServerResponse) => response.socket?.resetAndDestroy()],
    [
      'an endless redirect',
      (_: unknown, response: ServerResponse) => response.writeHead(302, { location: signed }).end(),
    ],
  ])('the query of a signed URL is not in the error for this response: %s', async (_, answer) => {
    server.respondWith(answer);
    const url = `${server.origin}${signed}`;
    const content = Buffer.from('a file');
    const source = {
      name: 'a file',
      bytes: content.length,
      content: async () => content,
      isUnchanged: async () => true,
    };
    const errors = await Promise.all([
      errorOf(downloadTo({ url, sink, network: 'any' })),
      errorOf(putFile({ url, source, contentType: 'text/plain', network: 'any' })),
      errorOf(downloadTo({ url, sink, network: 'public' })),
      errorOf(putFile({ url, source, contentType: 'text/plain', network: 'public' })),
    ]);
    for (const error of errors) expect(everythingOf(error)).not.toContain(signature);
  });

  it('the query of a signed URL is not in the error of an invalid URL', async () => {
    const url = `not a url?X-Amz-Signature=${signature}`;
    const error = await errorOf(downloadTo({ url, sink, network: 'any' }));
    expect(everythingOf(error)).not.toContain(signature);
  });
});
