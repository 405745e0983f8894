// Metadata of an export: what makes no sense is refused at its place, what plan says, and what changes the stage of the delivery.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { planOf, told } from './_compile.ts';

/** The options stand on line 13. */
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

it('texts of fixed words, rows, assets and parameters make sense', () => {
  const options =
    'metadata: { title: "{{ row.name }} of {{ params.brand }}", altText: "{{ asset.name }}", creator: Acme GmbH, keywords: [chair, "{{ row.season }}"], digitalSourceType: digitalCreation }';
  expect(told(pipeline(options))).toEqual([]);
});

it.each([
  ['metadata: {}', /RL204 .*names no field: write at least one/],
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
])('%s: refused', (options, message) => {
  expect(told(pipeline(options)).join('\n')).toMatch(message);
});

describe('the plan', () => {
  it('says what is written into each picture', () => {
    const { route } = planOf(pipeline('metadata: { altText: x, title: y, keywords: [z] }'));
    expect(route.join('\n')).toContain('writes title, altText, keywords into each picture');
  });

  it('counts the columns of metadata for their export alone', () => {
    const { discovery } = planOf(
      pipeline('metadata: { title: "{{ row.name }}", keywords: ["{{ row.tag }}"] }'),
    );
    expect(discovery.rows?.stages).toEqual({ 'delivery.deliver': ['name', 'tag'] });
  });

  it('has another delivery for other metadata, and for a parameter that they read', () => {
    const stagesOf = (options: string) => planOf(pipeline(options)).stages;
    const [none, one, other] = ['', 'metadata: { title: a }', 'metadata: { title: b }'].map(
      stagesOf,
    );
    const marks = [none, one, other].map((stages) => stages?.deliveries['deliver']?.fingerprint);
    expect(new Set(marks).size).toBe(3);
    expect({ ...one, deliveries: {} }).toEqual({ ...none, deliveries: {} });
  });
});

it('the pipeline of the how-to compiles', async () => {
  const page = await readFile('docs/how-to/metadata-in-files.md', 'utf8');
  const [, text = ''] = /```yaml\n([^]*?)```/.exec(page) ?? [];
  expect(told(text)).toEqual([]);
});
