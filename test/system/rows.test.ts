// Rows of a table (`data:`): each asset has the values of its row, and a changed row repeats only what shows it.
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

/** A pipeline whose template and file names show the table. */
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

test('a changed row repeats only what shows it', async () => {
  const { place, keys } = await pipelineWithTable('rows', (all) => all.map((key) => lineOf(key)));
  const [one = '', two = '', three = ''] = keys;
  await runToEnd(place);
  expect(await filesIn(place.out)).toEqual(keys.map((key) => `SS26/SKU ${key}.png`));

  const changes: [what: string, lines: Line[], begins: object[], booked: object][] = [
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
      [{ begin: 'delivery', assets: 1 }],
      nothing,
    ],
    [
      'the column that chooses the template',
      [lineOf(one, { season: 'AW26' }), lineOf(two, { look: 'Hero Dark' }), lineOf(three)],
      [{ begin: 'composition', assets: 1 }],
      { models: 0, projects: 1, renders: 1 },
    ],
    [
      'that column set back, which was paid for before',
      [lineOf(one, { season: 'AW26' }), lineOf(two), lineOf(three)],
      [{ begin: 'composition', assets: 1 }],
      nothing,
    ],
  ];
  for (const [what, lines, begins, expected] of changes) {
    await writeTable(place, lines);
    expect((await planned(place)).begins, what).toEqual(begins);
    const { booked } = await createdDuring(() => runToEnd(place));
    expect(booked, what).toEqual(expected);
  }
  expect(await filesIn(place.out)).toEqual(
    [`AW26/SKU ${one}.png`, `SS26/SKU ${two}.png`, `SS26/SKU ${three}.png`].sort(),
  );
});

test('a table that nothing reads repeats nothing, and the first reader repeats only itself', async () => {
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

test('an asset without a row is refused before anything is paid for, and the others are done', async () => {
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
