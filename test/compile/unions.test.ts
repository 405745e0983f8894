// A field with several forms. A problem is described for the form that was probably intended.
import { describe, expect, it } from 'vitest';
import { told, withNodes } from './_compile.ts';

const variant = (config: string) =>
  withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    `{ id: v, type: variant, parentIds: [ready], config: ${config} }`,
  );
const at = 'nodes[2].config';
const rule = 'swapRules: [{ matchText: a, matchMode: exact, material: Oak }]';

describe('colorways', () => {
  it.each<[string, string[]]>([
    [
      `[{ name: 007, ${rule} }]`,
      [`[0].name must be text, not 007 | If the value is text, put it in quotes: "007".`],
    ],
    [`[{ name: a, wher: x, ${rule} }]`, ['"wher" is not a field of | [0] | Did you mean "where"?']],
    ['[{ name: a, swapRules: [] }]', ['[0].swapRules must contain at least 1 entry']],
    ['[]', [' must contain at least 1 entry']],
    ['{ matrix: { a: Oak } }', ['.matrix.a must be a list, not "Oak"']],
    ['{ matrix: { a: [Oak] }, wher: x }', ['"wher" is not a field of | Did you mean "where"?']],
    ['{ exclude: [{ a: b }] }', ['"matrix" is missing in | Add `matrix:`.']],
    [
      '{ table: { conector: models, path: a.csv } }',
      [
        '"connector" is missing in | .table | Add `connector:`.',
        '"conector" is not a field of | .table | Did you mean "connector"?',
      ],
    ],
    [
      '{ table: { connector: models, path: 7 } }',
      ['.table.path must be text, not 7 | If the value is text, put it in quotes: "7".'],
    ],
    [
      '{ tabel: { connector: models, path: a.csv } }',
      ['"tabel" is not a field of | Did you mean "table"?'],
    ],
    [
      '{ matrix: { a: [Oak] }, table: {} }',
      [
        '"table" cannot be combined with the other fields of | Remove this field, or remove the others.',
      ],
    ],
    ['{}', [' needs `matrix` or `table`']],
    ['5', [' must be a list or a mapping, not 5']],
  ])('the colorways %s cause the problems %j', (colorways, expected) => {
    const found = told(variant(`{ colorways: ${colorways} }`));
    expect(found).toHaveLength(expected.length);
    const parts = expected.map((one) => one.split(' | '));
    for (const [index, some] of parts.entries())
      for (const part of some) expect(found[index]).toContain(part);
    expect(found.join()).toContain(`${at}.colorways`);
  });
});

it.each([
  ['al', 'must be new, all or a mapping, not "al" | Did you mean "all"?'],
  ['{ name: [a] }', `"name" is not a field of ${at}.choose | Did you mean "names"?`],
  ['{ names: a }', `${at}.choose.names must be a list, not "a"`],
  ['{}', `${at}.choose needs \`names\` or \`where\``],
  ['{ names: [a], where: "true" }', '"where" cannot be combined with the other fields'],
])('the value "%s" of choose causes the problem: %s', (choose, message) => {
  expect(told(variant(`{ choose: ${choose} }`)).join('\n')).toContain(message);
});

it.each([
  ['key: 5', 'key must be text, not 5'],
  [
    'supersede: kep',
    'supersede must be keep or delete-after-success, not "kep" | Did you mean "keep"?',
  ],
  [
    'tolerate: { failures: 5 percent }',
    'tolerate.failures must be a number of assets, or a percentage in quotes',
  ],
  ['tolerate: { failures: 0.5 }', 'a percentage in quotes such as "5%", not 0.5'],
  [
    'schedule: { cron: 5 }',
    'schedule.cron must be a cron expression in quotes, or a list of cron expressions, not 5',
  ],
  ['schedule: { cron: ["0 1 * * *", 5] }', 'schedule.cron[1] must be text, not 5'],
  ['schedule: { evry: 1h }', '"evry" is not a field of schedule | Did you mean "every"?'],
  [
    'operations: { addVariantsToProject: { rout: POST /x } }',
    '"rout" is not a field of operations.addVariantsToProject | Did you mean "route"?',
  ],
  [
    'operations: { addVariantsToProject: 5 }',
    'must be a method and a path, or {route, body}, not 5',
  ],
  [
    'parameters: { a: { type: string, default: [1] } }',
    'parameters.a.default must be text, a number or true or false, not a list',
  ],
  ['notify: [{ url: 5 }]', 'notify[0].url must be text, not 5'],
])('the field "%s" causes the problem: %s', (field, message) => {
  expect(told(`${withNodes()}\n${field}`).join('\n')).toContain(message);
});

it('records with an unknown field, or with a value of another type, are refused', () => {
  const records = (text: string) =>
    told(withNodes().replace('records: out', `records: ${text}`)).join('\n');
  expect(records('{ connector: out, foldr: x }')).toContain(
    '"foldr" is not a field of records | Did you mean "folder"?',
  );
  expect(records('{ connector: 5 }')).toContain('records.connector must be text, not 5');
  expect(records('[out]')).toContain(
    'records must be the name of a connector, or {connector, folder}, not a list',
  );
});
