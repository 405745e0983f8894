// The shipped pipeline of factory sheets: a folder of models becomes real PDFs of one colorway.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getDocumentProxy } from 'unpdf';
import { describe, expect, test } from 'vitest';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { runInProcess, startInProcess } from '../system/_in-process.ts';
import {
  createPipelineFolder,
  errorOf,
  type PipelineFolder,
  type RunReport,
  reportOf,
  runArguments,
  useProductWith,
} from '../system/_runs.ts';
import { startWorkerProcess, useProcesses, waitWhileRunning } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const file = fileURLToPath(new URL('../../pipelines/factory-sheets.yaml', import.meta.url));
const temporal = useTemporal();
useProcesses();
const product = useProductWith(
  temporal,
  ['--speed', '20', '--picture-scale', '0.1'],
  startWorkerProcess,
);

const twill = { name: 'Navy twill', pantoneCode: '19-4052 TCX', hex: '#0f4c81' };

async function sheetsPlace(name: string, ...keys: string[]): Promise<PipelineFolder> {
  const place = { ...(await createPipelineFolder(name)), file };
  for (const key of keys) {
    await writeFile(join(place.folder, `${key}.glb`), triangleGlb(['Sample'], key));
  }
  return place;
}

const args = (place: PipelineFolder, material = twill.name) => [
  ...runArguments(place, '--wait', '--json'),
  '--param',
  'slot=body',
  '--param',
  `material=${material}`,
];

async function textOf(report: RunReport, path: string): Promise<string> {
  const bytes = new Uint8Array(await readFile(join(report.destination, path)));
  const document = await getDocumentProxy(bytes);
  const { items } = await (await document.getPage(1)).getTextContent();
  return items.map((item: object) => ('str' in item ? item.str : '')).join(' ');
}

describe('factory sheets', () => {
  test('factory sheets are numbered PDFs of the colorway, and a second run does nothing', async () => {
    await product.sandbox.api('POST', '/materials/pantone', twill);
    const place = await sheetsPlace('sheets', 'polo', 'shirt');
    const report = reportOf(await runInProcess(args(place), product.env));
    expect(report.files.map(({ path }) => path).sort()).toEqual([
      'polo-Navy twill.pdf',
      'shirt-Navy twill.pdf',
    ]);
    const text = await textOf(report, 'polo-Navy twill.pdf');
    expect(text).toMatch(/PF-0000[12]/);
    expect(text).toContain('Navy twill');
    expect(text).toContain('19-4052 TCX');
    expect(text).toContain('Check the colours');
    expect(report.requests.byOperation).toMatchObject({
      createColorwayBatch: 1,
      createProjects: 1,
      exportProductionFile: 2,
      listProductionFiles: 2,
    });
    expect(report.requests.byOperation).not.toHaveProperty('createRenders');

    const again = reportOf(await runInProcess(args(place), product.env));
    expect(again.files).toEqual([]);
    expect(again.requests.byOperation).not.toHaveProperty('exportProductionFile');
  });

  test('an unknown material stops the run before anything is created', async () => {
    const place = await sheetsPlace('unknown', 'cap');
    const before = await product.sandbox.stats();
    const error = errorOf(await runInProcess(args(place, 'Gold leaf'), product.env), 5);
    expect(error).toMatchObject({ code: 'MATERIAL_NOT_FOUND' });
    expect(error.message).toContain('no material is named "Gold leaf"');
    expect((await product.sandbox.stats()).created).toEqual(before.created);
    const runId = error.run ?? '';
    await runInProcess(['cancel', runId], product.env);
  });

  test('a failure on the platform is reported for its asset, with the reason', async () => {
    const place = await sheetsPlace('usage', 'scarf');
    await product.sandbox.set('faults', [{ capture: '*', do: { failure: 'no camera' } }]);
    const report = reportOf(await runInProcess(args(place), product.env), 1);
    await product.sandbox.set('faults', []);
    expect(report.failures).toMatchObject([
      { key: 'scarf', node: 'sheets', code: 'PRODUCTION_FAILED' },
    ]);
    expect(report.failures[0]?.message).toContain('no camera');
    // The colorway exists already; only the sheet is requested again.
    const again = reportOf(await runInProcess(args(place), product.env));
    expect(again.files).toHaveLength(1);
    expect(again.requests.byOperation).not.toHaveProperty('createColorwayBatch');
  });

  test('a worker that is killed while views are being captured leaves a single export', async () => {
    const place = await sheetsPlace('killed', 'tie');
    const exports = async () =>
      (await product.sandbox.stats()).requests['exportProductionFile'] ?? 0;
    const before = await exports();
    const running = startInProcess(args(place), product.env);
    await waitWhileRunning(running, 'an export', async () => (await exports()) > before);
    await product.worker.stop('SIGKILL');
    const next = await startWorkerProcess(product.env);
    const report = reportOf(await running.finished);
    await next.stop();
    expect(report.files).toHaveLength(1);
    expect(await textOf(report, report.files[0]?.path ?? '')).toMatch(/PF-\d{5}\D+v?1/);
  });
});
