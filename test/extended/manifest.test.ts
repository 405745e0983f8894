// The manifest of a pipeline with very many records, and of a run whose worker is killed.
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { openConnector } from '../../src/connectors/index.ts';
import { writeManifests } from '../../src/features/delivery/manifest/write-manifests.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import { changesOf, expectListed, isBegun, pipelineWithManifest } from '../system/_manifest.ts';
import { joined, reportOf, startRun } from '../system/_runs.ts';
import { fastSandbox, startSandbox } from '../system/_sandbox.ts';
import {
  startWorkerProcess,
  tempFolder,
  useProcesses,
  waitWhileRunning,
} from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();

test('a run whose worker is killed while it writes the manifest still completes the manifest', async () => {
  const sandbox = await startSandbox(fastSandbox);
  const env = joined(temporal.env, sandbox.env);
  const { place } = await pipelineWithManifest('killed');
  await mkdir(join(place.out, 'manifest.csv', 'in the way'), { recursive: true });
  const worker = await startWorkerProcess(env);
  const running = startRun(place, env);
  await waitWhileRunning(running, 'the manifest is begun', () => isBegun(place));
  await worker.stop('SIGKILL');
  await rm(join(place.out, 'manifest.csv'), { recursive: true });
  await startWorkerProcess(env);
  reportOf(await running.finished);
  await expectListed(place);
  expect(await changesOf(place)).toHaveLength(3);
  expect((await readdir(place.out)).filter((name) => name.startsWith('.rl'))).toEqual([]);
});

const count = 100_000;
const filesEach = 3;

/** Records that exist only when they are read, in the order of their names. */
function withManyRecords(connector: Connector, onRead: (number: number) => void): Connector {
  const folder = '.renderline/shoes/records';
  const nameOf = (number: number) => `model-${String(number).padStart(6, '0')}`;
  async function* names() {
    for (let number = 0; number < count; number += 1) {
      yield `${folder}/${nameOf(number)}@1-1~aaaaaaaa.json`;
    }
  }
  const recordOf = (key: string) => ({
    schema: 'renderline/asset/v1',
    key,
    source: { path: `${key}.glb`, bytes: 1, mtimeMs: 1, version: '1-1' },
    recipe: 'aaaaaaaa00000000',
    platformIds: { modelId: `id-of-${key}`, note: 'x'.repeat(1_000) },
    files: Array.from({ length: filesEach }, (_, at) => ({
      key,
      path: `${key}/${at}.png`,
      sha256: `${key}-${at}`.padEnd(64, '0'),
      bytes: 1_000,
      width: 2_000,
      height: 2_000,
      output: `${key}-${at}`,
      delivery: 'web00000',
    })),
    run: 'run-1',
    lineage: 'run-1',
    finishedAt: '2026-03-01T10:00:00.000Z',
  });
  return new Proxy(connector, {
    get(target, property) {
      if (property === 'names') {
        return (prefix: string, options: object) =>
          prefix === folder ? names() : target.names(prefix, options);
      }
      if (property === 'read') {
        return async (path: string) => {
          if (!path.startsWith(folder)) return target.read(path);
          const key = path.slice(folder.length + 1, path.indexOf('@'));
          onRead(Number(key.slice('model-'.length)));
          return Buffer.from(JSON.stringify(recordOf(key)));
        };
      }
      const value: unknown = Reflect.get(target, property);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

test('a manifest of 300,000 files uses memory for one page of records, whatever their number', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const usedMb = () => {
    collect();
    return process.memoryUsage().heapUsed / 1024 / 1024;
  };
  const root = await tempFolder('many-records');
  const out = await tempFolder('many-files');
  const shop = openConnector({ type: 'local', path: out });
  let peakMb = 0;
  const connector = withManyRecords(openConnector({ type: 'local', path: root }), (number) => {
    if (number % 10_000 === 0) peakMb = Math.max(peakMb, usedMb());
  });
  const columns = ['key', 'file', 'sha256', 'bytes', 'model'];
  const beforeMb = usedMb();
  for (const run of ['run-1', 'run-2']) {
    const context = { run, lineage: run, pipeline: 'shoes', recipe: 'aaaaaaaa00000000' };
    const manifest = {
      node: 'deliver',
      delivery: 'web00000',
      connector: 'shop',
      path: 'manifest.csv',
      changes: `${run}.csv`,
      columns: columns.map((field): [string, string] => [field, `{{ ${field} }}`]),
      delimiter: ',',
      bom: false,
      images: {},
    };
    await writeManifests([manifest], {
      store: openRunStore(connector, context),
      rows: null,
      getConnector: () => shop,
      signal: new AbortController().signal,
      assertLease: async () => undefined,
    });
  }
  const linesOf = async (path: string) =>
    (await shop.read(path, 256 * 1024 * 1024)).toString().split('\r\n').length - 2;
  expect(await linesOf('manifest.csv')).toBe(count * filesEach);
  expect(await linesOf('run-1.csv')).toBe(count * filesEach);
  expect(await linesOf('run-2.csv')).toBe(0);
  // The names of the files alone would be 30 MB, their rows 150 MB.
  expect(peakMb - beforeMb).toBeLessThan(25);
}, 600_000);
