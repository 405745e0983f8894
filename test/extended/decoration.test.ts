// Pantone fabrics, decoration methods and inks on the way to a factory sheet, with real workers.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getDocumentProxy } from 'unpdf';
import { expect, test } from 'vitest';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { runInProcess } from '../system/_in-process.ts';
import {
  createPipelineFolder,
  errorOf,
  type PipelineFolder,
  reportOf,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '60', '--picture-scale', '0.1']);

const api = <T>(method: string, path: string, body?: unknown) =>
  product.sandbox.api(method, path, body) as Promise<T>;

/** Writes a pipeline from models on the platform to production files. */
async function writeSheets(place: PipelineFolder, name: string, ...nodes: string[]): Promise<void> {
  const last = /id: (\w+)/.exec(nodes.at(-1) ?? '')?.[1] ?? 'ready';
  const lines = [
    `name: ${name}`,
    'connectors:',
    `  tables: { type: local, path: ${JSON.stringify(place.folder)} }`,
    `  sheets: { type: local, path: ${JSON.stringify(place.out)} }`,
    'nodes:',
    `  - { id: ready, type: model_ready, config: { select: { models: { name: "${name}*" } } } }`,
    ...nodes.map((node) => `  - ${node}`),
    `  - { id: files, type: export, parentIds: [${last}], config: { connector: sheets, what: [production_files], naming: "{{ key }}.pdf" } }`,
  ];
  await writeFile(place.file, lines.join('\n'));
}

const run = async (place: PipelineFolder, code?: number) =>
  reportOf(await runInProcess(['run', place.file, '--wait', '--json'], product.env), code);

async function textOf(place: PipelineFolder, path: string): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(await readFile(join(place.out, path))));
  const texts: string[] = [];
  for (let page = 1; page <= document.numPages; page += 1) {
    const { items } = await (await document.getPage(page)).getTextContent();
    texts.push(...items.map((item: object) => ('str' in item ? String(item.str) : '')));
  }
  return texts.join(' ');
}

async function put(url: string, bytes: Uint8Array, contentType: string): Promise<void> {
  const headers = { 'content-type': contentType };
  const { ok } = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes), headers });
  expect(ok).toBe(true);
}

/** A ready model with the variants Red and Blue. */
async function createModel(name: string): Promise<string> {
  const { models } = await api<{ models: { modelId: string; uploadUrl: string }[] }>(
    'POST',
    '/models',
    { models: [{ name, fileType: 'glb' }] },
  );
  const { modelId = '', uploadUrl = '' } = models[0] ?? {};
  await put(uploadUrl, triangleGlb(['Red', 'Blue'], name), 'model/gltf-binary');
  await api('POST', `/models/${modelId}/confirm`, { fileType: 'glb' });
  await expect
    .poll(() => api('POST', '/models/status', { modelIds: [modelId] }), { timeout: 30_000 })
    .toMatchObject({ allReady: true });
  return modelId;
}

async function makeDecal(name: string): Promise<string> {
  const { decals } = await api<{
    decals: { decalId: string; uploadUrl: string; contentType: string }[];
  }>('POST', '/decals', { decals: [{ name, fileName: `${name}.png`, fileType: 'png' }] });
  const { decalId = '', uploadUrl = '', contentType = '' } = decals[0] ?? {};
  await put(uploadUrl, await plainImage(), contentType);
  await api('POST', `/decals/${decalId}/confirm`);
  return decalId;
}

async function putLogo(modelId: string, decalId: string): Promise<void> {
  const { variants } = await api<{ variants: { variantId: string; name: string }[] }>(
    'GET',
    `/models/${modelId}/variants`,
  );
  const red = variants.find(({ name }) => name === 'Red')?.variantId ?? '';
  await product.sandbox.set(`models/${modelId}/variants/${red}/decal-slots/slot-0`, { decalId });
}

const red = '{ id: red, type: variant, parentIds: [ready], config: { choose: { names: [Red] } } }';
const logos = (inks: string) =>
  `{ id: logos, type: decoration, parentIds: [red], config: { logos: [{ slot: body, method: embroidery, inks: [${inks}] }] } }`;

test('a sheet contains its method and inks; different inks create another sheet, but the same inks do not', async () => {
  const decalId = await makeDecal('Acme');
  for (const name of ['cap-1', 'cap-2']) await putLogo(await createModel(name), decalId);
  const place = await createPipelineFolder('inks');
  await writeSheets(place, 'cap', red, logos('{ name: Navy, pantoneCode: pms 289 }'));
  const first = await run(place);
  expect(first.assets).toMatchObject({ total: 2, complete: 2 });
  expect(first.requests.byOperation).toMatchObject({ setDecalInks: 1, setDecorationMethod: 2 });
  expect(await textOf(place, 'cap-1.pdf')).toMatch(/Embroidery[^]*289 C|289 C[^]*Embroidery/);

  const again = await run(place);
  expect(again.requests.byOperation).not.toHaveProperty('setDecalInks');

  await writeSheets(place, 'cap', red, logos('{ name: Team red, pantoneCode: 186 C }'));
  const changed = await run(place);
  expect(changed.assets).toMatchObject({ complete: 2 });
  expect(changed.requests.byOperation).toMatchObject({ setDecalInks: 1, exportProductionFile: 2 });
  expect(changed.requests.byOperation).not.toHaveProperty('createProjects');
  expect(await textOf(place, 'cap-2.pdf')).toContain('186 C');
});

test('fabrics in a table are available to a variant in the same run, and each is created only once', async () => {
  await createModel('polo-1');
  const place = await createPipelineFolder('fabrics');
  await writeFile(
    join(place.folder, 'colours.csv'),
    'name,code,hex\nClub navy,19-4052 TCX,#0f4c81\n',
  );
  const colours =
    '{ id: colours, type: pantone, parentIds: [ready], config: { table: { connector: tables, path: colours.csv } } }';
  const navy = (material: string) =>
    `{ id: navy, type: variant, parentIds: [colours], config: { swapRules: [{ matchText: body, matchMode: exact, material: ${material} }] } }`;
  await writeSheets(place, 'polo', colours, navy('Club nawy'));
  const refused = errorOf(
    await runInProcess(['run', place.file, '--wait', '--json'], product.env),
    5,
  );
  expect(refused).toMatchObject({ code: 'MATERIAL_NOT_FOUND' });
  await runInProcess(['cancel', refused.run ?? ''], product.env);
  expect((await api<{ materials: unknown[] }>('GET', '/materials')).materials).toEqual([]);

  await writeSheets(place, 'polo', colours, navy('Club navy'));
  const report = await run(place);
  expect(report.failures).toEqual([]);
  expect(report.requests.byOperation).toMatchObject({ createPantoneMaterial: 1 });
  expect(await textOf(place, 'polo-1.pdf')).toContain('19-4052 TCX');
  const clean = await runInProcess(['clean', place.file, '--json'], product.env);
  expect(clean, clean.stderr).toMatchObject({ code: 0 });
  expect(clean.stdout).not.toContain('"material"');
});
