// Tests errors of vendors' clients during a transfer, with a real server that breaks off. Temporary errors of the
// store are retried, after a write that the store has accepted too, and an error of the file on this machine is not
// reported as one of the store.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openAzureBucket } from '../../src/connectors/azure-bucket.ts';
import type { Bucket } from '../../src/connectors/bucket/bucket.ts';
import type { OpenFile } from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { openGcsBucket } from '../../src/connectors/gcs-bucket.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { openS3Bucket } from '../../src/connectors/s3-bucket.ts';
import { stageLocally } from '../../src/connectors/staging.ts';
import { NewFile } from '../../src/disk/disk-file.ts';
import type { ConnectorSpec } from '../../src/plan/types.ts';

let server: Server;
let origin: string;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;

beforeEach(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c4n4ry');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  server = createServer((request, response) => {
    request.on('error', () => undefined);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

interface Store {
  bucket: () => Bucket;
  spec: () => ConnectorSpec;
  /** The response to a write that only creates, if the object exists. */
  refusal: { status: number; headers: Record<string, string>; body: string };
  /** Its client retries an upload for a quarter of a minute, so this is tested with the real server. */
  isPatient?: true;
}

const connectionString = () =>
  `DefaultEndpointsProtocol=http;AccountName=render;AccountKey=a2V5;BlobEndpoint=${origin}/render`;
const stores: [string, Store][] = [
  [
    'S3',
    {
      bucket: () =>
        openS3Bucket({ bucket: 'media', region: undefined, endpoint: origin, pathStyle: true }),
      spec: () => ({ type: 's3', bucket: 'media', endpoint: origin, pathStyle: true }),
      refusal: {
        status: 412,
        headers: { 'content-type': 'application/xml' },
        body: '<?xml version="1.0"?><Error><Code>PreconditionFailed</Code></Error>',
      },
    },
  ],
  [
    'GCS',
    {
      bucket: () => openGcsBucket({ bucket: 'media', endpoint: origin, keyFile: undefined }),
      spec: () => ({ type: 'gcs', bucket: 'media', endpoint: origin }),
      refusal: {
        status: 412,
        headers: { 'content-type': 'application/json' },
        body: '{"error":{"code":412,"errors":[{"reason":"conditionNotMet"}]}}',
      },
    },
  ],
  [
    'Azure',
    {
      bucket: () => openAzureBucket('media', connectionString(), true),
      spec: () => ({ type: 'azure', container: 'media' }),
      refusal: { status: 409, headers: { 'x-ms-error-code': 'BlobAlreadyExists' }, body: '' },
      isPatient: true,
    },
  ],
];

/** Accepts the given number of bytes of a body, then breaks off. */
const breaksAfter =
  (bytes: number, end: (request: IncomingMessage) => unknown) =>
  (request: IncomingMessage): void => {
    let came = 0;
    request.on('data', (chunk: Buffer) => {
      came += chunk.length;
      if (came >= bytes) end(request);
    });
  };
const reset = (request: IncomingMessage) => request.socket.resetAndDestroy();
const close = (request: IncomingMessage) => request.socket.destroy();

describe.each(stores)(
  'broken transfers with %s',
  (_, { bucket, spec, refusal, isPatient = false }) => {
    const connect = () =>
      openConnector(spec(), {
        AZURE_STORAGE_CONNECTION_STRING: connectionString(),
        AWS_ENDPOINT_URL: origin,
      });

    it.skipIf(isPatient).each([
      ['reset', reset],
      ['closed', close],
    ])('a connection %s in the middle of an upload is transient', async (_name, end) => {
      answer = breaksAfter(300_000, end);
      const staged = await connect().stage('shoe.png');
      await staged.write(Buffer.alloc(4_000_000, 1));
      const error = await staged.commit().catch((failure: unknown) => failure);
      await staged.discard();
      expect(error).toMatchObject({ name: 'ConnectorError', code: 'CONNECTOR_UNREACHABLE' });
      expect(error).toMatchObject({ isTransient: true, runCause: null });
    });

    it.each([
      ['reset', (response: ServerResponse) => response.socket?.resetAndDestroy()],
      ['closed', (response: ServerResponse) => response.destroy()],
    ])('a connection %s in the middle of a read is transient', async (_name, end) => {
      answer = (_request, response) => {
        response.writeHead(200, { 'content-length': 900_000, etag: '"1"' });
        response.write(Buffer.alloc(300_000), () => end(response));
      };
      const read = connect().open('shoe.glb').then(allOf);
      await expect(read).rejects.toMatchObject({
        code: 'CONNECTOR_UNREACHABLE',
        isTransient: true,
      });
    });

    it('an error reading a local file is not reported as an error of the store', async () => {
      let requests = 0;
      answer = (request) => {
        requests += 1;
        request.resume();
      };
      // This error has the same code as a broken connection.
      const own = new ConnectorError(
        'UNWRITABLE',
        'shoe.png',
        'ECONNRESET of a drive',
        'look at it',
      );
      const pieces = async function* () {
        yield Buffer.alloc(100_000);
        throw own;
      };
      const sent = bucket().putFile('shoe.png', { bytes: 900_000, pieces }, {});
      await expect(sent).rejects.toBe(own);
      expect(requests).toBeLessThanOrEqual(1);
    });

    it.each([
      ['written by us after a lost response, if the bytes match', 1, 'ours', 'written'],
      ['written by someone else after a lost response, if the bytes differ', 1, 'else', 'exists'],
      ['written by someone else if no response was lost', 0, 'ours', 'exists'],
    ])('an existing object counts as %s', async (_name, lost, stored, outcome) => {
      let writes = 0;
      answer = async (request, response) => {
        if (request.method === 'GET') {
          response.writeHead(200, { 'content-length': stored.length, etag: '"1"' }).end(stored);
          return;
        }
        await buffer(request);
        writes += 1;
        if (writes <= lost) request.socket.destroy();
        else response.writeHead(refusal.status, refusal.headers).end(refusal.body);
      };
      expect(await bucket().put('links/a.json', Buffer.from('ours'), true)).toBe(outcome);
      expect(writes).toBe(lost + 1);
    });

    it("an aborted upload rejects with the caller's reason", async () => {
      const caller = new AbortController();
      const why = new Error('cancelled');
      answer = breaksAfter(1, () => caller.abort(why));
      const staged = await connect().stage('shoe.png');
      await staged.write(Buffer.alloc(4_000_000, 1));
      await expect(staged.commit({ signal: caller.signal })).rejects.toBe(why);
      await staged.discard();
    });
  },
);

it('a full local disk is reported as such, not as an error of the bucket', async () => {
  const staged = await stageLocally('shoe.png', () => Promise.reject(new Error('not sent')));
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const spy = vi.spyOn(NewFile.prototype, 'write').mockRejectedValueOnce(full);
  await expect(staged.write(Buffer.alloc(1))).rejects.toMatchObject({
    code: 'DISK_FULL',
    message: expect.stringMatching(/renderline-staged.* in the staging folder/),
  });
  spy.mockRestore();
  await staged.discard();
});

it('an object in GCS with the content encoding gzip is read as it is stored', async () => {
  const stored = gzipSync(Buffer.alloc(100_000, 'glTF'));
  answer = (request, response) => {
    const encoding = 'x-goog-stored-content-encoding';
    const headers = {
      [encoding]: 'gzip',
      'x-goog-stored-content-length': stored.length,
      'x-goog-generation': '7',
    };
    // As the store does, the server unpacks the object for others, in full and without its length.
    if (request.headers['accept-encoding'] !== 'gzip') {
      return response.writeHead(200, headers).end(Buffer.alloc(100_000, 'glTF'));
    }
    const own = { ...headers, 'content-encoding': 'gzip' };
    const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    if (start === undefined) return response.writeHead(200, own).end(stored);
    const range = { 'content-range': `bytes ${start}-${end}/${stored.length}` };
    const part = stored.subarray(Number(start), Number(end) + 1);
    return response.writeHead(206, { ...own, ...range }).end(part);
  };
  const connector = openConnector({ type: 'gcs', bucket: 'media', endpoint: origin });
  expect(await connector.read('lamp.glb')).toEqual(stored);
  expect(await connector.readPart('lamp.glb', 0, 4)).toMatchObject({
    entry: { bytes: stored.length },
    bytes: stored.subarray(0, 4),
  });
  const file = await connector.open('lamp.glb');
  expect(file.entry.bytes).toBe(stored.length);
  const content = await file.content();
  expect(content instanceof Uint8Array ? content : await buffer(content)).toEqual(stored);
  await file.close();
});

async function allOf(file: OpenFile): Promise<void> {
  try {
    const content = await file.content();
    if (content instanceof Uint8Array) return;
    for await (const _chunk of content) continue;
  } finally {
    await file.close();
  }
}
