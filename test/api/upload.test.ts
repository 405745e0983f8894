import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdtemp, rename, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classify } from '../../src/api/errors/retry.ts';
import { type PutFileOptions, putFile } from '../../src/api/upload.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { errorOf, testKey } from './_server.ts';

interface Stored {
  method: string | undefined;
  headers: IncomingMessage['headers'];
  bytes: number;
  sha256: string;
}

let folder: string;
let path: string;
let store: Server;
let origin: string;
let stored: Stored[];
let received: (bytes: number, request: IncomingMessage) => unknown;
let respond: (response: ServerResponse) => unknown;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'upload-'));
  path = join(folder, 'shoe.glb');
  stored = [];
  received = () => {};
  respond = (response) => response.end();
  store = createServer((request, response) => {
    const hash = createHash('sha256');
    let bytes = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      hash.update(chunk);
      received(bytes, request);
    });
    request.on('end', () => {
      stored.push({
        method: request.method,
        headers: request.headers,
        bytes,
        sha256: hash.digest('hex'),
      });
      respond(response);
    });
  });
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
});

afterEach(async () => {
  store.closeAllConnections();
  await new Promise((resolve) => store.close(resolve));
  await rm(folder, { recursive: true });
});

/** Sends the file of the folder as the engine does. */
async function put(options: Partial<PutFileOptions> = {}) {
  const file = await new LocalConnector({ type: 'local', path: folder }).open('shoe.glb');
  const { bytes } = file.entry;
  try {
    return await putFile({
      url: `${origin}/bucket/shoe.glb?X-Amz-Signature=c4n4ry`,
      source: {
        name: 'shoe.glb',
        bytes,
        content: () => file.content(),
        isUnchanged: () => file.isUnchanged(),
      },
      contentType: 'model/gltf-binary',
      network: 'any',
      ...options,
    });
  } finally {
    await file.close();
  }
}

async function source(bytes: number): Promise<Buffer> {
  const content = randomBytes(bytes);
  await writeFile(path, content);
  return content;
}

describe('a whole upload', () => {
  it('an upload sends the bytes with their length and type, but none of our own headers', async () => {
    const content = await source(1_000_000);
    const sha256 = createHash('sha256').update(content).digest('hex');
    expect(await put()).toEqual({ bytes: 1_000_000, sha256 });
    expect(stored).toMatchObject([{ method: 'PUT', bytes: 1_000_000, sha256 }]);
    const headers = stored[0]?.headers ?? {};
    expect(headers['content-length']).toBe('1000000');
    expect(headers['content-type']).toBe('model/gltf-binary');
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(headers['x-api-key']).toBeUndefined();
    expect(JSON.stringify(headers)).not.toContain(testKey);
  });

  it('an upload sends an empty file with length 0', async () => {
    await source(0);
    expect((await put()).bytes).toBe(0);
    expect(stored[0]?.headers['content-length']).toBe('0');
  });

  it('an upload reports progress up to the last byte', async () => {
    await source(700_000);
    const seen: number[] = [];
    await put({ onProgress: (sentBytes) => seen.push(sentBytes) });
    expect(seen.at(-1)).toBe(700_000);
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
  });

  it('an upload holds only a window of a large file in memory', async () => {
    await writeFile(path, '');
    await truncate(path, 64 * 1024 * 1024);
    // Memory in use, without garbage, because garbage differs between versions of Node.
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const heldBytes = () => {
      collect();
      return process.memoryUsage().arrayBuffers;
    };
    const before = heldBytes();
    const held: number[] = [];
    let chunks = 0;
    received = () => {
      chunks += 1;
      if (chunks % 100 === 0) held.push(heldBytes() - before);
    };
    expect((await put()).bytes).toBe(64 * 1024 * 1024);
    expect(held.length).toBeGreaterThan(5);
    expect(Math.max(...held)).toBeLessThan(16 * 1024 * 1024);
  });

  it('an upload may take longer than the idle timeout while bytes flow', async () => {
    await source(20_000_000);
    received = (_, request) => {
      request.pause();
      setTimeout(() => request.resume(), 10);
    };
    const startedAt = performance.now();
    expect((await put({ idleMs: 2_000 })).bytes).toBe(20_000_000);
    expect(performance.now() - startedAt).toBeGreaterThan(2_000);
  });
});

describe('a file during its upload', () => {
  /** Runs `change` once when the first bytes have arrived. The rest of the file waits for the change. */
  function duringUpload(change: () => Promise<unknown>) {
    let started = false;
    received = (_, request) => {
      if (started) return;
      started = true;
      request.pause();
      void change().then(() => request.resume());
    };
  }

  it.each([
    ['fails if it grows', () => appendFile(path, 'more')],
    ['fails if it is truncated', () => truncate(path, 100)],
    ['fails if it is rewritten with the same size', () => utimes(path, 1, 1)],
    [
      'fails if it is replaced',
      async () => {
        await writeFile(`${path}.new`, randomBytes(8_000_000));
        await rename(`${path}.new`, path);
      },
    ],
  ])('a file during its upload %s', async (_, change) => {
    await source(8_000_000);
    duringUpload(change);
    expect(await errorOf(put())).toMatchObject({
      name: 'SourceChangedError',
      message: expect.stringContaining('shoe.glb changed'),
    });
  });

  it('a file that is deleted during its upload is sent completely', async () => {
    const content = await source(8_000_000);
    duringUpload(() => rm(path));
    const { sha256 } = await put();
    expect(sha256).toBe(createHash('sha256').update(content).digest('hex'));
    expect(stored[0]?.sha256).toBe(sha256);
  });
});

describe('a source that is not a file on this machine', () => {
  const from = (content: () => Promise<Uint8Array | Readable>, bytes: number) =>
    put({ source: { name: 'shoe.glb', bytes, content, isUnchanged: async () => true } });
  beforeEach(() => source(1));

  it('a stream is sent like a file', async () => {
    const pieces = Readable.from([Buffer.from('ab'), Buffer.from('c')], { objectMode: false });
    const { sha256 } = await from(async () => pieces, 3);
    expect(stored).toMatchObject([{ bytes: 3, sha256 }]);
  });

  it.each<[string, Uint8Array | Readable]>([
    ['in one piece', Buffer.from('ab')],
    ['as a stream', Readable.from([Buffer.from('ab')], { objectMode: false })],
  ])('a source with too few bytes %s counts as changed', async (_, content) => {
    expect(await errorOf(from(async () => content, 3))).toMatchObject({
      name: 'SourceChangedError',
    });
    expect(stored).toEqual([]);
  });

  it.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'EIO', 'ABORT_ERR'])(
    'a source that fails (%s) keeps its own error, which is not a platform error',
    async (code) => {
      const broken = Object.assign(new Error('the bucket went away'), { code });
      async function* chunks() {
        yield Buffer.alloc(200_000);
        throw broken;
      }
      const stream = Readable.from(chunks(), { objectMode: false });
      expect(await errorOf(from(async () => stream, 900_000))).toBe(broken);
    },
  );

  it('a slow source is not blamed if the platform closes the connection', async () => {
    async function* chunks() {
      for (;;) {
        yield Buffer.alloc(50_000);
        await delay(5);
      }
    }
    received = (bytes, request) => {
      if (bytes > 200_000) request.socket.resetAndDestroy();
    };
    const stream = Readable.from(chunks(), { objectMode: false });
    const error = await errorOf(from(async () => stream, 50_000_000));
    expect(error).toMatchObject({ name: 'TransportError', operation: 'upload' });
  });

  it('a source is closed if the platform closes the connection', async () => {
    const endless = new Readable({
      read() {
        this.push(Buffer.alloc(65_536));
      },
    });
    received = (_, request) => request.socket.resetAndDestroy();
    const error = await errorOf(from(async () => endless, 50_000_000));
    expect(error.name).toBe('TransportError');
    expect(endless.destroyed).toBe(true);
  });
});

describe('the status of a storage response', () => {
  it.each([
    [403, '', 'LinkExpiredError', 'never'],
    [401, '', 'LinkExpiredError', 'never'],
    [400, '<Code>ExpiredToken</Code>', 'LinkExpiredError', 'never'],
    [400, 'bad', 'TransferRefusedError', 'never'],
    [400, '<Error><Code>RequestTimeout</Code></Error>', 'TransportError', 'backoff'],
    [409, '<Error><Code>OperationAborted</Code></Error>', 'TransportError', 'backoff'],
    [404, '', 'TransferRefusedError', 'never'],
    [404, '<Error><Code>NoSuchBucket</Code></Error>', 'TransferRefusedError', 'never'],
    [404, '<html><title>default backend</title></html>', 'TransportError', 'backoff'],
    [404, '404 page not found\n', 'TransportError', 'backoff'],
    [410, '<!doctype html><p>gone', 'TransportError', 'backoff'],
    [404, '{"error":"no such key"}', 'TransferRefusedError', 'never'],
    [405, '<!doctype html><title>Not Allowed</title>', 'TransportError', 'backoff'],
    [307, '', 'TransferRefusedError', 'never'],
    [503, '', 'TransportError', 'backoff'],
    [500, '', 'TransportError', 'backoff'],
    [429, '', 'TransportError', 'backoff'],
    [200, '<?xml?><Error><Code>SlowDown</Code></Error>', 'TransportError', 'backoff'],
    [200, '<!DOCTYPE html><title>Sign in</title>', 'TransportError', 'backoff'],
    [200, '<html><title>Sign in</title></html>', 'TransportError', 'backoff'],
  ])('the status %i with the body "%s" causes a %s', async (status, body, name, kind) => {
    await source(10);
    respond = (response) => response.writeHead(status, { location: `${origin}/other` }).end(body);
    const error = await errorOf(put());
    expect(error.name).toBe(name);
    expect(classify(error).kind).toBe(kind);
    expect(stored).toHaveLength(1);
  });

  it('a broken connection is a transport error that contains the host, but not the query', async () => {
    await source(4_000_000);
    received = (_, request) => request.socket.resetAndDestroy();
    const error = await errorOf(put());
    expect(error).toMatchObject({ name: 'TransportError', phase: 'sent' });
    expect(error.message).toContain('127.0.0.1');
    expect(error.message).not.toContain('c4n4ry');
  });
});

describe('bounded waits of an upload', () => {
  it('an upload to storage that stops reading ends at the deadline', async () => {
    await source(30_000_000);
    received = (_, request) => request.pause();
    expect(await errorOf(put({ totalMs: 60 }))).toMatchObject({ code: 'DEADLINE' });
  });

  it('an upload to storage that stops reading ends at the idle timeout, before the deadline', async () => {
    await source(30_000_000);
    received = (_, request) => request.pause();
    const error = await errorOf(put({ idleMs: 40 }));
    expect(error).toMatchObject({ name: 'TransportError', code: 'UND_ERR_HEADERS_TIMEOUT' });
  });

  it('an upload to storage that never responds ends at the idle timeout', async () => {
    await source(10);
    respond = () => {};
    expect(await errorOf(put({ idleMs: 40 }))).toMatchObject({ name: 'TransportError' });
  });

  it('the caller can abort an upload', async () => {
    await source(8_000_000);
    const caller = new AbortController();
    const reason = new Error('cancelled');
    received = () => caller.abort(reason);
    expect(await errorOf(put({ signal: caller.signal }))).toBe(reason);
  });
});

it('an upload to an address of a private network is refused unless the platform is on one itself', async () => {
  await source(10);
  const error = await errorOf(
    put({ network: 'public', url: `${origin.replace('http', 'https')}/x` }),
  );
  expect(error.name).toBe('ForbiddenAddressError');
  expect(stored).toEqual([]);
});
