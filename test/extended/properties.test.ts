// Properties of the platform with real workers: a condition holds assets until a person approves them, values are set
// on the objects that a run creates, and Pantone materials have a pipeline of their own.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runInProcess } from '../system/_in-process.ts';
import { smallModel } from '../system/_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  pictureSize,
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
const command = (verb: string, ...args: string[]) => runInProcess([verb, ...args], product.env);
const run = async ({ file }: PipelineFolder, code?: number) =>
  reportOf(await command('run', file, '--wait', '--json'), code);

interface Definition {
  id: string;
  options: { id: string; label: string }[];
}

const define = (name: string, type: string, more: object = {}) =>
  api<Definition>('POST', '/properties', { name, type, ...more });

async function writePipeline(place: PipelineFolder, ...nodes: string[]): Promise<void> {
  const lines = [
    `name: ${place.root.split('/').at(-1)}`,
    'connectors:',
    `  models: { type: local, path: ${JSON.stringify(place.folder)} }`,
    `  pictures: { type: local, path: ${JSON.stringify(place.out)} }`,
    'records: pictures',
    'nodes:',
    ...nodes.map((node) => `  - ${node}`),
  ];
  await writeFile(place.file, lines.join('\n'));
}

const settings = JSON.stringify({
  renderShots: false,
  renderVariants: false,
  imageCustomResolution: true,
  imageCustomWidth: pictureSize.width,
  imageCustomHeight: pictureSize.height,
});
const take =
  '{ id: take, type: connector_poll, config: { connector: models, include: ["**/*.glb"], stableFor: 500ms } }';
const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = (more = '') =>
  `{ id: shots, type: render, parentIds: [ready], config: { settings: ${settings} }${more} }`;
const deliver = (parent = 'shots') =>
  `{ id: deliver, type: export, parentIds: [${parent}], config: { connector: pictures, naming: "{{ key }}.{{ ext }}" } }`;

async function modelIds(): Promise<Record<string, string>> {
  const { models } = await api<{ models: { modelId: string; name: string }[] }>('GET', '/models');
  return Object.fromEntries(models.map(({ name, modelId }) => [name, modelId]));
}

test('only approved models are rendered, in the first run after their approval', async () => {
  const { id: propertyId, options } = await define('Approved', 'SELECT', {
    options: ['yes', 'no'],
    appliesTo: ['MODEL'],
  });
  const optionOf = (label: string) => options.find((one) => one.label === label)?.id ?? '';
  const approve = (modelId = '', label = 'yes') =>
    api('POST', '/assets/properties', {
      assetType: 'MODEL',
      ids: [modelId],
      set: [{ propertyId, optionIds: [optionOf(label)] }],
    });
  const place = await createPipelineFolder('approved');
  for (const name of ['lamp', 'stool', 'bench'])
    await writeFile(join(place.folder, `${name}.glb`), smallModel(name));
  const when = `, when: 'model.properties.approved == "yes"'`;
  await writePipeline(place, take, ready, shots(when), deliver());

  const planned = JSON.parse((await command('plan', place.file, '--json')).stdout);
  const { steps } = planned as { steps: { node: string }[] };
  expect(steps.find(({ node }) => node === 'shots')).toMatchObject({ assets: 3, undecided: 3 });
  expect(planned.requests.byOperation).toMatchObject({ listProperties: 1, searchAssets: 1 });

  const first = await run(place);
  expect(first.assets).toMatchObject({ total: 3, complete: 0, skipped: 3 });
  expect(first.requests.byOperation).not.toHaveProperty('createRenders');
  // One request searches for all three.
  expect(first.requests.byOperation).toMatchObject({ searchAssets: 1 });

  const { lamp, stool } = await modelIds();
  await approve(lamp);
  await approve(stool, 'no');
  const explained = await command('explain', 'stool', place.file);
  expect(explained.stdout).toContain(
    '"shots" skips it: the property "approved" of its model is "no"',
  );
  expect((await command('explain', 'bench', place.file)).stdout).toContain('has no value');
  const second = await run(place);
  expect(second.assets).toMatchObject({ total: 3, complete: 1, skipped: 2 });
  expect(second.files.map(({ path }) => path)).toEqual(['lamp.png']);
  expect(second.requests.byOperation).not.toHaveProperty('createModels');

  await approve(stool);
  const third = await run(place);
  expect(third.assets).toMatchObject({ complete: 1, unchanged: 1 });
  expect(third.requests.byOperation).toMatchObject({ createRenders: 1 });

  // Delivered files stay, whatever value the property gets.
  await approve(lamp, 'no');
  expect((await run(place)).assets).toMatchObject({ complete: 0, unchanged: 2 });

  const typo = when.replace('approved', 'aproved');
  await writePipeline(place, take, ready, shots(typo), deliver());
  const named = await command('plan', place.file);
  expect(named.stdout + named.stderr).toContain('did you mean "Approved"?');
});

test('values are set on renders and projects, and changed values are set again without a new render', async () => {
  await define('Season', 'TEXT');
  const place = await createPipelineFolder('labels');
  for (const name of ['vase', 'bowl'])
    await writeFile(join(place.folder, `${name}.glb`), smallModel(name));
  const label = (assetType: string, season: string) =>
    `{ id: label_${assetType}, type: set_properties, parentIds: [shots], config: { assetType: ${assetType}, values: { Season: "${season}" } } }`;
  const write = (season: string) =>
    writePipeline(
      place,
      take,
      ready,
      shots(),
      label('RENDER', season),
      label('PROJECT', season),
      deliver('label_RENDER, label_PROJECT'),
    );
  const seasons = async (assetType: string) => {
    const { assets } = await api<{ assets: { properties: { text?: string }[] }[] }>(
      'POST',
      '/assets/search',
      { assetType, properties: [], limit: 100 },
    );
    return assets.flatMap(({ properties }) => properties.flatMap(({ text }) => text ?? []));
  };

  await write('Winter');
  const first = await run(place);
  expect(first.assets).toMatchObject({ total: 2, complete: 2 });
  expect(first.requests.byOperation).toMatchObject({ setAssetProperties: 2 });
  expect(await seasons('RENDER')).toEqual(['Winter', 'Winter']);
  expect(await seasons('PROJECT')).toEqual(['Winter', 'Winter']);
  expect((await run(place)).requests.byOperation).not.toHaveProperty('setAssetProperties');

  await write('Summer');
  const planned = JSON.parse((await command('plan', place.file, '--json')).stdout);
  expect(planned).toMatchObject({
    renders: 0,
    startPoints: [{ startStage: 'delivery', assets: 2 }],
  });
  const changed = await run(place);
  expect(changed.assets).toMatchObject({ complete: 2 });
  expect(changed.paid).toMatchObject({ renders: 0, models: 0 });
  expect(changed.requests.byOperation).toMatchObject({ setAssetProperties: 2 });
  expect(await seasons('RENDER')).toEqual(['Summer', 'Summer']);
});

test('a pipeline of Pantone materials creates each one once and sets a property on one', async () => {
  await define('Range', 'TEXT', { appliesTo: ['MATERIAL'] });
  const place = await createPipelineFolder('colours');
  const rows = ['name,code,hex', 'Club navy,19-4052 TCX,#0f4c81', 'Club red,186 C,#c8102e'];
  const table = join(place.folder, 'colours.csv');
  await writeFile(table, rows.join('\n'));
  await writePipeline(
    place,
    '{ id: colours, type: pantone, config: { table: { connector: models, path: colours.csv } } }',
    '{ id: mark, type: set_properties, parentIds: [colours], config: { assetType: MATERIAL, names: [Club navy], values: { Range: Club } } }',
  );
  const planned = JSON.parse((await command('plan', place.file, '--json')).stdout);
  expect(planned.requests.byOperation).toMatchObject({
    createPantoneMaterial: 2,
    listMaterials: 3,
  });
  const first = await run(place);
  expect(first.assets).toMatchObject({ total: 1, complete: 1 });
  expect(first.requests.byOperation).toMatchObject({
    createPantoneMaterial: 2,
    setAssetProperties: 1,
  });
  expect((await run(place)).requests.byOperation).not.toHaveProperty('createPantoneMaterial');

  await writeFile(table, [...rows, 'Club grey,Cool Gray 11 C,#53565a'].join('\n'));
  expect((await run(place)).requests.byOperation).toMatchObject({ createPantoneMaterial: 1 });
});
