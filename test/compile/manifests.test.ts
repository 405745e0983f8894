// Manifests in a plan, and mistakes in them.
import { describe, expect, it } from 'vitest';
import { placesOf, planOf, withNodes } from './_compile.ts';

const nodes = (config: string) =>
  withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    '{ id: shots, type: render, parentIds: [ready] }',
    `{ id: deliver, type: export, parentIds: [shots], config: { connector: out${config} } }`,
  );
const withTable = (text: string) =>
  text.replace(
    'nodes:',
    'data: { products: { connector: out, path: products.csv, key: Style } }\nnodes:',
  );

describe('a manifest', () => {
  it('a manifest is in the plan, and in the lines of `plan`', () => {
    const plan = planOf(
      nodes(
        ', manifest: { path: m.csv, columns: { File: "{{ file }}" }, delimiter: tab, bom: true }',
      ),
    );
    expect(plan.manifests).toEqual([
      {
        node: 'deliver',
        delivery: plan.stages?.deliveries['deliver']?.fingerprint,
        connector: 'out',
        path: 'm.csv',
        columns: [['File', '{{ file }}']],
        delimiter: '\t',
        bom: true,
        images: {},
      },
    ]);
    expect(plan.route.at(-1)).toBe('deliver: lists its files in m.csv when a run ends');
  });

  it('a manifest may contain zips, by channel or by image', () => {
    const config =
      ', images: [{ channel: web, naming: "web/{{ key }}.{{ ext }}" }], manifest: { path: m.xlsx, zip: [{ path: web.zip, image: web }, { path: "new-{{ run }}.zip", image: original, files: changed }] }';
    const plan = planOf(nodes(config));
    expect(plan.manifests?.[0]?.zips).toEqual([
      { path: 'web.zip', image: 'web', changed: false },
      { path: 'new-{{ run }}.zip', image: 'original', changed: true },
    ]);
    expect(plan.route.at(-1)).toBe(
      'deliver: lists its files in m.xlsx when a run ends; packs all files of web into web.zip; packs changed files of original into new-{{ run }}.zip',
    );
  });

  it('a manifest does not change the recipe, the steps or the stages of a row', () => {
    const one = planOf(withTable(nodes('')));
    const other = planOf(
      withTable(nodes(', manifest: { path: m.csv, columns: { Alt: "{{ row.title }}" } }')),
    );
    expect(other).toMatchObject({ recipe: one.recipe, stages: one.stages, steps: one.steps });
    expect(other.discovery.rows).toMatchObject({ reads: ['title'], stages: {}, shared: [] });
  });

  it('a manifest contains all fields by default, and the columns that the pipeline reads', () => {
    const columns = (text: string) => planOf(text).manifests?.[0]?.columns ?? [];
    expect(columns(nodes(', manifest: { path: m.csv }')).map(([heading]) => heading)).toEqual(
      expect.arrayContaining(['key', 'file', 'sha256', 'colorway', 'deliveredAt']),
    );
    const named = withTable(
      nodes(', naming: "{{ row.sku }}.{{ ext }}", manifest: { path: m.csv }'),
    );
    expect(columns(named).at(-1)).toEqual(['row.sku', '{{ row.sku }}']);
  });
});

describe('refused manifests', () => {
  it.each([
    ['of another format', 'path: m.txt', 'RL204'],
    ['that is its own list of changes', 'path: m.csv, changes: M.csv', 'RL204'],
    ['among withdrawn files', 'path: archive/m.csv', 'RL204'],
    ['outside its connector', 'path: ../m.csv', 'RL521'],
    ['whose path differs by asset', 'path: "{{ key }}.csv"', 'RL521'],
    ['with an unknown field', 'path: m.csv, columns: { A: "{{ sha }}" }', 'RL521'],
    ['with a column but without a table', 'path: m.csv, columns: { A: "{{ row.sku }}" }', 'RL505'],
    ['with a zip of another format', 'path: m.csv, zip: [{ path: a.tar }]', 'RL204'],
    ['with a zip of an unknown image', 'path: m.csv, zip: [{ path: a.zip, image: web }]', 'RL204'],
    [
      'with two zips at the same path',
      'path: m.csv, zip: [{ path: a.zip }, { path: A.zip }]',
      'RL204',
    ],
    ['with a zip outside its connector', 'path: m.csv, zip: [{ path: ../a.zip }]', 'RL521'],
    ['with a delimiter but in a format other than CSV', 'path: m.json, delimiter: tab', 'RL204'],
  ])('a manifest %s is refused', (_, manifest, code) => {
    expect(
      placesOf(nodes(`, manifest: { ${manifest} }`)).map((place) => place.split(' ')[1]),
    ).toEqual([expect.stringContaining(code)]);
  });

  it('a manifest that would overwrite a table is refused', () => {
    const text = withTable(
      nodes(', naming: "{{ row.sku }}.{{ ext }}", manifest: { path: products.csv }'),
    );
    expect(placesOf(text)).toEqual([expect.stringContaining('RL204')]);
  });
});
