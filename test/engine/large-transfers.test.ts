// Large files pass through a worker in pieces, and many files share a few connections.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { downloadResults, uploadSources } from '../../bench/transfers/moves.ts';
import { writeSparseModel } from '../../bench/transfers/sparse-model.ts';
import { type CountingStore, openStore } from '../../bench/transfers/store.ts';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { Semaphore } from '../../src/engine/transfer-semaphore.ts';

const mib = 1024 ** 2;
let store: CountingStore;
let folder: string;
beforeEach(async () => {
  store = await openStore();
  folder = await mkdtemp(join(tmpdir(), 'renderline-large-'));
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIAEXAMPLE');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'c4n4ry');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  vi.stubEnv('RENDERLINE_ALLOW_HOSTS', '127.0.0.1');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await store.close();
  await rm(folder, { recursive: true, force: true });
});

/** Destinations of deliveries. */
const places: [string, () => Connector][] = [
  ['a folder', () => openConnector({ type: 'local', path: folder })],
  [
    'S3',
    () => openConnector({ type: 's3', bucket: 'media', endpoint: store.origin, pathStyle: true }),
  ],
  ['GCS', () => openConnector({ type: 'gcs', bucket: 'media', endpoint: store.origin })],
  [
    'Azure',
    () => {
      const account = `AccountName=test;AccountKey=a2V5;BlobEndpoint=${store.origin}/test`;
      const connection = `DefaultEndpointsProtocol=http;${account}`;
      const env = { AZURE_STORAGE_CONNECTION_STRING: connection };
      return openConnector({ type: 'azure', container: 'media' }, env);
    },
  ],
];

const home = (connector: Connector, bytes: number, name: string) =>
  downloadResults(connector, `${name}.tif`, `${store.origin}/cdn/${bytes}/${name}.tif`);

async function up(bytes: number, name: string): Promise<number> {
  const path = `${name}.glb`;
  await writeSparseModel(join(folder, path), bytes);
  const connector = openConnector({ type: 'local', path: folder });
  return uploadSources(connector, path, `${store.origin}/put/${path}`);
}

/** Maximum growth of the process during the work, in MiB. */
async function growthOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let max = before;
  const watch = setInterval(() => (max = Math.max(max, process.memoryUsage.rss())), 5);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return (max - before) / mib;
}

describe('memory during large transfers', () => {
  const maxMib = 120;

  it('memory use does not grow with the file size when a 300 MB model is uploaded', async () => {
    await up(mib, 'warm');
    expect(await growthOf(() => up(300 * mib, 'large'))).toBeLessThan(maxMib);
  });

  it.each(places)(
    'memory use does not grow with the file size when a 200 MB TIFF is delivered to %s',
    async (_, connect) => {
      const connector = connect();
      await home(connector, mib, 'warm');
      const bytes = 200 * mib;
      expect(await growthOf(() => home(connector, bytes, 'large'))).toBeLessThan(maxMib);
    },
  );
});

describe('connections of many transfers', () => {
  const atOnce = 4;
  const names = Array.from({ length: 30 }, (_, at) => `file-${at}`);

  it('uploads reuse connections, at most one per concurrent transfer', async () => {
    await Semaphore.of(atOnce).forEach(names, (name) => up(300_000, name));
    const { sockets, requests } = store.take();
    expect(requests).toBe(names.length);
    expect(sockets).toBeLessThanOrEqual(atOnce);
  });

  it.each(places)(
    'deliveries to %s reuse a few connections each for source and destination',
    async (place, connect) => {
      const connector = connect();
      await Semaphore.of(atOnce).forEach(names, (name) => home(connector, 300_000, name));
      const { sockets } = store.take();
      // A transfer that begins while another one releases its connection may open one more.
      const sides = place === 'a folder' ? 1 : 2;
      expect(sockets).toBeLessThanOrEqual(sides * atOnce + atOnce);
    },
  );
});
