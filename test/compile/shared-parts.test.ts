// What a pipeline inherits from its shared parts, and which values have priority.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileFile } from '../../src/compile/compile.ts';
import { formatProblems } from '../../src/compile/yaml/problem.ts';
import { computeShortSha256 } from '../../src/language/hash.ts';
import type { Json, Plan } from '../../src/plan/types.ts';
import { folderWith } from '../cli/_folder.ts';
import { bare, compileIn, connectors, errorsOf, planIn } from './_shared.ts';

const configOf = (plan: Plan, step: string): Json | undefined =>
  plan.steps.find(({ id }) => id === step)?.config;
const settingsOf = (plan: Plan) => (configOf(plan, 'shots') as { settings?: Json }).settings;

/** `bare` with this config of its render. */
const withRender = (config: string) =>
  bare.replace('parentIds: [ready]', `parentIds: [ready], ${config}`);

describe('a default', () => {
  it.each<[what: string, own: string, shared: string, expected: Json]>([
    ['fills a config that is absent', '', '{ settings: { imageQuality: 2 } }', { imageQuality: 2 }],
    [
      'fills the fields of a mapping that the node lacks',
      'config: { settings: { imageFormat: TIFF } }',
      '{ settings: { imageQuality: 2, imageFormat: JPEG } }',
      { imageFormat: 'TIFF', imageQuality: 2 },
    ],
    [
      'does not add to a list of the node',
      'config: { settings: { bookmarksToRender: [a] } }',
      '{ settings: { bookmarksToRender: [b, c] } }',
      { bookmarksToRender: ['a'] },
    ],
    [
      'can use a parameter of the pipeline',
      '',
      '{ settings: { imageCustomWidth: "${{ params.width }}" } }',
      { imageCustomWidth: 640 },
    ],
  ])('a default %s', async (_, own, config, expected) => {
    const plan = await planIn({
      'p.yaml': `parameters: { width: { type: integer, default: 640 } }\n${withRender(own)}`,
      'all.shared.yaml': `${connectors}\ndefaults: { render: { config: ${config} } }`,
    });
    expect(settingsOf(plan)).toEqual(expected);
  });

  it.each([
    ['the node has none', '', 3_600_000],
    ['the node has its own', 'timeout: 2h', 7_200_000],
  ])('a default timeout is used only if needed: %s', async (_, own, expected) => {
    const plan = await planIn({
      'p.yaml': withRender(own),
      'all.shared.yaml': `${connectors}\ndefaults: { render: { timeout: 1h } }`,
    });
    const [timed] = plan.steps.filter(({ node, mode }) => node === 'shots' && mode === 'wait');
    expect(timed?.timeoutMs).toBe(expected);
  });

  it.each([
    ['of a node type that the pipeline does not use changes neither hash nor recipe', 'gate', true],
    ['of a node type that the pipeline uses changes the hash only', 'render', false],
  ])('a default %s', async (_, type, isSame) => {
    // The same file twice, since the hash covers the name of the file and the paths of its folders.
    const cwd = folderWith({ 'p.yaml': bare, 'all.shared.yaml': connectors });
    const compile = () => compileFile('p.yaml', { cwd, environment: {}, parameters: {} });
    const without = await compile();
    const defaults = `defaults: { ${type}: { timeout: 2h } }`;
    writeFileSync(join(cwd, 'all.shared.yaml'), `${connectors}\n${defaults}`);
    const withDefault = await compile();
    expect(withDefault.plan?.hash === without.plan?.hash).toBe(isSame);
    expect(without.plan?.recipe).toMatch(/^[0-9a-f]+$/);
    expect(withDefault.plan?.recipe).toBe(without.plan?.recipe);
  });
});

describe('the stages that a changed default repeats', () => {
  const planWith = (defaults: string) =>
    planIn({ 'p.yaml': bare, 'all.shared.yaml': `${connectors}\ndefaults: { ${defaults} }` });

  it.each<[what: string, before: string, after: string, stages: string[]]>([
    [
      'the render, for its settings',
      'render: { config: { settings: { imageQuality: 0 } } }',
      'render: { config: { settings: { imageQuality: 2 } } }',
      ['render'],
    ],
    [
      'the delivery, for its names',
      'export: { config: { naming: "{{ key }}.{{ ext }}" } }',
      'export: { config: { naming: "new/{{ key }}.{{ ext }}" } }',
      ['deliveries'],
    ],
    ['nothing, for a timeout', 'render: { timeout: 1h }', 'render: { timeout: 2h }', []],
  ])('a changed default repeats %s', async (_, first, then, expected) => {
    const [old, now] = await Promise.all([planWith(first), planWith(then)]);
    const before = new Map(
      Object.entries(old.stages ?? {}).map(([name, one]) => [name, computeShortSha256(one)]),
    );
    const changed = Object.entries(now.stages ?? {}).flatMap(([name, one]) =>
      before.get(name) === computeShortSha256(one) ? [] : [name],
    );
    expect(changed).toEqual(expected);
    expect(now.recipe === old.recipe).toBe(expected.length === 0);
  });
});

describe('shared values', () => {
  it('shared values are replaced as a whole by those of the pipeline', async () => {
    const plan = await planIn({
      'p.yaml': `${bare}\nconnectors: { out: { type: local, path: /mine } }`,
      'all.shared.yaml': connectors,
    });
    expect(plan.connectors['out']).toEqual({ type: 'local', path: '/mine' });
  });

  it('shared values are omitted if the pipeline does not use them, together with what only they need', async () => {
    const plan = await planIn({
      'p.yaml': bare,
      'all.shared.yaml': [
        'parameters: { region: { type: string, required: true } }',
        connectors,
        '  bucket: { type: s3, bucket: pictures, region: "${{ params.region }}" }',
      ].join('\n'),
    });
    expect(Object.keys(plan.connectors)).toEqual(['models', 'out']);
    expect(plan.parameters).toEqual({});
  });

  it('shared tables and channels are included only if they are used', async () => {
    const shared = [
      connectors,
      'data: { products: { connector: models, path: products.csv, key: Style } }',
      'channels: { shop: { format: WEBP, width: 800 }, other: { format: AVIF } }',
    ].join('\n');
    const more = 'original: false, images: [{ channel: shop }], naming: "{{ row.sku }}.{{ ext }}"';
    const using = bare.replace('connector: out', `connector: out, ${more}`);
    const listing = bare.replace(
      'connector: models',
      'connector: models, list: { table: products, file: File }',
    );
    const [plain, used, listed] = await Promise.all(
      [bare, using, listing].map((text) => planIn({ 'p.yaml': text, 'all.shared.yaml': shared })),
    );
    expect(plain?.discovery.rows).toBeUndefined();
    expect(used?.discovery.rows).toMatchObject({ tables: [{ name: 'products' }], reads: ['sku'] });
    expect(listed?.discovery.rows).toMatchObject({ tables: [{ file: 'File' }], reads: [] });
    expect(JSON.stringify(used && configOf(used, 'deliver'))).toContain('"width":800');
  });

  it('shared values are all included if a parameter chooses one', async () => {
    const plan = await planIn(
      {
        'p.yaml': [
          'parameters: { where: { type: string, required: true } }',
          bare.replace('connector: out', 'connector: "${{ params.where }}"'),
        ].join('\n'),
        'all.shared.yaml': `${connectors}\n  other: { type: local, path: other }`,
      },
      { where: 'other' },
    );
    expect(plan.destination?.['path']).toMatch(/other$/);
  });

  it('shared parameters are included if an expression or a schedule uses them', async () => {
    const { pipeline, problems } = await compileIn(
      {
        'p.yaml': [
          withRender('when: asset.name.startsWith(params.prefix)'),
          'schedule: { every: 1d, parameters: { season: spring } }',
        ].join('\n'),
        'all.shared.yaml': [
          'parameters:',
          '  prefix: { type: string, default: a }',
          '  season: { type: string, default: b }',
          '  other: { type: string, default: c }',
          connectors,
        ].join('\n'),
      },
      null,
    );
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
    expect(Object.keys(pipeline?.parameters ?? {})).toEqual(['prefix', 'season']);
  });
});

it.each([
  ['is taken as a whole', '', { failures: 5, of: 'percent' }],
  [
    'is replaced by that of the pipeline',
    'tolerate: { failures: 1 }',
    { failures: 1, of: 'count' },
  ],
])('the field `tolerate` %s', async (_, own, expected) => {
  const plan = await planIn({
    'p.yaml': `${bare}\n${own}`,
    'all.shared.yaml': `${connectors}\ntolerate: { failures: "5%" }`,
  });
  expect(plan.tolerate).toMatchObject(expected);
});

it('a relative folder of a shared part is relative to that part', async () => {
  const { plan } = await compileIn(
    {
      '.git/HEAD': '',
      'shared/all.shared.yaml': [
        'parameters: { to: { type: path, default: pictures } }',
        'connectors:',
        '  models: { type: local, path: models }',
        '  out: { type: local, path: "${{ params.to }}" }',
      ].join('\n'),
      'brand/p.yaml': bare.replace('all.shared', '../shared/all.shared'),
    },
    {},
    'brand/p.yaml',
  );
  const paths = Object.values(plan?.connectors ?? {}).map(({ path }) => path);
  expect(paths).toEqual([
    expect.stringMatching(/\/shared\/models$/),
    expect.stringMatching(/\/shared\/pictures$/),
  ]);
});

it('several shared parts are combined', async () => {
  const plan = await planIn({
    'p.yaml': bare.replace('all.shared.yaml', '[all.shared.yaml, studio/look.shared.yaml]'),
    'all.shared.yaml': `${connectors}\ndefaults: { render: { timeout: 1h } }`,
    'studio/look.shared.yaml':
      'defaults: { render: { config: { settings: { imageQuality: 2 } } } }',
  });
  expect(settingsOf(plan)).toEqual({ imageQuality: 2 });
});

describe('a mistake', () => {
  it.each<[what: string, shared: string, expected: string]>([
    [
      'a field that the node type lacks',
      'defaults: { render: { config: { qualty: 1 } } }',
      '4:33 RL201',
    ],
    [
      'an unknown field of a type that no node has',
      'defaults: { gate: { config: { x: 1 } } }',
      '4:31 RL201',
    ],
    ['a value that does not fit', 'defaults: { render: { config: { wait: 7 } } }', '4:39 RL203'],
    ['a field of nodes that no default may have', 'defaults: { render: { id: a } }', '4:23 RL201'],
    ['an unknown node type', 'defaults: { rendr: {} }', '4:13 RL301'],
    ['a field that only a pipeline may have', 'nodes: []', '4:1 RL201'],
    ['a part that includes another', 'include: b.shared.yaml', '4:1 RL201'],
    ['a merge key', 'defaults: { render: { <<: { timeout: 1h } } }', '4:23 RL107'],
    ['a connector that is not used', '  x: { type: local }', '4:3 RL202'],
    [
      'a parameter that the pipeline lacks',
      'defaults: { render: { timeout: "${{ params.t }}" } }',
      '4:33 RL304',
    ],
    ['an invalid duration', 'defaults: { render: { timeout: soon } }', '4:32 RL204'],
    ['invalid YAML', 'a: [', '4:5 RL101'],
  ])('a mistake is reported at its line in the shared part: %s', async (_, line, expected) => {
    const compiled = await compileIn({
      'p.yaml': bare,
      'all.shared.yaml': `${connectors}\n${line}`,
    });
    expect(errorsOf(compiled)).toEqual([`all.shared.yaml:${expected}`]);
    expect(compiled.problems.map(({ includedBy }) => includedBy)).toContain('p.yaml');
  });

  it('a mistake is reported in the second of two shared parts that define the same fields', async () => {
    const compiled = await compileIn({
      'p.yaml': bare.replace('all.shared.yaml', '[all.shared.yaml, b.shared.yaml]'),
      'all.shared.yaml': `${connectors}\ndefaults: { render: { timeout: 1h } }`,
      'b.shared.yaml': `${connectors}\ndefaults: { render: { timeout: 2h } }`,
    });
    expect(errorsOf(compiled)).toEqual([
      'b.shared.yaml:2:3 RL114',
      'b.shared.yaml:3:3 RL114',
      'b.shared.yaml:4:23 RL114',
    ]);
  });

  it('a mistake in the pipeline itself is reported at its own line', async () => {
    const compiled = await compileIn({
      'p.yaml': bare.replace('type: render,', 'type: rendr,'),
      'all.shared.yaml': connectors,
    });
    expect(errorsOf(compiled)).toEqual(['p.yaml:6:24 RL301']);
  });

  it('a mistake is shown with its line and the pipeline that includes it', async () => {
    const { problems, source, shared } = await compileIn({
      'p.yaml': bare,
      'all.shared.yaml': `${connectors}\ndefaults: { rendr: {} }`,
    });
    expect(formatProblems(problems, source, { shared })).toBe(
      [
        'all.shared.yaml:4:13 error RL301 the node type "rendr" does not exist',
        '  3 |   out: { type: local, path: out }',
        '  4 | defaults: { rendr: {} }',
        '    |             ^^^^^',
        '  included by p.yaml',
        '  hint: Did you mean "render"?',
      ].join('\n'),
    );
  });
});

it('a shared part is not a pipeline', async () => {
  const { problems } = await compileIn({ 'all.shared.yaml': connectors }, null, 'all.shared.yaml');
  expect(problems.map(({ code, hint }) => [code, hint])).toEqual([
    ['RL109', 'Validate a pipeline that includes this file.'],
  ]);
});
