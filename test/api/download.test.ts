import { createHash, randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DownloadOptions, downloadTo, type Sink } from '../../src/api/download.ts';
import { classify } from '../../src/api/errors/retry.ts';
import { clientOf, errorOf, startServer, type TestServer, testKey } from './_server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.close());
beforeEach(() => {
  server.received.length = 0;
});

class Memory implements Sink {
  readonly chunks: Uint8Array[] = [];
  async write(chunk: Uint8Array) {
    this.chunks.push(chunk);
  }
}

const content = randomBytes(300_000);
const sha256 = createHash('sha256').update(content).digest('hex');

function fetchFile(options: Partial<DownloadOptions> = {}) {
  const sink = new Memory();
  const done = downloadTo({
    url: `${server.origin}/f?sig=c4n4ry`,
    sink,
    network: 'any',
    ...options,
  });
  return { sink, done };
}

describe('a whole download', () => {
  it('a download returns the bytes, their hash and the content type', async () => {
    server.respondWith((_, response) =>
      response
        .writeHead(200, { 'content-type': 'image/png', 'content-length': 300_000 })
        .end(content),
    );
    const { sink, done } = fetchFile();
    expect(await done).toEqual({ bytes: 300_000, sha256 });
    expect(Buffer.concat(sink.chunks).equals(content)).toBe(true);
  });

  it('a download requests an uncompressed file, since compression would change the length', async () => {
    server.respondWith((_, response) => response.end(content));
    await fetchFile().done;
    expect(server.received[0]?.headers['accept-encoding']).toBe('identity');
  });

  it('a download reports its progress', async () => {
    server.respondWith((_, response) => response.end(content));
    const seen: number[] = [];
    await fetchFile({ onProgress: (bytes) => seen.push(bytes) }).done;
    expect(seen.at(-1)).toBe(300_000);
  });
});

describe('a file that storage sends compressed', () => {
  const packed = {
    gzip: gzipSync(content),
    deflate: deflateSync(content),
    br: brotliCompressSync(content),
  };

  it.each(Object.entries(packed))(
    'a file with the encoding %s is unpacked',
    async (encoding, body) => {
      server.respondWith((_, response) =>
        response
          .writeHead(200, { 'content-encoding': encoding, 'content-length': body.length })
          .end(body),
      );
      const { sink, done } = fetchFile();
      expect(await done).toEqual({ bytes: 300_000, sha256 });
      expect(Buffer.concat(sink.chunks).equals(content)).toBe(true);
    },
  );

  it('a file that ends early, or is not compressed as stated, is a transport error', async () => {
    for (const body of [packed.gzip.subarray(0, 1_000), content]) {
      server.respondWith((_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(body),
      );
      expect(classify(await errorOf(fetchFile().done)).kind).toBe('backoff');
    }
  });

  it('the limit applies to the unpacked bytes', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    server.respondWith((_, response) =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb),
    );
    const { sink, done } = fetchFile({ maxBytes: 100_000 });
    expect((await errorOf(done)).name).toBe('TransferTooLargeError');
    expect(Buffer.concat(sink.chunks).length).toBeLessThanOrEqual(100_000);
  });
});

describe('redirects', () => {
  it('redirects are followed from the API to storage on another host, without the key', async () => {
    const storage = await startServer();
    storage.respondWith((_, response) => response.end(content));
    server.respondWith((_, response) =>
      response.writeHead(302, { location: `${storage.origin}/f?X-Amz-Signature=1` }).end(),
    );
    const client = clientOf(server);
    const { location } = await client.downloadRender({ params: { renderId: 'r' } });
    const { bytes } = await fetchFile({ url: location, network: client.network }).done;
    expect(bytes).toBe(300_000);
    expect(server.received[0]?.headers['x-api-key']).toBe(testKey);
    expect(JSON.stringify(storage.received)).not.toContain(testKey);
    await storage.close();
  });

  it('redirects are followed at most five times', async () => {
    server.respondWith(({ url }, response) =>
      response.writeHead(302, { location: `${url}x` }).end(),
    );
    const error = await errorOf(fetchFile().done);
    expect(error.name).toBe('TransferRefusedError');
    expect(server.received).toHaveLength(6);
  });

  it.each(['file:///etc/passwd', 'ftp://127.0.0.1/x', 'http://['])(
    'redirects to %s are refused',
    async (location) => {
      server.respondWith((_, response) => response.writeHead(302, { location }).end());
      expect((await errorOf(fetchFile().done)).name).toMatch(/ForbiddenAddress|TransferRefused/);
      expect(server.received).toHaveLength(1);
    },
  );
});

describe('a transfer that fails', () => {
  it('a connection that breaks is a transport error', async () => {
    server.respondWith((_, response) => {
      response.writeHead(200, { 'content-length': 300_000 });
      response.write(content.subarray(0, 1000), () => response.destroy());
    });
    const error = await errorOf(fetchFile().done);
    expect(error.name).toBe('TransportError');
    expect(classify(error).kind).toBe('backoff');
  });

  it('a chunked body that is cut off is a transport error', async () => {
    server.respondWith((_, response) => {
      response.writeHead(200);
      response.write(content.subarray(0, 1000), () => response.destroy());
    });
    expect((await errorOf(fetchFile().done)).name).toBe('TransportError');
  });

  it.each([
    ['announced', { 'content-length': '300000' }],
    ['unannounced', {}],
  ])('a file of %s size is refused if it is too large', async (_, headers) => {
    server.respondWith((_request, response) => response.writeHead(200, headers).end(content));
    const { done } = fetchFile({ maxBytes: 299_999 });
    expect((await errorOf(done)).name).toBe('TransferTooLargeError');
  });
});

describe('the attribution of a failed download', () => {
  /** Sends the given number of bytes of a longer file, then calls `end`. */
  const partOf = (bytes: number, end: (response: ServerResponse) => void) =>
    server.respondWith((_, response) => {
      response.writeHead(200, { 'content-length': content.length });
      response.write(content.subarray(0, bytes), () => end(response));
    });
  const reset = (response: ServerResponse) => response.socket?.resetAndDestroy();
  /** Resets the connection when the earlier bytes have been read. Systems then report ECONNRESET. */
  const lateReset = (response: ServerResponse) => setTimeout(() => reset(response), 20);
  const close = (response: ServerResponse) => response.destroy();
  const slow: Sink = { write: () => delay(5) };

  it.each<[string, number, (response: ServerResponse) => void, Sink]>([
    ['a reset after the first byte', 1, reset, new Memory()],
    ['a reset after some chunks', 200_000, reset, new Memory()],
    ['a reset while no bytes arrive', 200_000, lateReset, new Memory()],
    ['a reset before the last byte', content.length - 1, reset, new Memory()],
    ['a reset while the disk is busy', 200_000, reset, slow],
    ['a closed connection in the middle', 200_000, close, new Memory()],
    ['a closed connection while the disk is busy', 200_000, close, slow],
  ])('a download that fails with %s is attributed to the platform', async (_, bytes, end, sink) => {
    partOf(bytes, end);
    const error = await errorOf(fetchFile({ sink }).done);
    expect(error).toMatchObject({ name: 'TransportError', operation: 'download' });
    expect(classify(error).kind).toBe('backoff');
  });

  it.each(['ENOSPC', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'UND_ERR_SOCKET'])(
    'the error %s from a disk or network drive is attributed to the disk, and stays unchanged',
    async (code) => {
      server.respondWith((_, response) => response.end(content));
      const failure = Object.assign(new Error('cannot write'), { code });
      const sink = { write: () => Promise.reject(failure) };
      expect(await errorOf(fetchFile({ sink }).done)).toBe(failure);
    },
  );

  it('a disk failure while the connection breaks is attributed to the disk', async () => {
    const failure = Object.assign(new Error('cannot write'), { code: 'EIO' });
    partOf(1_000, reset);
    const sink = {
      write: async () => {
        await delay(20);
        throw failure;
      },
    };
    expect(await errorOf(fetchFile({ sink }).done)).toBe(failure);
  });

  it('the time of a slow disk does not count against the deadline', async () => {
    server.respondWith((_, response) => response.end(content));
    const sink = { write: () => delay(40) };
    expect((await fetchFile({ sink, totalMs: 60 }).done).bytes).toBe(content.length);
  });
});

describe('the status of a storage response', () => {
  it.each([
    [403, 'LinkExpiredError', 'never'],
    [410, 'LinkExpiredError', 'never'],
    [404, 'TransferRefusedError', 'never'],
    [206, 'TransferRefusedError', 'never'],
    [503, 'TransportError', 'backoff'],
    [429, 'TransportError', 'backoff'],
  ])('the status %i causes a %s', async (status, name, kind) => {
    server.respondWith((_, response) => response.writeHead(status).end('x'));
    const error = await errorOf(fetchFile().done);
    expect(error.name).toBe(name);
    expect(classify(error).kind).toBe(kind);
    expect(error.message).not.toContain('c4n4ry');
  });
});

describe('bounded waits of a download', () => {
  it('a download whose body trickles ends at the deadline', async () => {
    server.respondWith((_, response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 5);
      response.on('close', () => clearInterval(drip));
    });
    expect(await errorOf(fetchFile({ totalMs: 60 }).done)).toMatchObject({ code: 'DEADLINE' });
  });

  it('a download whose body stops ends at the idle timeout', async () => {
    server.respondWith((_, response) => response.writeHead(200).write('x'));
    expect(await errorOf(fetchFile({ idleMs: 40 }).done)).toMatchObject({
      code: 'UND_ERR_BODY_TIMEOUT',
    });
  });

  it('the caller can abort a download', async () => {
    const caller = new AbortController();
    const reason = new Error('cancelled');
    server.respondWith((_, response) => {
      response.writeHead(200).write('x');
      caller.abort(reason);
    });
    expect(await errorOf(fetchFile({ signal: caller.signal }).done)).toBe(reason);
  });

  it('the caller can abort a download while the disk is busy', async () => {
    const caller = new AbortController();
    const reason = new Error('cancelled');
    server.respondWith((_, response) => response.end(content));
    const sink = { write: async () => caller.abort(reason) };
    expect(await errorOf(fetchFile({ sink, signal: caller.signal }).done)).toBe(reason);
  });

  it.each([
    ['is done', {}],
    ['is refused for its size', { maxBytes: 10 }],
    ['fails because of the disk', { sink: { write: () => Promise.reject(new Error('full')) } }],
  ])('the response is closed when the download %s', async (_, options) => {
    const ended = new Promise<void>((resolve) => {
      server.respondWith((_request, response) => {
        response.on('close', resolve);
        response.end(Buffer.concat(Array.from({ length: 20 }, () => content)));
      });
    });
    await fetchFile(options).done.catch(() => undefined);
    await ended;
  });
});
