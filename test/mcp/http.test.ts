// Access to the HTTP server: only for programs and pages on this machine.
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { serveOverHttp } from '../../src/mcp/http.ts';
import { createServerFactory } from '../../src/mcp/server.ts';
import { bodyBounds } from '../../src/settings/fetch-server.ts';
import { contextOf } from './_connect.ts';

async function serve(): Promise<URL> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1/api/v1', apiKey: 'k' });
  const factory = createServerFactory({ ...contextOf(client), version: '0' });
  const server = await serveOverHttp(factory, {
    host: '127.0.0.1',
    port: 0,
    token: 't',
    onError: () => {},
  });
  onTestFinished(async () => {
    await server.stop();
    await client.close();
  });
  return new URL(server.url);
}

function post(
  url: URL,
  headers: Record<string, string>,
  params?: Record<string, unknown>,
): Promise<{ status: number; body: string }> {
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params };
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          authorization: 'Bearer t',
          ...headers,
        },
      },
      (answer) => {
        void text(answer).then((body) => resolve({ status: answer.statusCode ?? 0, body }));
      },
    );
    sent.on('error', reject);
    sent.end(JSON.stringify(call));
  });
}

test.each([
  ['a program with the token', {}, 200],
  ['a program without a token', { authorization: '' }, 401],
  ['a program with another token', { authorization: 'Bearer x' }, 401],
  ['a name of this machine', { host: 'localhost:1' }, 200],
  ['a page of this machine', { origin: 'http://localhost:3000' }, 200],
  ['a host name that resolves to this machine', { host: 'evil.example' }, 403],
  ['a page of another website', { origin: 'https://evil.example' }, 403],
  ['a page without an origin', { origin: 'null' }, 403],
])('%s (%o) gets status %i', async (_who, headers, status) => {
  const answer = await post(await serve(), headers);
  expect(answer.status).toBe(status);
  expect(answer.body.includes('list_models')).toBe(status === 200);
});

test('only /mcp is served', async () => {
  const url = await serve();
  expect((await post(new URL('/other', url), {})).status).toBe(404);
});

test('a request body that is too large is refused', async () => {
  const answer = await post(await serve(), {}, { cursor: 'x'.repeat(bodyBounds.mcp) });
  expect(answer.status).toBe(413);
});
