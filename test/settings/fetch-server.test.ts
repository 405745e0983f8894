// Tests that request bodies are limited before they are read.
import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type FetchHandler,
  isLoopbackHost,
  startFetchServer,
} from '../../src/settings/fetch-server.ts';

const megabyte = 1024 * 1024;

async function serving(gate: FetchHandler['gate'] = () => null) {
  const taken: number[] = [];
  const serve = async (asked: Request) => {
    taken.push((await asked.arrayBuffer()).byteLength);
    return new Response('taken');
  };
  const server = await startFetchServer(
    { gate, serve, maxBodyBytes: megabyte },
    { host: '127.0.0.1', port: 0 },
  );
  onTestFinished(() => server.stop());
  return { ...server, taken };
}

/** Sends as much of a body as the server reads. */
function send(origin: string, bytes: number, headers: Record<string, string | number> = {}) {
  return new Promise<{ status: number; sent: number }>((resolve, reject) => {
    const asking = request(origin, { method: 'POST', headers, agent: false });
    let sent = 0;
    let isAnswered = false;
    asking.on('response', (answer) => {
      isAnswered = true;
      answer.resume();
      resolve({ status: answer.statusCode ?? 0, sent });
    });
    asking.on('error', (error) => isAnswered || reject(error));
    const more = (): void => {
      while (!isAnswered && sent < bytes) {
        const piece = Buffer.alloc(Math.min(64 * 1024, bytes - sent));
        sent += piece.length;
        if (!asking.write(piece)) {
          asking.once('drain', more);
          return;
        }
      }
      if (!isAnswered) asking.end();
    };
    more();
  });
}

describe('the body of a request', () => {
  test('a body of the maximum size is accepted', async () => {
    const { origin, taken } = await serving();
    expect((await send(origin, megabyte)).status).toBe(200);
    expect(taken).toEqual([megabyte]);
  });

  test.each([
    ['with a length', { 'content-length': 300 * megabyte }],
    ['of unknown length', {}],
  ])('a body of 300 MB %s is refused, and the rest is not read', async (_what, headers) => {
    const { origin, taken } = await serving();
    const { status, sent } = await send(origin, 300 * megabyte, headers);
    expect(status).toBe(413);
    expect(sent).toBeLessThan(40 * megabyte);
    expect(taken).toEqual([]);
  });

  test('the body of an unauthorized request is not read', async () => {
    const { origin, taken } = await serving(() => new Response('no', { status: 401 }));
    const { status, sent } = await send(origin, 300 * megabyte);
    expect(status).toBe(401);
    expect(sent).toBeLessThan(40 * megabyte);
    expect(taken).toEqual([]);
  });
});

test.each([
  ['127.0.0.1:4030', true],
  ['localhost', true],
  ['[::1]:4030', true],
  ['evil.example', false],
  ['127.0.0.1.evil.example:4030', false],
  ['evil.example/@localhost', false],
  ['', false],
  [null, false],
])('the Host header %j refers to this machine: %s', (host, expected) => {
  expect(isLoopbackHost(host)).toBe(expected);
});
