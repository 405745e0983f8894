// The GCS connector on fake-gcs-server: the common suite for connectors.
import { describe, expect, it } from 'vitest';
import { openConnector } from '../../src/connectors/index.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { testConnector } from '../connectors/connector.testsuite.ts';
import { testLargeFiles } from '../connectors/large-files.testsuite.ts';
import { fakeGcs, useGcs } from './_gcs.ts';

const gcs = useGcs();
let made = 0;
const freshName = () => `bucket-${(made += 1)}`;
const text = (value: string) => new TextEncoder().encode(value);
const connectTo = (bucket: string, more: Record<string, string> = {}) =>
  openConnector(
    { type: 'gcs', bucket, endpoint: gcs.origin, ...more },
    { RENDERLINE_ALLOW_HOSTS: '127.0.0.1' },
  );
const connect = async (more: Record<string, string> = {}) =>
  connectTo(await gcs.makeBucket(freshName()), more);

describe.skipIf(fakeGcs.problem !== null)('GCS', () => {
  testConnector('a bucket', {
    connect: () => connect(),
    connectNowhere: async () => connectTo('no-such-bucket'),
    isBucket: true,
  });

  testConnector('a folder of a bucket', {
    connect: () => connect({ prefix: 'shoes/spring' }),
    connectNowhere: async () => connectTo('no-such-bucket', { prefix: 'shoes' }),
    isBucket: true,
  });

  it('the connector lists 2,300 files across several pages', async () => {
    const connector = await connect();
    const names = Array.from({ length: 2_300 }, (_, index) => `models/${index}.glb`);
    for (let start = 0; start < names.length; start += 100) {
      const part = names.slice(start, start + 100);
      await Promise.all(part.map((name) => connector.write(name, text('x'))));
    }
    expect(new Set(await collect(connector.names())).size).toBe(names.length);
  });

  testLargeFiles({ connect: () => connect(), steps: 10, stoppedBytes: 20_000_000 });

  it('the connector reports an endpoint where nothing is listening', async () => {
    const connector = connectTo('any-bucket', { endpoint: 'http://127.0.0.1:9' });
    await expect(collect(connector.list())).rejects.toMatchObject({
      code: 'CONNECTOR_UNREACHABLE',
    });
  });

  it.each([
    ['is missing', '/nowhere/key.json'],
    ['is invalid', new URL(import.meta.url).pathname],
  ])('the connector reports a key file that %s', async (_, path) => {
    const spec = { type: 'gcs', bucket: 'any-bucket', keyFileFrom: 'RENDERLINE_SECRET_KEY_FILE' };
    const connector = openConnector(spec, { RENDERLINE_SECRET_KEY_FILE: path });
    await expect(collect(connector.list())).rejects.toMatchObject({ code: 'CREDENTIALS_REFUSED' });
  });

  it('the connector reports a variable that is not set', async () => {
    const connector = connectTo('any-bucket', { keyFileFrom: 'RENDERLINE_SECRET_NOT_SET' });
    await expect(collect(connector.list())).rejects.toMatchObject({ code: 'CREDENTIALS_MISSING' });
  });
});
