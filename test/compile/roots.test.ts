// Pipelines that start with objects of the platform: which nodes are allowed, and what the plan contains.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf } from './_compile.ts';

/** `CODE what` of every error: the text at its line and column. */
function errorsOf(text: string): string[] {
  const lines = text.split('\n');
  return compile(text)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ line, col, code }) => {
      const rest = lines[line - 1]?.slice(col - 1) ?? '';
      return `${code} ${/^(?:[\w."]+|.)/.exec(rest)?.[0] ?? ''}`;
    });
}

/** A pipeline of the given nodes. The first node is on line 5. */
function file(nodes: readonly string[], more = ''): string {
  return [
    'name: test',
    'connectors: { out: { type: local, path: out } }',
    'records: out',
    'nodes:',
    ...nodes.map((node) => `  - ${node}`),
    more,
  ].join('\n');
}

const chosen = 'select: { models: { status: READY } }';
const look = `{ id: look, type: template_match, config: { default: A, ${chosen} } }`;
const shots = '{ id: shots, type: render, parentIds: [look] }';
const ready = (config: string) => `{ id: ready, type: model_ready, config: ${config} }`;

describe('roots of a pipeline', () => {
  it.each<[string, string]>([
    ['ready models without a wait', file([look, shots])],
    ['models with a wait until they are ready', file([ready('{ select: { models: {} } }')])],
    [
      'models that are selected by every condition',
      file([
        ready(
          '{ select: { models: { status: [READY, APPROVED], name: "*x*", properties: [{ property: P, options: [a] }, { property: Q, after: 2026-01-01, before: 2026-02-01 }] } } }',
        ),
      ]),
    ],
    [
      'models with a wait in a second node',
      file([
        look.replace('status: READY', 'name: "a*"'),
        '{ id: ready, type: model_ready, parentIds: [look] }',
        '{ id: shots, type: render, parentIds: [ready] }',
      ]),
    ],
    [
      'a condition on the model',
      file([look.replace('config', 'when: model.category == "a", config')]),
    ],
    ['projects', file(['{ id: shots, type: render, config: { select: { projects: {} } } }'])],
    [
      'projects that a later node renders',
      file([
        '{ id: made, type: project_created, config: { select: { projects: { name: "a*" } } } }',
        '{ id: shots, type: render, parentIds: [made] }',
      ]),
    ],
    [
      'finished renders',
      file([
        '{ id: out, type: export, config: { connector: out, select: { renders: { name: "a*" } } } }',
      ]),
    ],
    [
      'models for their production files',
      file([
        '{ id: out, type: export, config: { connector: out, what: [production_files], select: { models: { status: APPROVED } } } }',
      ]),
    ],
    ['a key of name and id', file([look], 'key: "{{ name }}/{{ id }}"')],
    ['a key by an expression', file([look], `key: 'asset.folder + asset.id'`)],
  ])('a pipeline may start with %s', (_, text) => {
    expect(placesOf(text)).toEqual([]);
    expect(planOf(text).discovery.config).toHaveProperty('select');
  });
});

describe('errors of a root', () => {
  it.each<[string, string, string[]]>([
    ['neither parents nor a selection', file([ready('{}')]), ['RL405 ready']],
    [
      'a selection after parents',
      file([look, `{ id: ready, type: model_ready, parentIds: [look], config: { ${chosen} } }`]),
      ['RL413 select'],
    ],
    ['an empty selection', file([ready('{ select: {} }')]), ['RL202 select']],
    [
      'a selection of objects that the node does not accept',
      file([ready('{ select: { renders: {} } }')]),
      ['RL202 select', 'RL201 renders'],
    ],
    [
      'an unknown status',
      file([ready('{ select: { models: { status: REDY } } }')]),
      ['RL204 REDY'],
    ],
    ['an unknown condition', file([ready('{ select: { models: { nam: a } } }')]), ['RL201 nam']],
    [
      'ids together with another condition',
      file([ready('{ select: { models: { ids: [a], name: b } } }')]),
      ['RL204 {'],
    ],
    ['no ids at all', file([ready('{ select: { models: { ids: [] } } }')]), ['RL204 [']],
    [
      'two conditions on one property',
      file([ready('{ select: { models: { properties: [{ property: P, text: a, min: 1 }] } } }')]),
      ['RL204 {'],
    ],
    [
      'reversed bounds',
      file([ready('{ select: { models: { properties: [{ property: P, min: 2, max: 1 }] } } }')]),
      ['RL204 {'],
    ],
    [
      'an invalid date',
      file([ready('{ select: { models: { properties: [{ property: P, after: soon }] } } }')]),
      ['RL204 soon'],
    ],
    [
      'a day that does not exist',
      file([ready('{ select: { models: { properties: [{ property: P, after: 2026-02-30 }] } } }')]),
      ['RL204 2026'],
    ],
    ['an invalid glob', file([ready('{ select: { models: { name: "a[" } } }')]), ['RL511 [']],
    [
      'a render of models that may not be ready',
      file([look.replace('status: READY', 'name: "a*"'), shots]),
      ['RL407 shots'],
    ],
    [
      'a template for existing projects',
      file([
        '{ id: made, type: project_created, config: { select: { projects: {} } } }',
        '{ id: look, type: template_match, parentIds: [made], config: { default: A } }',
      ]),
      ['RL407 look'],
    ],
    [
      'variants for existing projects',
      file([
        '{ id: made, type: project_created, config: { select: { projects: {} } } }',
        '{ id: pick, type: variant, parentIds: [made], config: { choose: all } }',
      ]),
      ['RL412 pick'],
    ],
    [
      'pictures of models',
      file(['{ id: out, type: export, config: { connector: out, select: { models: {} } } }']),
      ['RL407 select'],
    ],
    [
      'production files of models that may not be ready',
      file([
        '{ id: out, type: export, config: { connector: out, what: [production_files], select: { models: {} } } }',
      ]),
      ['RL407 select'],
    ],
    [
      'models and renders together',
      file([
        '{ id: out, type: export, config: { connector: out, select: { models: {}, renders: {} } } }',
      ]),
      ['RL204 {'],
    ],
    [
      'jobs together with another condition',
      file([
        '{ id: out, type: export, config: { connector: out, select: { renders: { jobs: [a], name: b } } } }',
      ]),
      ['RL204 {'],
    ],
    ['two roots', file([look, ready(`{ ${chosen} }`)]), ['RL404 ready']],
    [
      'a missing location of records',
      file([look]).replace('records: out\n', '\n'),
      ['RL409 nodes'],
    ],
    ['an extension in a key', file([look], 'key: "{{ name }}.{{ ext }}"'), ['RL521 {']],
    [
      'a size in a key',
      file([look], `key: 'asset.name + string(asset.bytes)'`),
      ['RL505 asset.bytes'],
    ],
  ])('an error is reported for %s', (_, text, places) => {
    expect(errorsOf(text)).toEqual(places);
  });

  it('an error is reported for an id in the key of files', () => {
    const take = '{ id: take, type: connector_poll, config: { connector: out } }';
    expect(errorsOf(file([take], 'key: "{{ id }}"'))).toEqual(['RL521 {']);
    expect(errorsOf(file([take], `key: 'asset.id'`))).toEqual(['RL505 asset.id']);
  });
});

it('a list of Pantone materials may be a root, or come after parents', () => {
  const colours = (more: string) =>
    `{ id: colours, type: pantone, ${more}config: { table: { connector: out, path: c.csv } } }`;
  const mark =
    '{ id: mark, type: set_properties, parentIds: [colours], config: { assetType: MATERIAL, names: [Navy], values: { Season: a } } }';
  expect(placesOf(file([colours(''), mark]))).toEqual([]);
  expect(placesOf(file([look, colours('parentIds: [look], '), mark]))).toEqual([]);
  expect(errorsOf(file([look, colours('')]))).toEqual(['RL404 colours']);
});

describe('the plan of a selection', () => {
  it('the plan of a selection creates no project if projects are selected', () => {
    const plan = planOf(
      file(['{ id: shots, type: render, config: { select: { projects: {} } } }']),
    );
    expect(plan.steps.map(({ id }) => id)).toEqual(['shots', 'shots.wait']);
  });

  it('the plan of a selection has the same recipe if other assets are selected', () => {
    const one = planOf(file([look, shots]));
    const other = planOf(file([look.replace('status: READY', 'status: APPROVED'), shots]));
    expect(one.recipe).toBe(other.recipe);
    expect(one.hash).not.toBe(other.hash);
  });
});

describe('the message of a refused selection', () => {
  it.each([
    [file([ready('{}')]), /model_ready cannot start a pipeline without "select"/],
    [
      file([look, `{ id: ready, type: model_ready, parentIds: [look], config: { ${chosen} } }`]),
      /"select" starts a pipeline, but "ready" comes after "look"/,
    ],
  ])('the message of a refused selection states the reason (case %#)', (text, message) => {
    expect(compile(text).problems.map((problem) => problem.message)).toContainEqual(
      expect.stringMatching(message),
    );
  });
});
