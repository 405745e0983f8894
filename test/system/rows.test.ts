// Rows of a table (`data:`): each asset has the values of its row, and a changed row repeats only stages that use it.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { change, filesIn, nothing, useChangedPipeline } from './_changed-pipeline.ts';
import { names, writeModels } from './_models.ts';
import {
  createPipelineFolder,
  type PipelineFolder,
  requestsBesideTemplates,
  useProduct,
} from './_runs.ts';
import { useProcesses } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

const temporal = useTemporal();
useProcesses();
const product = useProduct(temporal, ['--speed', '100', '--picture-scale', '0']);
const { runToEnd, planned, createdDuring } = useChangedPipeline(product);

type Line = Record<'style' | 'sku' | 'season' | 'look' | 'price', string>;

const lineOf = (style: string, more: Partial<Line> = {}): Line => ({
  style,
  sku: `SKU ${style}`,
  season: 'SS26',
  look: 'Studio White',
  price: '10',
  ...more,
});

async function writeTable({ folder }: PipelineFolder, lines: readonly Line[]): Promise<void> {
  const rows = lines.map((line) => [line.style, line.sku, line.season, line.look, line.price]);
  const text = [['Style', 'SKU', 'Season', 'Look', 'Price'], ...rows]
    .map((row) => row.join(';'))
    .join('\r\n');
  await writeFile(join(folder, 'products.csv'), `\uFEFF${text}\r\n`);
}

const data = 'data: { products: { connector: models, path: products.csv, key: Style } }\nnodes:\n';

/** A pipeline whose template and file names depend on the table. */
async function pipelineWithTable(name: string, lines: (keys: string[]) => Line[]) {
  const place = await createPipelineFolder(name);
  const keys = names(name, 3);
  await writeModels(place.folder, keys);
  await writeTable(place, lines(keys));
  await change(place, (text) =>
    text
      .replace('nodes:\n', data)
      .replace(
        '{ default: Studio White }',
        `{ rules: [{ when: "row.look == 'Hero Dark'", template: Hero Dark }], default: Studio White }`,
      )
      .replace('{{ key }}.', '{{ row.season }}/{{ row.sku }}.'),
  );
  return { place, keys };
}

test('a changed row repeats only the stages that use it', async () => {
  const { place, keys } = await pipelineWithTable('rows', (all) => all.map((key) => lineOf(key)));
  const [one = '', two = '', three = ''] = keys;
  await runToEnd(place);
  expect(await filesIn(place.out)).toEqual(keys.map((key) => `SS26/SKU ${key}.png`));

  const changes: [what: string, lines: Line[], startPoints: object[], booked: object][] = [
    [
      'a column that nothing reads',
      [lineOf(one, { price: '99' }), lineOf(two), lineOf(three)],
      [],
      nothing,
    ],
    ['rows in another order', [lineOf(three), lineOf(two), lineOf(one)], [], nothing],
    [
      'a column that only file names show',
      [lineOf(one, { season: 'AW26' }), lineOf(two), lineOf(three)],
      [{ startStage: 'delivery', assets: 1 }],
      nothing,
    ],
    [
      'the column that chooses the template',
      [lineOf(one, { season: 'AW26' }), lineOf(two, { look: 'Hero Dark' }), lineOf(three)],
      [{ startStage: 'composition', assets: 1 }],
      { models: 0, projects: 1, renders: 1 },
    ],
    [
      'that column set back, which was paid for before',
      [lineOf(one, { season: 'AW26' }), lineOf(two), lineOf(three)],
      [{ startStage: 'delivery', assets: 1 }],
      nothing,
    ],
  ];
  for (const [what, lines, startPoints, expected] of changes) {
    await writeTable(place, lines);
    expect((await planned(place)).startPoints, what).toEqual(startPoints);
    const { booked } = await createdDuring(() => runToEnd(place));
    expect(booked, what).toEqual(expected);
  }
  expect(await filesIn(place.out)).toEqual(
    [`AW26/SKU ${one}.png`, `SS26/SKU ${two}.png`, `SS26/SKU ${three}.png`].sort(),
  );
});

test('a table that no node uses causes no repeated work, and its first use in file names only causes a new delivery', async () => {
  const place = await createPipelineFolder('added');
  const keys = names('added', 3);
  await writeModels(place.folder, keys);
  const first = await runToEnd(place);
  await writeTable(
    place,
    keys.map((key) => lineOf(key)),
  );
  await change(place, (text) => text.replace('nodes:\n', data));
  expect((await runToEnd(place)).assets).toMatchObject({ complete: 0, unchanged: 3 });

  await change(place, (text) => text.replace('{{ key }}.', '{{ row.sku }}.'));
  const { result, booked } = await createdDuring(() => runToEnd(place));
  expect(booked).toEqual(nothing);
  expect(requestsBesideTemplates(result)).toEqual({});
  expect(await filesIn(place.out)).toEqual(keys.map((key) => `SKU ${key}.png`));
  expect(first.assets).toMatchObject({ complete: 3 });
});

test('an asset without a row is refused before anything is paid for, and the others are completed', async () => {
  const { place, keys } = await pipelineWithTable('missing', (all) =>
    all.slice(1).map((key) => lineOf(key)),
  );
  const [gone = ''] = keys;
  const { result, booked } = await createdDuring(() => runToEnd(place, 3));
  expect(booked).toEqual({ models: 2, projects: 2, renders: 2 });
  expect(result.failures).toMatchObject([
    { code: 'ROW_MISSING', message: expect.stringContaining(`no row for "${gone}"`) as string },
  ]);
});

test('each row is an asset, so files without a row are left out and a model with two rows is two assets', async () => {
  const place = await createPipelineFolder('listed');
  const [one = '', two = '', other = ''] = names('listed', 3);
  await writeModels(place.folder, [one, two, other]);
  await change(place, (text) =>
    text
      .replace(
        'nodes:\n',
        'data: { products: { connector: models, path: products.csv, key: SKU } }\nnodes:\n',
      )
      .replace('stableFor: 500ms', 'stableFor: 500ms, list: { table: products, file: File }')
      .replace('{{ key }}.', '{{ row.season }}/{{ key }}.'),
  );
  const write = (lines: readonly string[]) =>
    writeFile(
      join(place.folder, 'products.csv'),
      `SKU;File;Season\r\n${lines.map((line) => `${line}\r\n`).join('')}`,
    );
  await write([
    `A;.\\${one}.glb;SS26`,
    `B;${one.toUpperCase()}.GLB;SS26`,
    `C;${two}.glb;AW26`,
    'D;gone.glb;AW26',
    'E;;AW26',
  ]);
  const first = await createdDuring(() => runToEnd(place, 3));
  expect(first.booked).toEqual({ models: 3, projects: 3, renders: 3 });
  expect(first.result.assets).toMatchObject({ total: 4, complete: 3 });
  expect(first.result.failures).toMatchObject([
    {
      code: 'ROW_FILE_MISSING',
      message: expect.stringMatching(/, line 5, .*"gone.glb"/) as string,
    },
  ]);
  expect(await filesIn(place.out)).toEqual(['AW26/C.png', 'SS26/A.png', 'SS26/B.png']);

  await write([`C;${two}.glb;AW26`, `B;${other}.glb;SS26`, `A;${one}.glb;SS27`]);
  const second = await createdDuring(() => runToEnd(place));
  expect(second.booked).toEqual({ models: 1, projects: 1, renders: 1 });
  expect(second.result.assets).toMatchObject({ total: 3, complete: 2, unchanged: 1 });
  expect(await filesIn(place.out)).toEqual(['AW26/C.png', 'SS26/B.png', 'SS27/A.png']);
  const third = await createdDuring(() => runToEnd(place));
  expect(third.booked).toEqual(nothing);
});
