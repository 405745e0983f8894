// Models next to pictures: the GLB and the USDZ of each model are requested once, and again only if the model changed.
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { allHistories, everythingIn } from '../system/_histories.ts';
import { runInProcess } from '../system/_in-process.ts';
import { filesBelow, names, smallModel, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  type RunReport,
  reportOf,
  runArguments,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';
import { requestsOf as requestsBy } from './_platform-requests.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const command = (args: string[]) => runInProcess(args, product.env);
const runToEnd = async (place: PipelineFolder, code = 0) =>
  reportOf(await command(runArguments(place, '--wait', '--json')), code);

interface Planned {
  renders: number;
  modelFiles: number;
  requests: { total: number; byOperation: Record<string, number> };
}

async function planned(place: PipelineFolder): Promise<Planned> {
  const [, ...given] = runArguments(place);
  const { stdout, stderr, code } = await command(['plan', ...given, '--json']);
  expect(code, stderr + stdout).toBe(0);
  return JSON.parse(stdout) as Planned;
}

const links = 'downloadModel';

const requestsOf = <T>(work: () => Promise<T>) => requestsBy(product.sandbox, work);

async function change(place: PipelineFolder, edit: (text: string) => string): Promise<void> {
  const text = await readFile(place.file, 'utf8');
  const edited = edit(text);
  expect(edited).not.toBe(text);
  await writeFile(place.file, edited);
}

async function filesIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('.renderline'))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

const exportOf = (config: string, parent = 'ready') =>
  `  - { id: ar, type: export, parentIds: [${parent}], config: { connector: pictures, what: [models], ${config} } }\n`;
const beside = exportOf('formats: [glb, usdz], naming: "ar/{{ key }}.{{ ext }}"');

/** Fails unless each file of a report is in place with its size and hash. */
async function expectThere({ files, destination }: RunReport): Promise<void> {
  expect(files).not.toEqual([]);
  for (const { path, bytes, sha256 } of files) {
    const there = await readFile(join(destination, path));
    const hash = createHash('sha256').update(there).digest('hex');
    expect({ path, bytes: there.length, sha256: hash }).toEqual({ path, bytes, sha256 });
  }
}

const arOf = (keys: readonly string[], folder = 'ar') =>
  keys.flatMap((key) => [`${folder}/${key}.glb`, `${folder}/${key}.usdz`]);
const picturesOf = (keys: readonly string[]) => keys.map((key) => `${key}.png`);

/** A pipeline that has delivered a picture, a GLB and a USDZ of each of its models. */
async function delivered(name: string) {
  const place = await createPipelineFolder(name);
  const keys = names(name, 2);
  await writeModels(place.folder, keys);
  await change(place, (text) => text + beside);
  const { result, requests } = await requestsOf(() => runToEnd(place));
  return { place, keys, first: result, requests };
}

describe('models next to pictures', () => {
  test('each file is requested once, is complete at its destination, and is recorded', async () => {
    const place = await createPipelineFolder('beside');
    const keys = names('beside', 2);
    await writeModels(place.folder, keys);
    await change(place, (text) => text + beside);
    const before = await planned(place);
    expect(before).toMatchObject({ renders: 2, modelFiles: 4 });
    expect(before.requests.byOperation).toMatchObject({ downloadModel: 4 });
    const [, ...given] = runArguments(place);
    const { stdout } = await command(['plan', ...given]);
    expect(stdout).toContain('models    4 files, 4 to download');

    const { result, requests } = await requestsOf(() => runToEnd(place));
    const once = { createJob: 1, confirmJobUploads: 1, createProjects: 1, createRenders: 1 };
    expect(requests).toMatchObject({ ...once, [links]: 4 });
    expect(result.requests.byOperation).toMatchObject({ [links]: 4 });
    expect(result.assets).toMatchObject({ complete: 2 });
    const all = [...arOf(keys), ...picturesOf(keys)].sort();
    expect(result.files.map(({ path }) => path).sort()).toEqual(all);
    expect(await filesIn(place.out)).toEqual(all);
    await expectThere(result);
    for (const key of keys) {
      expect(await readFile(join(place.out, `ar/${key}.glb`))).toEqual(smallModel(key));
    }

    const again = await requestsOf(() => runToEnd(place));
    expect(again.requests).toEqual({});
    expect(again.result.assets).toMatchObject({ unchanged: 2 });
    // Links are signed, so none is stored anywhere.
    const link = /storage\/download|signature=/i;
    let files = 0;
    for await (const { path, bytes } of filesBelow(place.out)) {
      files += 1;
      expect(bytes.toString('latin1'), path).not.toMatch(link);
    }
    expect(files).toBeGreaterThan(10);
    const histories = await allHistories(product.env, result.run);
    expect(histories.length).toBeGreaterThan(1);
    for (const { events, workflowId } of histories) {
      expect(everythingIn(events), workflowId).not.toMatch(link);
    }
    expect(product.worker.output()).not.toMatch(link);
  });

  test('changing the file names renames the delivered files', async () => {
    const { place, keys, first } = await delivered('named');
    await change(place, (text) => text.replace('ar/{{ key }}', 'shop/{{ key }}'));
    const before = await planned(place);
    expect(before).toMatchObject({ renders: 0, modelFiles: 4, requests: { total: 0 } });
    const { result, requests } = await requestsOf(() => runToEnd(place));
    expect(requests).toEqual({});
    expect(await filesIn(place.out)).toEqual([...arOf(keys, 'shop'), ...picturesOf(keys)].sort());
    await expectThere(result);
    const hashes = ({ files }: RunReport) => files.map(({ sha256 }) => sha256).sort();
    expect(hashes(result)).toEqual(hashes(first));

    // After the names are changed back, the files have the names of the first run again.
    await change(place, (text) => text.replace('shop/{{ key }}', 'ar/{{ key }}'));
    const back = await requestsOf(() => runToEnd(place));
    expect(back.requests).toEqual({});
    expect(await filesIn(place.out)).toEqual([...arOf(keys), ...picturesOf(keys)].sort());

    // A second export under a previous name gets the files from the first, and nothing removes them.
    const second = beside.replace('id: ar', 'id: shop').replace('"ar/', '"shop/');
    await change(place, (text) => text + second);
    const both = await requestsOf(() => runToEnd(place));
    expect(both.requests).toEqual({});
    const all = [...arOf(keys), ...arOf(keys, 'shop'), ...picturesOf(keys)];
    expect(await filesIn(place.out)).toEqual(all.sort());
  });

  test('changing the pictures or their names requests no models', async () => {
    const { place, keys } = await delivered('shown');
    await change(place, (text) =>
      text.replace('"{{ key }}.{{ ext }}"', '"web/{{ key }}.{{ ext }}"'),
    );
    expect((await requestsOf(() => runToEnd(place))).requests).toEqual({});
    await change(place, (text) => text.replace('Studio White', 'Hero Dark'));
    expect((await planned(place)).requests.byOperation['downloadModel']).toBeUndefined();
    const { requests, result } = await requestsOf(() => runToEnd(place));
    expect(requests[links]).toBeUndefined();
    expect(result.files).toHaveLength(6);
    expect(await filesIn(place.out)).toEqual(
      [...arOf(keys), ...keys.map((key) => `web/${key}.png`)].sort(),
    );
  });

  test('adding a format requests only that format', async () => {
    const { place, keys, first } = await delivered('more');
    expect(first.files).toHaveLength(6);
    await change(place, (text) => text.replace('[glb, usdz]', '[glb, usdz, source]'));
    const before = await planned(place);
    expect(before.requests.byOperation).toEqual({ downloadModel: 2 });
    const { requests } = await requestsOf(() => runToEnd(place));
    expect(requests).toEqual({ [links]: 2 });
    // The source of a GLB has the extension of the GLB.
    const sources = keys.map((key) => `ar/${key}-2.glb`);
    expect(await filesIn(place.out)).toEqual(
      [...arOf(keys), ...sources, ...picturesOf(keys)].sort(),
    );
  });

  test('a replaced model is requested again, and the others are not', async () => {
    const { place, keys } = await delivered('replaced');
    const [one = ''] = keys;
    const other = smallModel(one, { color: '#101010', paddingBytes: 64 });
    await writeFile(join(place.folder, `${one}.glb`), other);
    const before = await planned(place);
    expect(before).toMatchObject({ renders: 1, modelFiles: 2 });
    expect(before.requests.byOperation).toMatchObject({ downloadModel: 2 });
    const { requests } = await requestsOf(() => runToEnd(place));
    expect(requests[links]).toBe(2);
    expect(await readFile(join(place.out, `ar/${one}.glb`))).toEqual(other);
    expect(await filesIn(place.out)).toEqual([...arOf(keys), ...picturesOf(keys)].sort());
  });

  test('only missing or changed files are downloaded again', async () => {
    const { place, keys } = await delivered('gone');
    const [one = '', two = ''] = keys;
    await rm(join(place.out, `ar/${one}.usdz`));
    const model = await readFile(join(place.out, `ar/${two}.glb`));
    model[model.length - 1] = (model.at(-1) ?? 0) ^ 1;
    await writeFile(join(place.out, `ar/${two}.glb`), model);
    const verified = runArguments(place, '--verify', '--wait', '--json');
    const { requests } = await requestsOf(async () => reportOf(await command(verified)));
    expect(requests[links]).toBe(2);
    expect(await filesIn(place.out)).toEqual([...arOf(keys), ...picturesOf(keys)].sort());
    expect(await readFile(join(place.out, `ar/${two}.glb`))).toEqual(smallModel(two));
  });
});

test('a format that the platform lacks fails only its asset, and the message identifies the format', async () => {
  const place = await createPipelineFolder('lacks');
  await writeModels(place.folder, ['whole']);
  await writeFile(join(place.folder, 'plain.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
  await change(place, (text) => text + exportOf('formats: [source, usdz]', 'deliver'));
  const { result } = await requestsOf(() => runToEnd(place, 3));
  expect(result.assets).toMatchObject({ complete: 1, failed: 1 });
  expect(result.failures).toMatchObject([
    {
      key: 'plain',
      node: 'ar',
      code: 'NO_MODEL_FILE',
      message: expect.stringMatching(
        /^the platform has no usdz of model \S+: Model \S+ \(plain\) has no usdz file/,
      ),
    },
  ]);
  // Its picture, and the file that the platform has of it, are delivered.
  expect(await filesIn(place.out)).toEqual(
    ['plain.png', 'plain/source.obj', 'whole.png', 'whole/source.glb', 'whole/usdz.usdz'].sort(),
  );
  const again = await requestsOf(() => runToEnd(place, 3));
  expect(again.requests[links]).toBe(1);
});

test('a pipeline without renders uploads and exports models', async () => {
  const place = await createPipelineFolder('plain');
  const keys = names('plain', 2);
  await writeModels(place.folder, keys);
  await change(
    place,
    (text) =>
      text.slice(0, text.indexOf('  - { id: ready')) +
      exportOf('formats: [glb, usdz, source], naming: "{{ key }}/{{ output }}.{{ ext }}"', 'take'),
  );
  expect(await planned(place)).toMatchObject({ renders: 0, modelFiles: 6 });
  const { requests, result } = await requestsOf(() => runToEnd(place));
  expect(requests[links]).toBe(6);
  expect(result.paid).toMatchObject({ renders: 0, models: 2 });
  const filesOf = (folder: string) =>
    keys.flatMap((key) =>
      ['glb.glb', 'source.glb', 'usdz.usdz'].map((name) => `${folder}${key}/${name}`),
    );
  expect(await filesIn(place.out)).toEqual(filesOf(''));
  await expectThere(result);

  await change(place, (text) => text.replace('"{{ key }}/', '"all/{{ key }}/'));
  expect(await planned(place)).toMatchObject({ requests: { total: 0 } });
  expect((await requestsOf(() => runToEnd(place))).requests).toEqual({});
  expect(await filesIn(place.out)).toEqual(filesOf('all/'));
});

test('models that exist on the platform, and models with several views, are exported once per model to each destination', async () => {
  const place = await createPipelineFolder('chosen');
  await writeModels(place.folder, ['chosen']);
  await change(place, (text) =>
    text
      .replace(
        'config: { settings:',
        'config: { views: [{ name: front }, { name: back }], settings:',
      )
      .concat(exportOf('formats: [glb], naming: "ar/{{ key }}.{{ ext }}"', 'deliver'))
      .concat(
        exportOf('formats: [glb], naming: "app/{{ key }}.{{ ext }}"', 'ar').replace(
          'id: ar',
          'id: app',
        ),
      ),
  );
  const { result, requests } = await requestsOf(() => runToEnd(place));
  expect(result.assets).toMatchObject({ complete: 2 });
  // The second destination gets the file from the first.
  expect(requests[links]).toBe(1);
  const pictures = ['chosen/back.png', 'chosen/front.png'];
  expect(await filesIn(place.out)).toEqual(['app/chosen.glb', 'ar/chosen.glb', ...pictures]);
  expect(result.files).toHaveLength(4);

  const taken = join(place.root, 'taken');
  await writeFile(
    place.file,
    `name: taken
connectors:
  pictures: { type: local, path: ${JSON.stringify(taken)} }
nodes:
  - id: ar
    type: export
    config:
      connector: pictures
      select: { models: { name: chosen } }
      what: [models]
      formats: [source, usdz]
      naming: "{{ name }}/{{ output }}-{{ key }}.{{ ext }}"
`,
  );
  const run = ['run', place.file, '--wait', '--json'];
  const chosen = await requestsOf(async () => reportOf(await command(run)));
  expect(chosen.requests[links]).toBe(2);
  expect(chosen.result.files.map(({ path }) => path.replace(/-.*(?=\.)/, '')).sort()).toEqual([
    'chosen/source.glb',
    'chosen/usdz.usdz',
  ]);
  await expectThere(chosen.result);
  const again = await requestsOf(async () => reportOf(await command(run)));
  expect(again.requests[links]).toBeUndefined();
});
