// A changed pipeline: existing results of its assets are used again, and paid once.
import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { change, filesIn, nothing, useChangedPipeline } from '../system/_changed-pipeline.ts';
import { names, writeModels } from '../system/_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  type RunReport,
  requestsBesideTemplates,
  runArguments,
  useProduct,
} from '../system/_runs.ts';
import { useProcesses } from '../system/_stack.ts';
import { useTemporal } from '../system/_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);

const { command, runToEnd, planned, createdDuring: bookedBy } = useChangedPipeline(product);

const hashesOf = ({ files }: RunReport) =>
  Object.fromEntries(files.map(({ key, sha256 }) => [key, sha256]));

/** A pipeline that has delivered three pictures under their keys. */
async function delivered(
  name: string,
): Promise<{ place: PipelineFolder; keys: string[]; first: RunReport }> {
  const place = await createPipelineFolder(name);
  const keys = names(name, 3);
  await writeModels(place.folder, keys);
  return { place, keys, first: await runToEnd(place) };
}

const otherNames = (text: string) =>
  text.replace('{{ key }}.{{ ext }}', 'web/{{ key }}-large.{{ ext }}');

describe('changed file names', () => {
  test('changing the names renames the delivered files, and changing them back restores the original names', async () => {
    const { place, keys, first } = await delivered('names');
    const before = await readFile(place.file, 'utf8');
    await change(place, otherNames);

    expect(await planned(place)).toMatchObject({
      assets: { total: 3, changed: 3 },
      renders: 0,
      requests: { total: 0 },
      startPoints: [{ startStage: 'delivery', assets: 3 }],
    });
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(requestsBesideTemplates(result)).toEqual({});
    expect(result.paid).toMatchObject({ renders: 0, models: 0 });
    expect(hashesOf(result)).toEqual(hashesOf(first));
    expect(await filesIn(place.out)).toEqual(keys.map((key) => `web/${key}-large.png`));

    await writeFile(place.file, before);
    expect(await planned(place)).toMatchObject({
      renders: 0,
      startPoints: [{ startStage: 'delivery', assets: 3 }],
    });
    const back = await bookedBy(() => runToEnd(place));
    expect(back.booked).toEqual(nothing);
    expect(await filesIn(place.out)).toEqual(keys.map((key) => `${key}.png`));
    expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });

    // A second export under the previous names keeps its files.
    const naming = 'naming: "web/{{ key }}-large.{{ ext }}"';
    const node = `{ id: web, type: export, parentIds: [shots], config: { connector: pictures, ${naming} } }`;
    await change(place, (text) => `${text}  - ${node}\n`);
    expect((await bookedBy(() => runToEnd(place))).booked).toEqual(nothing);
    const both = keys.flatMap((key) => [`${key}.png`, `web/${key}-large.png`]);
    expect(await filesIn(place.out)).toEqual(both.sort());
  });

  test.each<[string, string, (text: string) => string, (key: string) => string]>([
    ['keeps the delivered files', 'connector', (text) => text, (key) => `${key}.png`],
    ['and the names renames the files', 'both', otherNames, (key) => `web/${key}-large.png`],
  ])('renaming the connector %s, and the plan says so', async (_what, name, more, pathOf) => {
    const { place, keys, first } = await delivered(name);
    await change(place, (text) => more(text.replaceAll(/(  |connector: )pictures\b/g, '$1images')));
    expect(await planned(place)).toMatchObject({
      renders: 0,
      requests: { total: 0 },
      startPoints: [{ startStage: 'delivery', assets: 3 }],
    });
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(requestsBesideTemplates(result)).toEqual({});
    expect(hashesOf(result)).toEqual(hashesOf(first));
    expect(await filesIn(place.out)).toEqual(keys.map(pathOf));
  });

  test('changing the names leaves the old files in place with `supersede: keep`', async () => {
    const { place, keys } = await delivered('kept');
    await change(place, (text) =>
      otherNames(text).replace('connector: pictures,', 'connector: pictures, supersede: keep,'),
    );
    const { booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    const both = keys.flatMap((key) => [`${key}.png`, `web/${key}-large.png`]);
    expect(await filesIn(place.out)).toEqual(both.sort());
  });

  test('after a change of names, a file that was replaced at the destination is downloaded again', async () => {
    const { place, keys, first } = await delivered('spoilt');
    const [one = ''] = keys;
    await writeFile(join(place.out, `${one}.png`), 'not ours any more');
    await change(place, otherNames);
    const { result, booked } = await bookedBy(() => runToEnd(place));
    expect(booked).toEqual(nothing);
    expect(hashesOf(result)).toEqual(hashesOf(first));
    // The file that somebody has put in its place is not removed.
    const theirs = [`${one}.png`, ...keys.map((key) => `web/${key}-large.png`)];
    expect(await filesIn(place.out)).toEqual(theirs.sort());
  });
});

test('an additional destination adds only deliveries', async () => {
  const { place, keys, first } = await delivered('more');
  const shop = join(place.root, 'shop');
  await change(place, (text) =>
    text
      .replace('nodes:\n', `  shop: { type: local, path: ${JSON.stringify(shop)} }\nnodes:\n`)
      .concat(`  - { id: sell, type: export, parentIds: [shots], config: { connector: shop } }\n`),
  );
  expect(await planned(place)).toMatchObject({
    renders: 0,
    startPoints: [{ startStage: 'delivery', assets: 3 }],
  });
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(requestsBesideTemplates(result)).toEqual({});
  expect(await filesIn(place.out)).toEqual(keys.map((key) => `${key}.png`));
  expect(await filesIn(shop)).toHaveLength(3);
  expect(new Set(result.files.map(({ sha256 }) => sha256))).toEqual(
    new Set(Object.values(hashesOf(first))),
  );
});

test('only a failed delivery is repeated', async () => {
  const place = await createPipelineFolder('alone');
  const [key = ''] = names('alone', 1);
  await writeModels(place.folder, [key]);
  const shop = join(place.root, 'shop');
  await mkdir(join(shop, `${key}.png`), { recursive: true });
  await change(place, (text) =>
    text
      .replace('nodes:\n', `  shop: { type: local, path: ${JSON.stringify(shop)} }\nnodes:\n`)
      .concat(
        `  - { id: sell, type: export, parentIds: [deliver], config: { connector: shop, naming: "{{ key }}.{{ ext }}" } }\n`,
      ),
  );
  const failed = await runToEnd(place, 1);
  expect(failed.failures).toMatchObject([{ key, node: 'sell' }]);
  const whenMs = async () => (await stat(join(place.out, `${key}.png`))).mtimeMs;
  const before = await whenMs();

  await rm(join(shop, `${key}.png`), { recursive: true });
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(result.files.map(({ path }) => path)).toEqual([`${key}.png`, `${key}.png`]);
  expect(await filesIn(shop)).toEqual([`${key}.png`]);
  expect(await whenMs()).toBe(before);
});

test('an emptied source causes a warning, and delivered files stay in place', async () => {
  const { place, keys } = await delivered('emptied');
  for (const key of keys) await rm(join(place.folder, `${key}.glb`));
  const { result, booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(result).toMatchObject({ run: null, outcome: 'complete', assets: { total: 0 } });
  expect(result.warnings).toMatchObject([
    {
      key: 'take',
      message: expect.stringContaining('files of 3 assets were delivered from it and remain'),
    },
  ]);
  expect(await filesIn(place.out)).toEqual(keys.map((key) => `${key}.png`));
  const words = await command(runArguments(place, '--wait'));
  expect(words.stderr).toContain('the source no longer has any files');
});

test('with changed settings, the same projects are rendered again', async () => {
  const { place } = await delivered('shown');
  await change(place, (text) => text.replace('"imageCustomWidth":64', '"imageCustomWidth":80'));
  expect(await planned(place)).toMatchObject({
    renders: 3,
    startPoints: [{ startStage: 'render', assets: 3 }],
  });
  const { booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 0, projects: 0, renders: 3 });
});

test('with another template, new projects are created from the same models', async () => {
  const { place } = await delivered('staged');
  await change(place, (text) => text.replace('Studio White', 'Hero Dark'));
  expect(await planned(place)).toMatchObject({
    renders: 3,
    startPoints: [{ startStage: 'composition', assets: 3 }],
  });
  const { booked } = await bookedBy(() => runToEnd(place));
  expect(booked).toEqual({ models: 0, projects: 3, renders: 3 });
});
