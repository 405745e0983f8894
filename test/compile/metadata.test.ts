// Metadata of an export: what is refused at its position, what `plan` shows, and which stage they belong to.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { planOf, told } from './_compile.ts';

/** The options are on line 13. */
const pipeline = (options: string) =>
  [
    'name: test',
    'parameters:',
    '  brand: { type: string, default: Acme }',
    'connectors:',
    '  models: { type: local, path: models }',
    '  out: { type: local, path: out }',
    'data: { products: { connector: models, path: products.csv, key: Style } }',
    'nodes:',
    '  - { id: take, type: connector_poll, config: { connector: models } }',
    '  - { id: ready, type: model_ready, parentIds: [take] }',
    '  - { id: shots, type: render, parentIds: [ready], config: { settings: {} } }',
    '  - { id: deliver, type: export, parentIds: [shots], config: {',
    `        ${options}${options === '' ? '' : ','}`,
    '        connector: out, naming: "{{ key }}.{{ ext }}" } }',
  ].join('\n');

it('fixed text and fields of rows, assets and parameters are valid', () => {
  const options =
    'metadata: { title: "{{ row.name }} of {{ params.brand }}", altText: "{{ asset.name }}", creator: Acme GmbH, keywords: [chair, "{{ row.season }}"], digitalSourceType: digitalCreation }';
  expect(told(pipeline(options))).toEqual([]);
});

it.each([
  ['metadata: {}', /RL204 .*has no field: set at least one field/],
  ['metadata: { headline: x }', /headline/],
  ['metadata: { title: "" }', /title/],
  ['metadata: { keywords: [] }', /keywords/],
  ['metadata: { title: "{{ row.name " }', /RL3\d\d|braces/],
  ['metadata: { title: "{{ colour }}" }', /colour/],
  ['metadata: { digitalSourceType: photo }', /digitalSourceType/],
  [
    'what: [production_files], metadata: { title: x }',
    /is written into pictures, so it needs `what: \[renders\]`/,
  ],
])('the option %s is refused', (options, message) => {
  expect(told(pipeline(options)).join('\n')).toMatch(message);
});

describe('the plan with metadata', () => {
  it('the plan shows what is written into each picture', () => {
    const { route } = planOf(pipeline('metadata: { altText: x, title: y, keywords: [z] }'));
    expect(route.join('\n')).toContain('writes title, altText, keywords into each picture');
  });

  it('the plan assigns the columns of metadata to their export only', () => {
    const { discovery } = planOf(
      pipeline('metadata: { title: "{{ row.name }}", keywords: ["{{ row.tag }}"] }'),
    );
    expect(discovery.rows?.stages).toEqual({ 'delivery.deliver': ['name', 'tag'] });
  });

  it('other metadata change only the delivery stage of the plan', () => {
    const stagesOf = (options: string) => planOf(pipeline(options)).stages;
    const [none, one, other] = ['', 'metadata: { title: a }', 'metadata: { title: b }'].map(
      stagesOf,
    );
    const marks = [none, one, other].map((stages) => stages?.deliveries['deliver']?.fingerprint);
    expect(new Set(marks).size).toBe(3);
    expect({ ...one, deliveries: {} }).toEqual({ ...none, deliveries: {} });
  });
});

it('the pipeline in the how-to guide compiles', async () => {
  const page = await readFile('docs/how-to/metadata-in-files.md', 'utf8');
  const [, text = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  expect(told(text)).toEqual([]);
});
