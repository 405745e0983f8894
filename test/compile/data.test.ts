// Tables of a file (`data:`): what validation refuses, and which stages read which columns.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compileExpression, toExpressionScope } from '../../src/language/expressions.ts';
import { sourceOf } from '../store/_store.ts';
import { planOf, told, withNodes } from './_compile.ts';

const pipeline = (data: string, { key = '', look = '', naming = '{{ key }}', at = '' } = {}) =>
  withNodes(
    `{ id: ready, type: model_ready, parentIds: [take]${at} }`,
    `{ id: look, type: template_match, parentIds: [ready], config: { rules: [{ when: "${look || 'true'}", template: A }], default: B } }`,
    '{ id: shots, type: render, parentIds: [look], config: { settings: {} } }',
    `{ id: deliver, type: export, parentIds: [shots], config: { connector: out, naming: "${naming}.{{ ext }}" } }`,
  ).replace('records: out', `data: ${data}\n${key === '' ? '' : `key: '${key}'\n`}`);

const table = (more = '') => `{ p: { connector: models, path: p.csv, key: Style${more} } }`;

describe('refusals of tables and columns', () => {
  it.each<[what: string, text: string, message: RegExp]>([
    [
      'a row without a table',
      pipeline('{}', { look: "row.sku == 'a'" }),
      /RL505 row is available only with a table/,
    ],
    [
      'a row in a file name without a table',
      pipeline('{}', { naming: '{{ key }}{{ row.sku }}' }),
      /RL505 row is available/,
    ],
    [
      'a row without a column',
      pipeline(table(), { look: 'size(row) > 1' }),
      /RL502 row is used without the name of a column/,
    ],
    [
      'a column that an expression computes',
      pipeline(table(), { look: 'row[asset.name] == 1' }),
      /RL502 row is used without/,
    ],
    ['a sheet of a CSV file', pipeline(table(', sheet: A')), /RL204 p.csv has no sheets/],
    [
      'a dimension that the pipeline does not have',
      pipeline(table().replace('Style', '{ model: A, view: B }')),
      /RL204 no node in this pipeline creates a view/,
    ],
    [
      'an unknown part of an asset',
      pipeline(table().replace('Style', '{ modle: A }')),
      /RL204 "modle" is not a valid key part \| Did you mean "model"/,
    ],
    [
      'a file of another type',
      pipeline(table().replace('p.csv', 'p.xlsb')),
      /must end in .csv.*save other tables, such as .xls, .xlsb, .ods and .numbers, as .xlsx or CSV/,
    ],
    ...['/data/p.csv', '../p.csv', 'a/./p.csv', 'a//p.csv', 'C:/p.csv', "'a\\p.csv'"].map(
      (path): [string, string, RegExp] => [
        `the path ${path}`,
        pipeline(table().replace('p.csv', path)),
        /RL204 data\.p\.path must be a path below the connector, with forward slashes/,
      ],
    ),
    [
      'a parameter whose paths are absolute',
      pipeline(table().replace('p.csv', '"${{ params.table }}"')).replace(
        'data:',
        'parameters: { table: { type: path, default: p.csv } }\ndata:',
      ),
      /RL204 data\.p\.path .*a parameter for it has `type: string`/,
    ],
    [
      'an unknown connector',
      pipeline(table().replace('models', 'modles')),
      /RL303 the connector "modles" does not exist/,
    ],
    [
      'a column of two tables',
      pipeline(
        `{ p: { connector: models, path: p.csv, key: A, columns: { sku: B } }, q: { connector: models, path: q.csv, key: A, columns: { sku: C } } }`,
      ),
      /RL204 row.sku is already a column of "p"/,
    ],
    [
      'a key from a row that is found by the key',
      pipeline(table(), { key: '{{ row.sku }}' }),
      /RL505 key: reads a row, but rows are found by the key/,
    ],
    [
      'an unknown type',
      pipeline(table(', columns: { a: { column: A, type: money } }')),
      /must be text, number, boolean or date/,
    ],
  ])('validation refuses %s', (_, text, message) => {
    expect(told(text).join('\n')).toMatch(message);
  });

  it.each<[what: string, text: string, message: RegExp]>([
    [
      'a heading in a file name',
      pipeline(table(), { naming: '{{ row.Colour name }}' }),
      /RL521 .* is not a field \| A column of a table is "row.colour_name"\. Available: key/,
    ],
    [
      'a column without `row` in a file name',
      pipeline(table(), { naming: '{{ sku }}' }),
      /A column of a table is "row.sku"\./,
    ],
    [
      'a field in a file name that is written as in an expression',
      pipeline(table(), { naming: '{{ asset.key }}' }),
      /\{\{ asset.key \}\} is not a field \| Did you mean "key"\?/,
    ],
    [
      'a column without `row` in an expression',
      pipeline(table(), { look: "approved == 'yes'" }),
      /RL502 unknown variable: approved \| .* A column of a table is "row.approved"\./,
    ],
    [
      'the category without its model',
      pipeline(table(), { look: "category == 'Chairs'" }),
      /RL502 unknown variable: category \| Did you mean "model.category"\?/,
    ],
    [
      'a single equals sign',
      pipeline(table(), { look: "row.approved = 'yes'" }),
      /RL501 unexpected character: = \| Use == to compare two values\./,
    ],
  ])('validation refuses %s, and the hint shows the right expression', (_, text, message) => {
    expect(told(text).join('\n')).toMatch(message);
  });

  it('validation accepts a file name that a table makes unique', () => {
    expect(told(pipeline(table(), { naming: '{{ row.sku }}' }))).toEqual([]);
  });
});

const scope = toExpressionScope({ key: 'a', source: sourceOf('a'), platformIds: {} }, {});

describe('an expression over columns', () => {
  const columns =
    ', columns: { price: { column: P, type: number }, new: { column: N, type: boolean }, day: { column: D, type: date }, code: C }';
  const look = (text: string) => told(pipeline(table(columns), { look: text }));

  const row = { sku: 'abc', season: 'SS26', price: 10, new: true, day: '2026-03-02', code: '7' };
  const without = { ...row, price: null, new: null };
  it.each([
    ['row.price in [10, 20]', true],
    ['row.price == 10', true],
    ['row.price == null || row.price > 12', false],
    ['row.new != null && row.new', true],
    ['row.price * 2 < 99.5', true],
    ["row.day >= '2026-03-01'", true],
  ])('an expression over columns is evaluated by a worker: %s is %s', (text, expected) => {
    const compiled = compileExpression(text);
    expect(compiled.ok && compiled.evaluate({ ...scope, row })).toBe(expected);
  });

  it.each([
    ['row.price == null || row.price > 12', true],
    ['row.new != null && row.new', false],
  ])(
    'an expression over columns is evaluated by a worker without values: %s is %s',
    (text, expected) => {
      const compiled = compileExpression(text);
      expect(compiled.ok && compiled.evaluate({ ...scope, row: without })).toBe(expected);
    },
  );

  it.each([
    "row.sku == 'a' && row['sku'].startsWith('b') && size(row.sku) > 2",
    "row.season in ['SS26', 'AW26']",
    'row.price > 12 && row.price * 2 < 99.5 && row.price == 10',
    'row.price in [10, 20]',
    'row.price == null || row.price != 3',
    'row.new && row.new != null',
    "row.day >= '2026-03-01' && row.code != ''",
  ])('an expression over columns is accepted: %s', (text) => {
    expect(look(text)).toEqual([]);
  });

  it.each<[text: string, message: RegExp]>([
    [
      'row.sku > 5',
      /^10:86 RL502 no such overload: string > int \| row.sku is text\. Set its type under `data:`: columns: \{ sku: /,
    ],
    ['row.code == 12', /RL502 no such overload: string == int$/],
    ["row.price == '12'", /RL502 no such overload: double == string$/],
    ["row.new == 'yes'", /RL502 no such overload: bool == string$/],
    ['row.day < 2026', /RL502 no such overload: string < int$/],
    ['row.price', /RL503 .*must return true or false, not double$/],
  ])('an expression over columns is refused at its position: %s', (text, message) => {
    expect(look(text)).toEqual([expect.stringMatching(message)]);
  });

  it('an expression over columns is not checked if a table is invalid', () => {
    const problems = told(pipeline(table(', columns: { a: 1 }'), { look: 'row.sku > 5' }));
    expect(problems.join('\n')).not.toContain('RL502');
  });
});

describe('a table that lists the assets', () => {
  const listing = (data: string, list = 'p', { config = '', key = '' } = {}) =>
    pipeline(data, { key }).replace(
      'connector: models } }',
      `connector: models, list: { table: ${list}, file: File }${config} } }`,
    );

  it('a table that lists the assets is in the plan with the column of its files', () => {
    expect(planOf(listing(table())).discovery.rows?.tables).toMatchObject([{ file: 'File' }]);
    expect(planOf(pipeline(table())).discovery.rows?.tables[0]).not.toHaveProperty('file');
  });

  it.each<[what: string, text: string, message: RegExp]>([
    [
      'that does not exist',
      listing(table(), 'q'),
      /RL204 the table "q" does not exist under data \| Available: p/,
    ],
    [
      'that does not exist, in a file without tables',
      listing('{}'),
      /RL204 the table "p" does not exist under data \| Define the table: data: \{ p: /,
    ],
    [
      'that is matched by path',
      listing(table(', match: path')),
      /RL204 the rows of "p" have no keys/,
    ],
    [
      'of only colorways',
      listing(table().replace('Style', '{ colorway: C }')),
      /RL204 the rows of "p" have no keys/,
    ],
    [
      'with a key of the pipeline',
      listing(table(), 'p', { key: '{{ name }}' }),
      /RL204 an asset that comes from a row has the row's key \| Delete `key`/,
    ],
    [
      'with `identity: content`',
      listing(table(), 'p', { config: ', identity: content' }),
      /RL204 rows are recognized by their keys/,
    ],
  ])('a table %s is refused', (_, text, message) => {
    expect(told(text).join('\n')).toMatch(message);
  });
});

describe('the stages that read a column', () => {
  const of = (text: string) => planOf(text).discovery.rows?.stages;
  const delivery = 'delivery.deliver';
  it.each<[what: string, parts: Parameters<typeof pipeline>[1], stages: object]>([
    ['none', {}, {}],
    ['in a file name', { naming: '{{ row.sku }}' }, { [delivery]: ['sku'] }],
    [
      'in the choice of a template',
      { look: "row.look == 'a'" },
      { composition: ['look'], render: ['look'] },
    ],
    [
      'in both notations',
      { look: `row.look == row['b']` },
      { composition: ['b', 'look'], render: ['b', 'look'] },
    ],
    [
      'in a condition before all other nodes',
      { at: `, when: "row.go == 'y'"` },
      { source: ['go'], composition: ['go'], render: ['go'] },
    ],
    [
      'in several fields',
      { look: "row.look == 'a'", naming: '{{ row.sku }}' },
      { composition: ['look'], render: ['look'], [delivery]: ['sku'] },
    ],
  ])('a column belongs to the stages that read it: %s', (_, parts, stages) => {
    expect(of(pipeline(table(), parts))).toEqual(stages);
  });

  it('a plan without tables has no rows', () => {
    expect(planOf(pipeline('{}')).discovery.rows).toBeUndefined();
  });
});

it('tables are not in the recipe, so adding one repeats nothing', () => {
  const { recipe, stages } = planOf(pipeline('{}'));
  expect(planOf(pipeline(table()))).toMatchObject({ recipe, stages });
});

it.each([
  ['from-a-sku-table', ['colour_name', 'season', 'sku']],
  ['table-as-work-list', []],
])(
  'the pipeline in the how-to guide %s compiles, and reads the columns of the example',
  async (name, columns) => {
    const page = await readFile(`docs/how-to/${name}.md`, 'utf8');
    const [, text = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
    expect(told(text)).toEqual([]);
    const { rows } = planOf(text, { folder: '/models', out: '/out' }).discovery;
    expect(rows?.reads.toSorted()).toEqual(columns);
  },
);
