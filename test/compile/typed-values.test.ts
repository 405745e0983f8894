// Values keep their notation, so that YAML never turns a text into another value.
import { describe, expect, it } from 'vitest';
import { compile, planOf, told, withNodes } from './_compile.ts';

const values = (fields: string) =>
  withNodes(`{ id: v, type: set_properties, parentIds: [take], config: { values: ${fields} } }`);
const written = (text: string, parameters = {}) => {
  const { steps } = planOf(text, parameters);
  return steps.find(({ activity }) => activity === 'set_properties')?.config;
};

describe('the notation of a property value', () => {
  it.each([
    '0510210600',
    '1E5',
    '0x1F',
    '0o17',
    '1.10',
    '1.0',
    '.5',
    '+7',
    '-0',
    '1_000',
    'yes',
    'no',
    'on',
    'off',
    'y',
    '2026-01-31',
    '12:30',
    '1.2.3',
  ])('the value %s of a property keeps its notation', (typed) => {
    expect(written(values(`{ SKU: ${typed} }`))).toMatchObject({ values: { SKU: typed } });
    expect(written(values(`{ SKU: "${typed}" }`))).toMatchObject({ values: { SKU: typed } });
  });

  it('a value keeps its notation through an alias and from a parameter', () => {
    const text = values('{ a: &sku 0510, b: *sku, c: "${{ params.sku }}", 007: x }').replace(
      'nodes:',
      'parameters: { sku: { type: string } }\nnodes:',
    );
    expect(written(text, { sku: '1.10' })).toMatchObject({
      values: { a: '0510', b: '0510', c: '1.10', '007': 'x' },
    });
  });

  it('null or a number in the usual notation is not kept as text', () => {
    expect(written(values('{ a: 12, b: -1.5, c: ~, d: null }'))).toMatchObject({
      values: { a: 12, b: -1.5, c: null, d: null },
    });
  });

  it.each(['True', 'false', '1e21', '.inf', '12345678901234567890', '[7]', '[007]', '[~]'])(
    'a value is refused at its position: %s',
    (typed) => {
      const [problem] = compile(values(`{ SKU: ${typed} }`)).problems.filter(
        ({ severity }) => severity === 'error',
      );
      expect(problem?.line).toBe(8);
      expect(problem?.message).toContain(typed.replace(/[[\]]/g, ''));
    },
  );
});

it.each([
  ['a name', 'name: 007', 'name must be text, not 007', '007'],
  ['a description', 'description: 1.10', 'description must be text, not 1.10', '1.10'],
  ['a boolean', 'description: True', 'description must be text, not True', 'True'],
  [
    'a choice',
    'parameters: { a: { type: enum, values: [0510] } }',
    'parameters.a.values[0] must be text, not 0510',
    '0510',
  ],
  [
    'the default of a string parameter',
    'parameters: { a: { type: string, default: 0510 } }',
    'parameter "a": the default 0510 is not text',
    '0510',
  ],
  [
    'a parameter value of a schedule',
    'parameters: { a: { type: string } }\nschedule: { every: 1h, parameters: { a: 0510 } }',
    'parameter "a": 510 is not text',
    '0510',
  ],
])(
  'a value that is not text is reported with a hint about quotes: %s',
  (_what, fields, message, typed) => {
    const found = told(`${fields}\n${withNodes().replace('name: test\n', '')}`);
    expect(found.join('\n')).toContain(
      `${message} | If the value is text, put it in quotes: "${typed}".`,
    );
  },
);

it('a number is accepted in every notation', () => {
  const text = withNodes('{ id: ready, type: model_ready, parentIds: [take] }').replace(
    'nodes:',
    'batchSize: 0x1F\nmaxRetries: 1e0\nparameters: { n: { type: number, default: 1.10, min: .5 } }\nnodes:',
  );
  expect(told(text).filter((line) => !line.includes('RL307'))).toEqual([]);
  expect(compile(text).pipeline).toMatchObject({
    batchSize: 31,
    maxRetries: 1,
    parameters: { n: { default: 1.1, min: 0.5 } },
  });
});

describe('double braces without quotes', () => {
  it.each([
    ['key: {{ key }}', '{{ key }}', 6],
    ['key: {{ key }}.{{ ext }}', '{{ key }}.{{ ext }}', 6],
    ['x: { y: out/{{ key }}.png, z: 1 }', 'out/{{ key }}.png', 13],
    ['x: ["a", {{ asset.key }}]', '{{ asset.key }}', 10],
    ['x: { y: ${{ params.y }} }', '${{ params.y }}', 10],
    ['x:\n  - {{ key }}', '{{ key }}', 5],
  ])(
    'double braces without quotes in %s cause one problem, which contains a fix',
    (line, value, column) => {
      const text = `${withNodes()}\n${line}`;
      expect(told(text)).toEqual([
        `${text.split('\n').length}:${column} RL101 double braces must be in quotes | Put the whole value in quotes: "${value}".`,
      ]);
    },
  );

  it.each([
    'key: "{{ key }}"',
    "key: '{{ key }}'",
    'key: >-\n  {{ key }}',
    'key: "{{ key }}" # {{',
  ])('double braces in %s are valid', (line) => {
    expect(told(`${withNodes()}\n${line}`).filter((one) => one.includes('RL101'))).toEqual([]);
  });
});
