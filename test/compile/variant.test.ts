// The `variant` node: what it refuses, its steps, and that it comes before the project.
import { describe, expect, it } from 'vitest';
import { compile, placesOf, planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: shots, type: render, parentIds: [v] }';
const rule = '{ matchText: body, matchMode: contains, material: Oak }';
const variant = (config: string, more = '') =>
  `{ id: v, type: variant, parentIds: [ready]${more}, config: ${config} }`;
const oak = variant(`{ swapRules: [${rule}] }`);

describe('the position of a mistake in a variant node', () => {
  it.each([
    ['neither rules nor a choice', variant('{}'), ['9:57 RL204']],
    ['`choose: new` without rules', variant('{ choose: new }'), ['9:57 RL204']],
    ['an empty list of rules', variant('{ swapRules: [] }'), ['9:70 RL204']],
    [
      'a rule without a material',
      variant('{ swapRules: [{ matchText: a, matchMode: exact }] }'),
      ['9:71 RL204'],
    ],
    [
      'a rule with two materials',
      variant('{ swapRules: [{ matchText: a, matchMode: exact, material: a, materialId: b }] }'),
      ['9:71 RL204'],
    ],
    [
      'an unknown match mode',
      variant('{ swapRules: [{ matchText: a, matchMode: glob, material: a }] }'),
      ['9:98 RL204'],
    ],
    [
      'an expression about an unknown field of a variant',
      variant('{ choose: { where: \'variant.colour == "red"\' } }'),
      ['9:85 RL502'],
    ],
    [
      'a choice that is not a condition',
      variant("{ choose: { where: 'variant.name' } }"),
      ['9:77 RL503'],
    ],
    ['an unknown choice', variant('{ choose: { name: [a] } }'), ['9:69 RL201']],
    [
      'a condition about variants in another field',
      variant('{ choose: all }', ', when: variant.isNew'),
      ['9:55 RL505'],
    ],
  ])('a mistake is reported at its position: %s', (_, node, places) => {
    expect(placesOf(withNodes(ready, node, shots))).toEqual(places);
  });

  it.each([
    [
      'after a node that creates the project',
      [
        ready,
        '{ id: p, type: project_created, parentIds: [ready] }',
        '{ id: v, type: variant, parentIds: [p], config: { choose: all } }',
      ],
      ['10:11 RL412'],
    ],
    [
      'after a render',
      [
        ready,
        '{ id: s, type: render, parentIds: [ready] }',
        '{ id: v, type: variant, parentIds: [s], config: { choose: all } }',
      ],
      ['10:11 RL412'],
    ],
    [
      'parallel to a node that creates the project',
      [
        ready,
        '{ id: p, type: project_created, parentIds: [ready] }',
        variant('{ choose: all }'),
        '{ id: s, type: render, parentIds: [p, v] }',
      ],
      ['10:11 RL412'],
    ],
    [
      'after another choice',
      [oak, ready, '{ id: w, type: variant, parentIds: [v], config: { choose: all } }'],
      ['10:11 RL410'],
    ],
    [
      'with a model that may not be ready',
      [variant('{ choose: all }').replace('ready', 'take')],
      ['8:11 RL407'],
    ],
    ['as a root', ['{ id: v, type: variant, config: { choose: all } }'], ['8:11 RL405']],
  ])('a variant node is refused %s', (_, nodes, places) => {
    expect(placesOf(withNodes(...nodes))).toEqual(places);
  });

  describe('a file that defines the operation addVariantsToProject', () => {
    const named = (...nodes: string[]) =>
      `${withNodes(ready, ...nodes)}\noperations: { addVariantsToProject: 'POST /projects/{projectId}/variants' }`;
    const project = '{ id: p, type: project_created, parentIds: [ready] }';
    const late = '{ id: v, type: variant, parentIds: [p], config: { choose: all } }';

    it('variants are added in the last step of the node', () => {
      const { steps } = planOf(named(project, late, shots));
      expect(steps.map(({ id, parents }) => [id, parents]).slice(2)).toEqual([
        ['p', ['ready']],
        ['v', ['p']],
        ['v.project', ['v']],
        ['shots', ['v.project']],
        ['shots.wait', ['shots']],
      ]);
    });

    it('variants are also added in a pipeline that starts with projects', () => {
      const text = `name: test
connectors: { out: { type: local, path: out } }
records: out
operations: { addVariantsToProject: 'POST /projects/{projectId}/variants' }
nodes:
  - { id: p, type: project_created, config: { select: { projects: { name: 'Spring*' } } } }
  - ${late}
  - ${shots}`;
      expect(planOf(text).steps.map(({ id }) => id)).toEqual([
        'p',
        'v',
        'v.project',
        'shots',
        'shots.wait',
      ]);
      expect(placesOf(text.replace(/operations.*/, 'batchSize: 9'))).toEqual(['7:11 RL412']);
    });

    it('variants are also added if an asset may have no project', () => {
      const some = project.replace(' }', ', when: asset.bytes > 9 }');
      expect(planOf(named(some, late, shots)).steps.map(({ id }) => id)).toContain('v.project');
    });

    it('variants are not added if no asset can have a project before the node', () => {
      const never = late.replace('config', 'when: "!(asset.bytes > 9)", config');
      const some = project.replace(' }', ', when: asset.bytes > 9 }');
      for (const nodes of [
        [oak, shots],
        [some, never.replace('[p]', '[ready]'), shots],
        [some, never.replace('[p]', '[ready, p]'), shots],
      ]) {
        expect(planOf(named(...nodes)).steps.map(({ id }) => id)).not.toContain('v.project');
      }
    });

    it.each([
      ['after a render', [shots.replace('[v]', '[ready]'), late.replace('[p]', '[shots]')], '10'],
      [
        'after a project with renders',
        [project, shots.replace('[v]', '[p]'), late.replace('[p]', '[shots]')],
        '11',
      ],
      [
        'parallel to the node that creates the project',
        [project, late.replace('[p]', '[ready]'), shots.replace('[v]', '[p, v]')],
        '10',
      ],
    ])('variants are still refused %s', (_, nodes, line) => {
      expect(placesOf(named(...nodes))).toEqual([`${line}:11 RL412`]);
    });

    it('the hint mentions the operation only if nothing else is missing', () => {
      const hintOf = (...nodes: string[]) =>
        compile(withNodes(ready, ...nodes)).problems.find(({ code }) => code === 'RL412')?.hint;
      expect(hintOf(project, late)).toContain(
        "operations: { addVariantsToProject: 'POST /projects/{projectId}/variants' }",
      );
      expect(hintOf(shots.replace('[v]', '[ready]'), late.replace('[p]', '[shots]'))).toBe(
        'Move v before shots.',
      );
    });

    it('the recipe stays the same', () => {
      const before = planOf(withNodes(ready, late.replace('[p]', '[ready]'), shots));
      expect(planOf(named(project, late, shots)).recipe).toBe(before.recipe);
    });
  });

  it('variants are accepted if conditions keep every asset from passing both nodes', () => {
    const text = withNodes(
      ready,
      '{ id: p, type: project_created, parentIds: [ready], when: asset.bytes > 9 }',
      variant('{ choose: all }', ', when: "!(asset.bytes > 9)"'),
      '{ id: s, type: render, parentIds: [p, v] }',
    );
    expect(placesOf(text)).toEqual([]);
  });
});

describe('steps of the variant node', () => {
  const plan = planOf(withNodes(ready, oak, shots));

  it('the steps list the variants, create one batch, wait, and then choose', () => {
    const ofNode = plan.steps.filter(({ node }) => node === 'v');
    expect(ofNode.map(({ id, activity, mode, parents }) => [id, activity, mode, parents])).toEqual([
      ['v.before', 'variants_before', 'call', ['ready']],
      ['v.batch', 'colorway_batch', 'call', ['v.before']],
      ['v.wait', 'colorway_complete', 'wait', ['v.batch']],
      ['v', 'variant', 'call', ['v.wait']],
    ]);
  });

  it('the steps repeat the batch after a failed job', () => {
    const wait = plan.steps.find(({ id }) => id === 'v.wait');
    expect(wait?.retry).toEqual({ step: 'v.batch', max: 2 });
  });

  it('the only step is the choice if there are no rules', () => {
    const { steps } = planOf(withNodes(ready, variant('{ choose: { names: [Red] } }'), shots));
    expect(steps.filter(({ node }) => node === 'v').map(({ id }) => id)).toEqual(['v']);
  });

  it('the recipe differs for other rules or another choice', () => {
    const recipes = [
      oak,
      oak.replace('Oak', 'Ash'),
      variant(`{ swapRules: [${rule}], choose: all }`),
    ].map((node) => planOf(withNodes(ready, node, shots)).recipe);
    expect(new Set(recipes).size).toBe(3);
  });
});

it('a choice may read parameters', () => {
  const text = withNodes(
    ready,
    variant("{ choose: { where: 'variant.name == params.colour' } }"),
    shots,
  ).replace('connectors:', 'parameters: { colour: { type: string, default: Red } }\nconnectors:');
  expect(compile(text).problems.filter(({ severity }) => severity !== 'note')).toEqual([]);
});

describe('a scope as the root', () => {
  const root = (scope: string, more = '') =>
    [
      'name: test',
      'connectors: { out: { type: local, path: out } }',
      'records: out',
      'nodes:',
      `  - { id: v, type: variant, config: { modelScope: ${scope}, swapRules: [${rule}] }${more} }`,
      `  - ${shots}`,
    ].join('\n');

  it.each([
    ['all models', '{ type: all }'],
    ['models by their ids', '{ type: manual, modelIds: [a, b] }'],
    ['models with tags', '{ type: tag, tagIds: [a], property: Nightly }'],
  ])('a scope as the root may be %s', (_, scope) => {
    expect(placesOf(root(scope))).toEqual([]);
    const plan = planOf(root(scope));
    expect(plan.discovery).toMatchObject({ node: 'v', activity: 'variant' });
    expect(plan.steps.map(({ id, parents }) => [id, parents])).toEqual([
      ['v.before', []],
      ['v.batch', ['v.before']],
      ['v.wait', ['v.batch']],
      ['v', ['v.wait']],
      ['shots.project', ['v']],
      ['shots', ['shots.project']],
      ['shots.wait', ['shots']],
    ]);
  });

  it.each([
    ['with an unknown type', '{ type: tags }', '5:59 RL204'],
    ['with a tag but no property', '{ type: tag, tagIds: [a] }', '5:51 RL204'],
    ['with a tag but no ids', '{ type: tag, property: P }', '5:51 RL204'],
    ['with manual ids but no list', '{ type: manual }', '5:51 RL204'],
    ['with an empty list', '{ type: manual, modelIds: [] }', '5:77 RL204'],
    ['with all models and ids', '{ type: all, modelIds: [a] }', '5:51 RL204'],
  ])('a scope as the root is refused %s', (_, scope, place) => {
    expect(placesOf(root(scope))).toEqual([place]);
  });

  it('a scope is refused after parents', () => {
    const scoped = variant(`{ modelScope: { type: all }, swapRules: [${rule}] }`);
    expect(placesOf(withNodes(ready, scoped, shots))).toEqual(['9:59 RL413']);
  });

  it('a scope is in the plan without model ids, because only a run can find the models of a tag', () => {
    const ofTag = planOf(root('{ type: tag, tagIds: [a], property: Nightly }'));
    expect(ofTag.route.join('\n')).toMatch(
      /only a run can find the models of a tag.* into "Nightly" \(3 requests/,
    );
    const ofIds = planOf(root('{ type: manual, modelIds: [model-one] }'));
    expect(JSON.stringify(ofIds.steps)).not.toContain('model-one');
  });

  it('a scope is not in the recipe, so other models get the same colorway', () => {
    const scopes = ['{ type: all }', '{ type: manual, modelIds: [a] }'];
    expect(new Set(scopes.map((scope) => planOf(root(scope)).recipe)).size).toBe(1);
  });
});
