import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ApiError, ResponseShapeError, TransportError } from '../../src/api/errors/errors.ts';
import { findRefusal } from '../../src/api/errors/refusal.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { createTransport } from '../../src/api/network/transport.ts';
import { nullIfNotFound } from '../../src/engine/null-if-not-found.ts';
import { clientOf, errorOf, json, me, startServer, type TestServer, testKey } from './_server.ts';

const getMe = { operation: 'getMe', method: 'GET', sendsKey: true } as const;

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
});

/** A TCP server that treats all connections alike, for responses that HTTP libraries refuse to send. */
async function rawServer(onConnection: (socket: Socket) => void) {
  const tcp = createTcpServer((socket) => {
    socket.on('error', () => {});
    socket.resume();
    onConnection(socket);
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  return { port, close: () => new Promise<void>((resolve) => tcp.close(() => resolve())) };
}

function clientAt(port: number, timeouts = {}) {
  return clientOf(server, { baseUrl: `http://127.0.0.1:${port}/api/v1`, timeouts });
}

describe('attempts per call', () => {
  it.each([429, 500, 502, 503, 409])(
    'the status %i is returned to the caller, and not retried',
    async (status) => {
      server.respondWith((_, response) => json(response, status, {}));
      const error = await errorOf(clientOf(server).getMe());
      expect(error).toBeInstanceOf(ApiError);
      expect(error).toMatchObject({ status, code: `HTTP_${status}`, operation: 'getMe' });
      expect(server.received).toHaveLength(1);
    },
  );

  it('a request with a broken connection is not retried', async () => {
    server.respondWith((_, response) => void response.socket?.resetAndDestroy());
    await errorOf(clientOf(server).createProjects({ body: { modelIds: ['m'] } }));
    expect(server.received).toHaveLength(1);
  });
});

describe('a response that is compressed although no encoding was requested', () => {
  const respondWithGzip = (status: number, body: unknown) =>
    server.respondWith((_, response) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
        .end(gzipSync(JSON.stringify(body))),
    );

  it('the response is unpacked', async () => {
    respondWithGzip(200, me);
    expect(await clientOf(server).getMe()).toEqual(me);
  });

  it('an error response keeps its code', async () => {
    respondWithGzip(403, { error: { code: 'PLAN_LIMIT_REACHED', message: 'full' } });
    expect(await errorOf(clientOf(server).getMe())).toMatchObject({ code: 'PLAN_LIMIT_REACHED' });
  });

  it('a redirect without a body is a redirect', async () => {
    const headers = { location: '/f', 'content-encoding': 'gzip', 'content-length': 0 };
    server.respondWith((_, response) => response.writeHead(302, headers).end());
    const { location } = await clientOf(server).downloadRender({ params: { renderId: 'r' } });
    expect(location).toBe(`${server.origin}/f`);
  });

  it('the limit applies to the unpacked bytes', async () => {
    respondWithGzip(200, { ...me, padding: ' '.repeat(9_000_000) });
    expect(await errorOf(clientOf(server).getMe())).toBeInstanceOf(ResponseShapeError);
  });

  it('a broken response is a transport error', async () => {
    server.respondWith((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'),
    );
    expect(await errorOf(clientOf(server).getMe())).toBeInstanceOf(TransportError);
  });
});

describe('unusable responses', () => {
  it.each([
    ['an HTML page', 200, '<html>maintenance</html>'],
    ['an empty body', 200, ''],
    ['a truncated body', 201, '{"workspace":{"id"'],
  ])('%s with a success status is a retryable transport error', async (_, status, body) => {
    server.respondWith((_request, response) => response.writeHead(status).end(body));
    const error = await errorOf(clientOf(server).getMe());
    expect(error).toMatchObject({ name: 'TransportError', phase: 'sent', code: 'NOT_JSON' });
    expect(classify(error).kind).toBe('backoff');
  });

  it('an HTML page with status 502 keeps its status', async () => {
    server.respondWith((_, response) => response.writeHead(502).end('<html>'));
    const error = await errorOf(clientOf(server).getMe());
    expect(error).toMatchObject({ name: 'ApiError', status: 502 });
    expect(classify(error).kind).toBe('backoff');
  });

  it.each([403, 404, 405, 410])(
    'a page with %i comes from a gateway that does not reach the platform, and names no missing object',
    async (status) => {
      server.respondWith((_, response) => response.writeHead(status).end('<html>not here</html>'));
      const error = await errorOf(clientOf(server).getModel({ params: { modelId: 'm' } }));
      expect(error).toMatchObject({ name: 'ApiError', status, code: 'NOT_THE_API' });
      expect(findRefusal(error)).toBeNull();
      expect(classify(error).kind).toBe('backoff');
      await expect(nullIfNotFound(() => Promise.reject(error))).rejects.toBe(error);
    },
  );

  it('the error contains the message of the platform and the request id', async () => {
    const body = { error: { code: 'VALIDATION_ERROR', message: 'models[3].fileType is empty' } };
    server.respondWith((_, response) => json(response, 400, body, { 'x-request-id': 'req-9' }));
    const error = await errorOf(clientOf(server).getMe());
    expect(error.message).toBe(
      'getMe: 400 VALIDATION_ERROR: models[3].fileType is empty (request req-9)',
    );
    expect(error).toMatchObject({ requestId: 'req-9' });
  });
});

describe('the phase of a failed request', () => {
  it('a request to a port without a listener is not sent, and is not counted', async () => {
    const { port, close } = await rawServer(() => {});
    await close();
    const client = clientAt(port);
    const error = await errorOf(client.getMe());
    expect(error).toMatchObject({ name: 'TransportError', phase: 'connect', code: 'ECONNREFUSED' });
    expect(error.message).toContain('the request was not sent');
    expect(client.counter.total).toBe(0);
    expect(client.budget.snapshot().spent).toBe(0);
  });

  it('a request to an unknown host is not sent', async () => {
    const client = clientOf(server, { baseUrl: 'http://does-not-exist.invalid/api/v1' });
    expect(await errorOf(client.getMe())).toMatchObject({ phase: 'connect' });
  });

  it('a request that is reset after it arrived has an unknown outcome, and is counted', async () => {
    server.respondWith((_, response) => void response.socket?.resetAndDestroy());
    const client = clientOf(server);
    const error = await errorOf(client.getMe());
    expect(error).toMatchObject({ name: 'TransportError', phase: 'sent' });
    expect(error.message).toContain('the outcome is unknown');
    expect(client.counter.total).toBe(1);
    expect(client.budget.snapshot()).toMatchObject({ spent: 1, inFlight: 0 });
  });

  it('a request whose connection closes in the middle of the response body has an unknown outcome', async () => {
    server.respondWith((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('{"workspace":', () => response.destroy());
    });
    expect(await errorOf(clientOf(server).getMe())).toMatchObject({ phase: 'sent' });
  });

  it('a request that gets a response other than HTTP has an unknown outcome', async () => {
    const { port, close } = await rawServer((socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'));
    expect(await errorOf(clientAt(port).getMe())).toMatchObject({ phase: 'sent' });
    await close();
  });
});

describe('bounded waits of a request', () => {
  it('a request that gets no response headers ends at the deadline', async () => {
    const { port, close } = await rawServer(() => {});
    const error = await errorOf(clientAt(port, { totalMs: 40 }).getMe());
    expect(error).toMatchObject({ name: 'TransportError', phase: 'sent', code: 'DEADLINE' });
    await close();
  });

  it('a request with an endless, slow response body avoids the idle timeout, but ends at the deadline', async () => {
    const { port, close } = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n');
      const drip = setInterval(() => socket.write(' '), 5);
      socket.on('close', () => clearInterval(drip));
    });
    const error = await errorOf(clientAt(port, { bodyMs: 5000, totalMs: 60 }).getMe());
    expect(error).toMatchObject({ code: 'DEADLINE' });
    await close();
  });

  it('the caller can abort a request at any time, with its own reason', async () => {
    const caller = new AbortController();
    const reason = new Error('run cancelled');
    server.respondWith(() => caller.abort(reason));
    const client = clientOf(server);
    expect(await errorOf(client.getMe({}, { signal: caller.signal }))).toBe(reason);
    expect(await errorOf(client.getMe({}, { signal: caller.signal }))).toBe(reason);
    expect(server.received).toHaveLength(1);
    expect(client.budget.snapshot().inFlight).toBe(0);
  });

  describe('a response larger than the limit', () => {
    async function sendLarge(status: number) {
      server.respondWith((_, response) =>
        json(response, status, { ...me, padding: 'x'.repeat(100_000) }),
      );
      const transport = createTransport({ origin: server.origin, apiKey: testKey });
      const url = new URL(`${server.origin}/api/v1/me`);
      try {
        return await transport.send({ ...getMe, url, maxBytes: 1000 });
      } finally {
        await transport.close();
      }
    }

    it('a success over the size limit is a ResponseShapeError, since the next response would be as large', async () => {
      const error = await errorOf(sendLarge(200));
      expect(error).toBeInstanceOf(ResponseShapeError);
      expect(error.message).toContain('getMe: the response (status 200)');
      expect(error.message).toContain('it has more than 1000 bytes');
    });

    it('a refusal over the size limit keeps its status', async () => {
      expect(await sendLarge(503)).toMatchObject({ status: 503, text: '' });
    });
  });
});

describe('the API key', () => {
  it('the API key is not sent to another origin, not even on another port', async () => {
    const other = await startServer();
    const transport = createTransport({ origin: server.origin, apiKey: testKey });
    const url = new URL(`${other.origin}/api/v1/me`);
    await transport.send({ ...getMe, url, maxBytes: 1000 });
    expect(other.received[0]?.headers['x-api-key']).toBeUndefined();
    await transport.close();
    await other.close();
  });

  it('the API key is not sent to another host by a redirect', async () => {
    const other = await startServer();
    server.respondWith((_, response) =>
      response.writeHead(307, { location: `${other.origin}/x` }).end(),
    );
    const client = clientOf(server);
    const error = await errorOf(client.createModels({ body: { models: [{ fileType: 'glb' }] } }));
    expect(error).toBeInstanceOf(ResponseShapeError);
    expect(error).not.toBeInstanceOf(TransportError);
    expect(other.received).toEqual([]);
    await other.close();
  });
});
