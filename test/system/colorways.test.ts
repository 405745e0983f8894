// A folder of models becomes pictures of one colorway, by separate processes; if a worker is killed, each is paid once.

import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { variantFailures } from '../../src/features/variants/failures.ts';
import { openAddVariantsProxy } from '../engine/_add-variants-proxy.ts';
import { startWorkerInProcess } from './_in-process.ts';
import {
  createPipelineFolder,
  joined,
  nodesToTemplate,
  type PipelineFolder,
  runToEnd,
  startRun,
  useProductWith,
} from './_runs.ts';
import { startWorkerProcess, useProcesses, waitWhileRunning } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProductWith(
  temporal,
  ['--speed', '10', '--picture-scale', '0.1'],
  startWorkerProcess,
);

const red = { name: 'Signal red', pantoneCode: '186 C', hex: '#c8102e' };

/** Two models, each with a slot that is swapped. */
async function colorPlace(name: string, material: string): Promise<PipelineFolder> {
  const place = await createPipelineFolder(name);
  for (const key of ['chair', 'table']) {
    await writeFile(join(place.folder, `${key}.glb`), triangleGlb(['Bare'], key));
  }
  await writeFile(
    place.file,
    `name: ${name}
maxRetries: 1
parameters:
  folder: { type: path, required: true }
  out: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
  pictures: { type: local, path: "\${{ params.out }}" }
${nodesToTemplate}  - id: colour
    type: variant
    parentIds: [look]
    config: { swapRules: [{ matchText: body, matchMode: contains, material: ${material} }] }
  - id: shots
    type: render
    parentIds: [colour]
    config: { settings: { imageQuality: 0 } }
  - id: deliver
    type: export
    parentIds: [shots]
    config: { connector: pictures, naming: "{{ key }}-{{ variant }}.{{ ext }}" }
`,
  );
  return place;
}

const jobsMade = async () => (await product.sandbox.stats()).requests;

describe('a colorway by the name of a material', () => {
  test('a colorway selected by the name of a material is rendered alone, and a second run does nothing', async () => {
    await product.sandbox.api('POST', '/materials/pantone', red);
    const place = await colorPlace('colours', red.name);
    const before = await jobsMade();
    const report = await runToEnd(place, product.env);
    const after = await jobsMade();
    expect(report).toMatchObject({ outcome: 'complete', assets: { total: 2, complete: 2 } });
    // Each model has one picture: of neither the original model nor another variant.
    expect(report.files.map(({ path }) => path).sort()).toEqual([
      'chair-Signal red.png',
      'table-Signal red.png',
    ]);
    expect(report.requests.byOperation).toMatchObject({
      listMaterials: 1,
      checkMaterialStatus: 1,
      createColorwayBatch: 1,
      listModelVariants: 4,
      createRenders: 1,
    });
    expect((after['createColorwayBatch'] ?? 0) - (before['createColorwayBatch'] ?? 0)).toBe(1);

    const again = await runToEnd(place, product.env);
    expect(again).toMatchObject({ outcome: 'complete', files: [] });
    expect(again.requests.byOperation).not.toHaveProperty('createColorwayBatch');
    expect(again.requests.byOperation).not.toHaveProperty('createRenders');
    expect(await readdir(place.out)).toHaveLength(3);
  });
});

describe('a job that fails', () => {
  test('a failing job is retried, and then reported for each asset with the reason from the platform', async () => {
    await product.sandbox.api('POST', '/materials/pantone', { ...red, name: 'Ink blue' });
    const place = await colorPlace('failing', 'Ink blue');
    await product.sandbox.set('faults', [{ colorway: 'chair', do: { failure: 'no UV set' } }]);
    const report = await runToEnd(place, product.env, 3);
    await product.sandbox.set('faults', []);
    const failure = { key: 'chair', node: 'colour', message: 'no UV set', attempts: 2 };
    const { code, title, fix } = variantFailures.COLORWAY_FAILED;
    expect(report.failures).toEqual([
      { ...failure, code, title, fix, docs: 'docs/errors.md#colorway_failed' },
    ]);
    expect(report.requests.byOperation).toMatchObject({ retryColorwayJob: 1 });
    // The next run retries that job and creates no other batch.
    const again = await runToEnd(place, product.env);
    expect(again.requests.byOperation).toMatchObject({ retryColorwayJob: 1, createRenders: 1 });
    expect(again.requests.byOperation).not.toHaveProperty('createColorwayBatch');
  });
});

describe('a colorway of an existing project', () => {
  test('the colorway is added to the project, with the path in the pipeline file, and is visible in its picture', async () => {
    const { sandbox, env } = product;
    await sandbox.api('POST', '/materials/pantone', { ...red, name: 'Poppy' });
    const place = await colorPlace('late', 'Poppy');
    const after = (await readFile(place.file, 'utf8'))
      .replace('parentIds: [look]', 'parentIds: [first]')
      .replace(
        '  - id: colour\n',
        '  - { id: first, type: project_created, parentIds: [look] }\n  - id: colour\n',
      );
    const named = "operations: { addVariantsToProject: 'POST /projects/{projectId}/variants' }\n";
    await writeFile(place.file, after + named);

    const proxy = await openAddVariantsProxy(sandbox.origin);
    // The first response is lost, but the variants are still added exactly once.
    proxy.faults.push('lose');
    const through = joined(env, { RENDERLINE_BASE_URL: proxy.url });
    const worker = await startWorkerInProcess(through);
    const report = await runToEnd(place, through);
    await worker.stop();
    await proxy.close();
    expect(report.files.map(({ path }) => path).sort()).toEqual([
      'chair-Poppy.png',
      'table-Poppy.png',
    ]);
    expect(report.requests.byOperation).toMatchObject({ createProjects: 1, createRenders: 1 });
    expect(proxy.addRequests).toHaveLength(3);
    expect(new Set(proxy.addRequests.map(({ key }) => key)).size).toBe(2);
    const { channels } = await sharp(join(place.out, 'chair-Poppy.png')).stats();
    const [reds, , blues] = channels;
    expect((reds?.mean ?? 0) - (blues?.mean ?? 0)).toBeGreaterThan(5);
  });
});

describe('a worker that is killed while colorways are created', () => {
  test('a worker that is killed while it creates colorways leaves one batch, which the next worker waits for', async () => {
    await product.sandbox.api('POST', '/materials/pantone', { ...red, name: 'Moss' });
    const place = await colorPlace('killed', 'Moss');
    await product.sandbox.set('faults', [{ colorway: '*', times: 2, do: { durationMs: 6_000 } }]);
    const before = (await jobsMade())['createColorwayBatch'] ?? 0;
    const running = startRun(place, product.env);
    await waitWhileRunning(running, 'a batch', async () => {
      return ((await jobsMade())['createColorwayBatch'] ?? 0) > before;
    });
    await product.worker.stop('SIGKILL');
    const next = await startWorkerProcess(product.env);
    const { code, stdout, stderr } = await running.finished;
    await next.stop();
    await product.sandbox.set('faults', []);
    expect(code, stderr + stdout).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ outcome: 'complete', assets: { complete: 2 } });
    // A worker killed before it stored the response repeats the call with the same key, which creates nothing.
    const { replayed } = await product.sandbox.stats();
    expect(replayed).toBeLessThanOrEqual(1);
    expect((await jobsMade())['createColorwayBatch']).toBe(before + 1 + replayed);
  });
});
