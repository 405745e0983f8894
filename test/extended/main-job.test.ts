// The main job: a folder of models becomes a folder of checked pictures, by separate processes that share only
// three variables.
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { writeCatalog } from '../../packages/sandbox/src/demo/catalog.ts';
import { copyFiles, dataFolder } from '../system/_models.ts';
import {
  createPipelineFolder,
  expectOnce,
  expectPictures,
  type PipelineFolder,
  runToEnd,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const catalog = fileURLToPath(new URL('../../pipelines/catalog.yaml', import.meta.url));
const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '10', '--picture-scale', '0.1']);

const fields = [
  'schema',
  'run',
  'pipeline',
  'rerun',
  'outcome',
  'canary',
  'destination',
  'discovered',
  'verified',
  'assets',
  'startPoints',
  'exports',
  'withdrawn',
  'inFlight',
  'waits',
  'files',
  'deleted',
  'cause',
  'failures',
  'warnings',
  'requests',
  'paid',
  'historyEvents',
  'seconds',
  'unknown',
];

/** A place with the shipped pipeline. */
async function shippedPlace(name: string): Promise<PipelineFolder> {
  return { ...(await createPipelineFolder(name)), file: catalog };
}

function withoutExtension(name: string): string {
  return name.replace(/\.[^.]*$/, '');
}

describe('real models', async () => {
  const models = await dataFolder('models');

  test.skipIf(models === null)(
    'real models become pictures with the shipped pipeline',
    async () => {
      const place = await shippedPlace('main');
      const files = await copyFiles(models ?? '', place.folder, /\.glb$/);
      const before = await product.sandbox.stats();
      const report = await runToEnd(place, product.env);
      const after = await product.sandbox.stats();

      expect(Object.keys(report).sort()).toEqual([...fields].sort());
      expect(report).toMatchObject({
        schema: 'renderline/run/v1',
        outcome: 'complete',
        destination: place.out,
        assets: { total: 14, complete: 14, failed: 0, skipped: 0 },
        failures: [],
      });
      const [first] = report.files;
      const size = { width: first?.width ?? 0, height: first?.height ?? 0 };
      expect(size).toEqual({ width: 1280, height: 720 });
      await expectPictures(report, files.map(withoutExtension), size);
      expectOnce(before, after, files);
      expect(report.paid).toMatchObject({ renders: 14, models: 14, captures: 0, failedRenders: 0 });
      const sum = Object.values(report.requests.byOperation).reduce((total, n) => total + n, 0);
      expect(report.requests.total).toBe(sum);
      expect(report.requests.total).toBeLessThanOrEqual(after.totalRequests - before.totalRequests);
      expect(report.historyEvents).toBeGreaterThan(10);
      expect(report.seconds).toBeGreaterThan(0);
      // A texture that is left out is reported, although the picture is made.
      expect(report.warnings).toEqual([
        { key: 'kenney-coin', message: expect.stringContaining('colormap') },
      ]);
      expect(after.keySentToStorage).toBe(0);
    },
  );

  test.skipIf(models === null)(
    'real models in other formats are uploaded with their own type',
    async () => {
      const place = await shippedPlace('formats');
      const couch = join(models ?? '', 'kaykit-couch');
      await copyFiles(couch, place.folder, /\.(fbx|obj)$/);
      await copyFiles(models ?? '', place.folder, /\.usdz$/);
      const files = await readdir(place.folder);
      expect(files).toHaveLength(3);
      const report = await runToEnd(place, product.env);
      expect(report.assets).toMatchObject({ total: 3, complete: 3, failed: 0, skipped: 0 });
      // The couch exists as FBX and as OBJ: keys that would clash keep the extension.
      const size = { width: 1280, height: 720 };
      await expectPictures(
        report,
        report.files.map(({ key }) => key),
        size,
      );
      expect(report.files).toHaveLength(3);
      expect(new Set(report.files.map(({ path }) => path)).size).toBe(3);
      const { models: listed } = (await product.sandbox.api('GET', '/models?limit=100')) as {
        models: { name: string; fileType: string }[];
      };
      const types = report.files.map(
        ({ key }) => listed.find(({ name }) => name === key)?.fileType ?? `${key} is missing`,
      );
      expect(types.sort()).toEqual(['fbx', 'obj', 'usdz']);
    },
  );
});

describe('broken models', async () => {
  const broken = await dataFolder('invalid', 'validator-glb');

  test.skipIf(broken === null)(
    'broken models fail one by one before their upload, each with the reason',
    async () => {
      const place = await shippedPlace('broken');
      const files = await copyFiles(broken ?? '', place.folder, /\.glb$/);
      const report = await runToEnd(place, product.env, 3);
      const stats = await product.sandbox.stats();

      const good = files.filter((name) => name.startsWith('valid')).map(withoutExtension);
      const bad = files.map(withoutExtension).filter((key) => !good.includes(key));
      expect(bad).toHaveLength(9);
      expect(report.outcome).toBe('partial_failure');
      await expectPictures(report, good, { width: 1280, height: 720 });
      const codes = Object.fromEntries(report.failures.map(({ key, code }) => [key, code]));
      expect(codes).toEqual({
        chunk_too_big: 'CHUNK_TOO_BIG',
        empty_file: 'EMPTY_FILE',
        invalid_json_chunk: 'INVALID_JSON',
        invalid_magic: 'NOT_A_GLB',
        invalid_version: 'UNSUPPORTED_VERSION',
        length_mismatch: 'TRUNCATED',
        only_header: 'NO_JSON_CHUNK',
        truncated_chunk_data: 'TRUNCATED',
        unknown_chunk: 'NO_JSON_CHUNK',
      });
      for (const { node, message, attempts } of report.failures) {
        expect(node).toBe('take');
        expect(message.length).toBeGreaterThan(20);
        expect(attempts).toBe(1);
      }
      for (const key of bad) expect(stats.fileNames[`${key}.glb`]).toBeUndefined();
    },
  );
});

describe('generated models', () => {
  test('generated models become pictures in the same folders', async () => {
    const place = await shippedPlace('own');
    const files = await writeCatalog(place.folder);
    expect(files.length).toBeGreaterThan(5);
    const report = await runToEnd(place, product.env);
    await expectPictures(report, files.map(withoutExtension), { width: 1280, height: 720 });
    const pictures = new Set(report.files.map(({ sha256 }) => sha256));
    expect(pictures.size).toBe(files.length);
  });

  test('models with the same name in two folders become two assets', async () => {
    const place = await shippedPlace('alike');
    const [first = ''] = await writeCatalog(join(place.root, 'made'));
    for (const folder of ['spring', 'autumn']) {
      await mkdir(join(place.folder, folder));
      await copyFile(join(place.root, 'made', first), join(place.folder, folder, 'mug.glb'));
    }
    const report = await runToEnd(place, product.env);
    expect(report.files.map(({ key }) => key).sort()).toEqual(['autumn/mug', 'spring/mug']);
    expect(new Set(report.files.map(({ path }) => path)).size).toBe(2);
  });
});
