// The S3 connector on a real server: the common suite for connectors, and cases of buckets.
import { ListMultipartUploadsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { openS3Bucket } from '../../src/connectors/s3-bucket.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { testConnector } from '../connectors/connector.testsuite.ts';
import { fileOf, testLargeFiles, testPartUploads } from '../connectors/large-files.testsuite.ts';
import { moto, s3Credentials, useS3 } from '../system/_s3.ts';

const s3 = useS3();
const before = { ...process.env };
beforeEach(() => void Object.assign(process.env, s3Credentials));
afterEach(() => {
  for (const name of Object.keys(s3Credentials)) delete process.env[name];
  Object.assign(process.env, before);
});

let made = 0;
const freshName = () => `bucket-${(made += 1)}`;
const specOf = (bucket: string, more: Record<string, string> = {}) => ({
  type: 's3',
  bucket,
  endpoint: s3.origin,
  pathStyle: true,
  ...more,
});
const connect = async (more: Record<string, string> = {}) =>
  openConnector(specOf(await s3.makeBucket(freshName()), more));
const text = (value: string) => new TextEncoder().encode(value);
const put = (bucket: string, name: string, body = 'x') =>
  s3.client.send(new PutObjectCommand({ Bucket: bucket, Key: name, Body: body }));

describe.skipIf(moto.problem !== null)('S3', () => {
  testConnector('a bucket', {
    connect: () => connect(),
    connectNowhere: async () => openConnector(specOf('no-such-bucket')),
    isBucket: true,
  });

  testConnector('a folder of a bucket', {
    connect: () => connect({ prefix: 'shoes/spring' }),
    connectNowhere: async () => openConnector(specOf('no-such-bucket', { prefix: 'shoes' })),
    isBucket: true,
  });

  describe('a listing', () => {
    it('a listing spans several pages', async () => {
      const bucket = await s3.makeBucket(freshName());
      const names = Array.from({ length: 1_203 }, (_, index) => `models/${index}.glb`);
      for (let start = 0; start < names.length; start += 100) {
        await Promise.all(names.slice(start, start + 100).map((name) => put(bucket, name)));
      }
      const seen = await collect(openConnector(specOf(bucket, { prefix: 'models' })).names());
      expect(seen).toHaveLength(names.length);
      expect(new Set(seen).size).toBe(names.length);
    });

    it('a listing contains neither folder objects from a console nor anything outside the prefix', async () => {
      const bucket = await s3.makeBucket(freshName());
      for (const name of ['a/', 'a/one.glb', 'ab/two.glb', 'a']) await put(bucket, name);
      const seen = await collect(openConnector(specOf(bucket, { prefix: 'a' })).names());
      expect(seen).toEqual(['one.glb']);
    });

    it.each(['a b+c.glb', 'ü/ñ.glb', '100%.glb', '<&">.glb', '(1) [2].glb'])(
      'a listing contains the name %s unchanged',
      async (name) => {
        const connector = await connect();
        await connector.write(name, text('x'));
        expect(await collect(connector.names())).toEqual([name]);
        expect((await connector.read(name)).toString()).toBe('x');
      },
    );
  });

  describe('a staged file', () => {
    testLargeFiles({ connect: () => connect(), steps: 10, stoppedBytes: 5_000_000 });

    describe('a file that is too large for a single request', () => {
      const sizes = { maxPutBytes: 6_000_000, partBytes: 5 * 1024 ** 2 };
      const opened = async () => {
        const bucket = await s3.makeBucket(freshName());
        const spec = { bucket, region: undefined, endpoint: s3.origin, pathStyle: true };
        const uploads = async () =>
          (await s3.client.send(new ListMultipartUploadsCommand({ Bucket: bucket }))).Uploads ?? [];
        return { bucket: openS3Bucket(spec, sizes), uploads };
      };
      testPartUploads(async () => (await opened()).bucket);

      it('a large staged file leaves no parts behind if it is aborted', async () => {
        const { bucket, uploads } = await opened();
        const stop = new AbortController();
        const file = fileOf(Buffer.alloc(16_000_000), () => stop.abort(new Error('cancelled')));
        const sending = bucket.putFile('catalog.zip', file, { signal: stop.signal });
        await expect(sending).rejects.toThrow('cancelled');
        await vi.waitFor(async () => expect(await uploads()).toEqual([]), { timeout: 20_000 });
        expect(await bucket.head('catalog.zip')).toBeNull();
      });
    });
  });

  describe('errors', () => {
    const looking = (connector: Connector) => collect(connector.list());

    afterEach(() => s3.acceptAnyone(true));

    it('a wrong key causes an error with a code', async () => {
      const connector = await connect();
      await s3.acceptAnyone(false);
      const refused = {
        code: 'CREDENTIALS_REFUSED',
        message: expect.stringMatching(/InvalidAccessKeyId.*AWS_ACCESS_KEY_ID/),
      };
      await expect(looking(connector)).rejects.toMatchObject(refused);
      await expect(connector.read('a')).rejects.toMatchObject(refused);
      await expect(connector.write('a', text('x'))).rejects.toMatchObject(refused);
    });

    it('a missing key causes an error with a code', async () => {
      const connector = await connect();
      delete process.env['AWS_ACCESS_KEY_ID'];
      delete process.env['AWS_SECRET_ACCESS_KEY'];
      await expect(looking(connector)).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
    });

    it('a missing region causes an error with a code', async () => {
      const connector = await connect();
      delete process.env['AWS_REGION'];
      await expect(looking(connector)).rejects.toMatchObject({
        code: 'CONNECTOR_MISCONFIGURED',
        message: expect.stringMatching(/region/),
      });
    });

    it.each([
      ['nothing is listening', 'http://127.0.0.1:9'],
      ['the host name does not resolve', 'https://storage.invalid'],
    ])('an endpoint where %s causes an error with a code after retries', async (_, endpoint) => {
      const connector = openConnector({ ...specOf('any-bucket'), endpoint });
      await expect(looking(connector)).rejects.toMatchObject({ code: 'CONNECTOR_UNREACHABLE' });
    });

    it('neither the error about a wrong key nor the description contains the secret', async () => {
      const connector = await connect();
      await s3.acceptAnyone(false);
      const error: unknown = await looking(connector).catch((failure: unknown) => failure);
      const { inspect } = await import('node:util');
      const shown = inspect(error, { depth: 9, showHidden: true }) + connector.describe();
      expect(shown).not.toContain('c4n4ry');
      expect(shown).not.toMatch(/Signature=|Credential=/);
    });
  });
});
