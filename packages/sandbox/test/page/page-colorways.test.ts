// Colorways on the page at /: rows of models, columns of colorways, pictures and failures.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createGrid } from '../../src/page/grid.ts';
import { bodyRule, createBatch } from '../_colorways.ts';
import { createProject, finishRender, readyModel, startRender } from '../_flows.ts';
import { readyMaterial } from '../_library.ts';
import { TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

async function read(path = '/?view=colorways') {
  const response = await sandbox.request(path);
  return { status: response.status, text: await response.text() };
}

const plain = (html: string) =>
  html
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The table as text, by row. A picture is its name in brackets. */
function tableOf(text: string): string[][] {
  const rows = text.split('<table>')[1]?.split('</table>')[0]?.split('<tr>').slice(1) ?? [];
  return rows.map((row) =>
    row
      .split(/<t[hd][ >]/)
      .slice(1)
      .map((cell) => plain(`<x ${cell.replace(/<img[^>]*alt="([^"]*)"[^>]*>/g, '[$1]')}`)),
  );
}

/** A completed colorway of all models. */
async function wear(materialId: string): Promise<void> {
  await createBatch(sandbox, [bodyRule(materialId)]);
  sandbox.advance(6);
}

const colorway = async (name: string) => wear(await readyMaterial(sandbox, { name }));

async function project(modelId: string, name = 'P'): Promise<string> {
  return createProject(sandbox, [modelId], { name });
}

async function variantId(modelId: string, name: string): Promise<string> {
  const { body } = await sandbox.call<{ variants: { variantId: string; name: string }[] }>(
    `GET /models/${modelId}/variants`,
  );
  return body.variants.find((variant) => variant.name === name)?.variantId ?? '';
}

/** Submits a render of one variant. */
async function start(projectId: string, modelId: string, name: string): Promise<string> {
  const variantsToRender = [await variantId(modelId, name)];
  const settings = { imageQuality: 0, renderShots: false, variantsToRender };
  return (await startRender(sandbox, [projectId], settings)).jobId;
}

const render = async (projectId: string, modelId: string, name: string) =>
  finishRender(sandbox, await start(projectId, modelId, name));

test('without a colorway, the page has no colorway view', async () => {
  await readyModel(sandbox, 'chair.glb', triangleGlb(['red', 'blue']));
  expect((await read('/?view=models')).text).not.toMatch(/colorways|<table/i);
  expect((await read()).text).toContain('Nothing here yet.');
});

describe('cells', () => {
  test('a cell shows the picture of a variant, or that the variant has not been rendered', async () => {
    const stool = await readyModel(sandbox, 'stool.glb', triangleGlb([], 'stool'));
    await colorway('Oak');
    await readyModel(sandbox, 'chair.glb', triangleGlb([], 'chair'));
    await colorway('Moss');
    await render(await project(stool), stool, 'Oak');
    const { text } = await read();
    expect(tableOf(text)).toEqual([
      ['Model', 'Moss', 'Oak'],
      ['chair', 'not rendered', 'no such variant'],
      ['stool', 'not rendered', '[P - Oak - Main]'],
    ]);
    expect(text).toMatch(/aria-current="page"\s*>Colorways <small>2</);
    const links = [...text.matchAll(/(?:src|href)="(\/cdn\/[^"]+)"/g)].map(
      ([, link]) => link ?? '',
    );
    expect(links).toHaveLength(2);
    for (const link of links) expect((await sandbox.request(link)).status).toBe(200);
  });

  test('a cell shows the newest picture of each camera', async () => {
    const modelId = await readyModel(sandbox);
    await colorway('Oak');
    for (const name of ['first', 'second']) {
      await render(await project(modelId, name), modelId, 'Oak');
    }
    expect(tableOf((await read()).text)[1]).toEqual(['chair', '[second - Oak - Main]']);
  });

  test('cells show the progress of a colorway and its render', async () => {
    const modelId = await readyModel(sandbox);
    const materialId = await readyMaterial(sandbox, { name: 'Oak' });
    await createBatch(sandbox, [bodyRule(materialId)]);
    const cell = async () => tableOf((await read()).text)[1]?.[1];
    expect(await cell()).toBe('queued');
    sandbox.advance(6);
    expect(await cell()).toBe('not rendered');
    const jobId = await start(await project(modelId), modelId, 'Oak');
    expect(await cell()).toBe('render queued');
    await finishRender(sandbox, jobId);
    expect(await cell()).toBe('[P - Oak - Main]');
  });

  test('a cell shows why a colorway failed until the colorway is retried', async () => {
    await readyModel(sandbox);
    await sandbox.control('/faults', [{ colorway: '*', times: 1, do: { failure: 'no UV set' } }]);
    const materialId = await readyMaterial(sandbox, { name: 'Oak' });
    await wear(materialId);
    expect(tableOf((await read()).text)[1]).toEqual(['chair', 'failed no UV set']);
    await wear(materialId);
    expect(tableOf((await read()).text)[1]).toEqual(['chair', 'not rendered']);
  });

  test('a cell shows why a render failed, next to the earlier picture', async () => {
    const modelId = await readyModel(sandbox);
    await colorway('Oak');
    await render(await project(modelId), modelId, 'Oak');
    const failure = `out of memory ${'x'.repeat(500)}`;
    await sandbox.control('/faults', [{ render: '*', do: { failure } }]);
    await render(await project(modelId), modelId, 'Oak');
    const cell = tableOf((await read()).text)[1]?.[1] ?? '';
    expect(cell).toMatch(/^\[P - Oak - Main\] render failed out of memory x+…$/);
    expect(cell.length).toBeLessThan(260);
  });

  test('a variant of the file itself has a cell once it is rendered', async () => {
    const modelId = await readyModel(sandbox, 'chair.glb', triangleGlb(['red', 'blue']));
    await readyModel(sandbox, 'stool.glb', triangleGlb(['blue']));
    await readyModel(sandbox, 'table.glb', triangleGlb(['green']));
    await colorway('Oak');
    await render(await project(modelId), modelId, 'blue');
    expect(tableOf((await read()).text)).toEqual([
      ['Model', 'Oak', 'blue'],
      ['table', 'not rendered', 'no such variant'],
      ['stool', 'not rendered', 'not rendered'],
      ['chair', 'not rendered', '[P - blue - Main]'],
    ]);
  });
});

test('names and reasons are escaped', async () => {
  const nasty = '"><img src=x onerror=alert(1)>';
  await sandbox.call('POST /models', { models: [{ fileType: 'glb', name: nasty }] });
  await readyModel(sandbox);
  await sandbox.control('/faults', [{ colorway: '*', do: { failure: nasty } }]);
  await colorway(nasty);
  const { text } = await read();
  expect(text.match(/&lt;img src=x onerror=alert\(1\)&gt;/g)).toHaveLength(2);
  expect(text).not.toContain('<img src=x');
});

test('an unchanged page gets 204, and unchanged cells keep their marks', async () => {
  const modelId = await readyModel(sandbox);
  await readyModel(sandbox, 'stool.glb', triangleGlb([], 'stool'));
  await colorway('Oak');
  const marks = (text: string) => [
    ...text.matchAll(/<td[^>]*data-key="([^"]+)" data-mark="([^"]+)"/g),
  ];
  const { text } = await read();
  const mark = /id="view" data-mark="([^"]+)"/.exec(text)?.[1] ?? '';
  const path = `/_page/view?view=colorways&have=${mark}`;
  expect((await read(path)).status).toBe(204);
  await render(await project(modelId), modelId, 'Oak');
  const changed = await read(path);
  const same = marks(changed.text).map(([, key, now]) => [
    key?.startsWith(modelId),
    marks(text).some(([, other, before]) => other === key && before === now),
  ]);
  expect(same).toEqual([
    [false, true],
    [true, false],
  ]);
});

test('a page shows 24 models, and a search shows only its matches', async () => {
  for (let index = 0; index < 26; index += 1) {
    await readyModel(sandbox, `chair ${index}.glb`, triangleGlb([], `${index}`));
  }
  await colorway('Oak');
  const { text } = await read();
  expect(tableOf(text)).toHaveLength(1 + 24);
  expect(text).toContain('<span>1 of 2</span>');
  expect(tableOf((await read('/?view=colorways&page=2')).text)).toHaveLength(1 + 2);
  expect(tableOf((await read('/?view=colorways&search=chair+25')).text)).toHaveLength(1 + 1);
});

test('columns are bounded, and hidden columns are counted', () => {
  const part = { pictures: [], more: 0 };
  const entries = Array.from({ length: 45 }, (_, index) => ({
    column: `c${index}`,
    title: `C${index}`,
    part,
  }));
  const grid = createGrid([{ id: '1', title: 'chair', entries }]);
  expect([grid.columns.length, grid.hiddenColumns, grid.rows[0]?.cells.length]).toEqual([
    40, 5, 40,
  ]);
});
