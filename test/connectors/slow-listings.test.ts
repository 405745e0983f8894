// A page of a listing has a time limit for every store. A response without an end is aborted.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { smallRequestMs } from '../../src/connectors/bucket/request-times.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { collect } from './_temp-folder.ts';

/** Sends the start of a response, and then a space every 10 ms, or breaks the connection. */
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'application/xml' }).write('<?xml version="1.0"?>');
  if (isBroken) {
    setTimeout(() => response.destroy(), 50);
    return;
  }
  const timer = setInterval(() => response.write(' '), 10);
  response.on('close', () => clearInterval(timer));
});
let origin = '';
let isBroken = false;

beforeAll(async () => {
  vi.stubEnv('RENDERLINE_ALLOW_HOSTS', '127.0.0.1');
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c4n4ry/S3/secret');
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) =>
    timeout(ms === smallRequestMs ? 300 : ms),
  );
});
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

const stores: [store: string, open: () => Connector][] = [
  [
    'S3',
    () =>
      openConnector({
        type: 's3',
        bucket: 'buck',
        endpoint: origin,
        region: 'eu-central-1',
        pathStyle: true,
      }),
  ],
  [
    'Azure',
    () =>
      openConnector(
        { type: 'azure', container: 'media' },
        {
          AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=a;AccountKey=YQ==;BlobEndpoint=${origin}/a`,
        },
      ),
  ],
  ['GCS', () => openConnector({ type: 'gcs', bucket: 'buck', endpoint: origin })],
];

describe.each(stores)('a listing of %s', { timeout: 30_000 }, (_store, open) => {
  it.each([
    ['never ends', false],
    ['breaks off', true],
  ])('a listing that %s is an error', async (_what, breaks) => {
    isBroken = breaks;
    await expect(collect(open().list())).rejects.toMatchObject({ code: 'CONNECTOR_UNREACHABLE' });
  });
});
