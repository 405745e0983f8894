// Rules of a plan for withdrawn products and for old work, and where they are not allowed.
import { describe, expect, it } from 'vitest';
import { placesOf, planOf, told, withNodes } from './_compile.ts';

const nodes = (exports: readonly string[], shots = '') =>
  withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    `{ id: shots, type: render, parentIds: [ready]${shots} }`,
    ...exports,
  );
const exported = (config: string, more = '') =>
  `{ id: deliver, type: export, parentIds: [shots]${more}, config: { connector: out${config} } }`;

describe('withdrawn products', () => {
  it('withdrawn products are kept by default, and if all exports keep them', () => {
    expect(planOf(nodes([exported('')]))).not.toHaveProperty('withdrawn');
    expect(planOf(nodes([exported(', withdrawn: keep')]))).not.toHaveProperty('withdrawn');
  });

  it('withdrawn products follow the rule of each export', () => {
    const plan = planOf(nodes([exported(', withdrawn: archive')]));
    const mark = plan.stages?.deliveries['deliver']?.fingerprint ?? '';
    expect(plan.withdrawn).toEqual({
      exports: { [mark]: { connector: 'out', policy: 'archive' } },
    });
  });

  it('withdrawn products do not change the recipe or a stage', () => {
    const one = planOf(nodes([exported('')]));
    const other = planOf(nodes([exported(', withdrawn: delete')]));
    expect([other.recipe, other.stages]).toEqual([one.recipe, one.stages]);
  });

  it('withdrawn products can have a limit in the file', () => {
    const text = nodes([exported(', withdrawn: delete')]);
    const limited = text.replace('nodes:', 'limits: { withdrawn: 7 }\nnodes:');
    expect(planOf(limited).withdrawn).toMatchObject({ max: 7 });
  });

  it('withdrawn products are refused if a pipeline starts on the platform', () => {
    const text = [
      'name: test',
      'connectors: { out: { type: local, path: out } }',
      'nodes:',
      '  - { id: ready, type: model_ready, config: { select: { models: {} } } }',
      '  - { id: shots, type: render, parentIds: [ready] }',
      `  - ${exported(', withdrawn: delete')}`,
    ].join('\n');
    expect(placesOf(text)).toEqual(['6:80 RL420']);
    expect(placesOf(text.replace('withdrawn: delete', 'withdrawn: keep'))).toEqual([]);
  });
});

describe('a maximum age', () => {
  const dayMs = 24 * 3_600_000;

  it.each([
    ['a render', nodes([], ', redo: { olderThan: 90d }'), 'render', 90],
    ['an export', nodes([exported('', ', redo: { olderThan: 2d }')]), 'delivery', 2],
    [
      'an export of production files',
      nodes([exported(', what: [production_files]', ', redo: { olderThan: 400d }')]),
      'sheet',
      400,
    ],
  ])('the maximum age of %s applies to its stage', (_what, text, stage, days) => {
    expect(planOf(text).freshness).toEqual([{ stage, olderThanMs: days * dayMs }]);
  });

  it('a maximum age is not in the recipe', () => {
    const { recipe } = planOf(nodes([]));
    expect(planOf(nodes([], ', redo: { olderThan: 90d }')).recipe).toBe(recipe);
  });

  it('the strictest maximum age of several rules applies', () => {
    const ready = nodes([]).replace(
      'type: model_ready',
      'type: model_ready, redo: { olderThan: 9d }',
    );
    const both = ready.replace(
      'type: connector_poll',
      'type: connector_poll, redo: { olderThan: 8d }',
    );
    expect(planOf(both).freshness).toEqual([{ stage: 'source', olderThanMs: 8 * dayMs }]);
  });

  it.each([
    ['an age that is too short', ', redo: { olderThan: 5s }', /RL204 an age must be at least 1m/],
    ['an age that is not a duration', ', redo: { olderThan: soon }', /RL204 /],
    ['an unknown field', ', redo: { after: 9d }', /RL20\d /],
  ])('a maximum age is refused: %s', (_what, redo, problem) => {
    expect(told(nodes([], redo)).join('\n')).toMatch(problem);
  });

  it('a maximum age is refused at a node that creates nothing', () => {
    const notify = `{ id: tell, type: notify, parentIds: [shots], redo: { olderThan: 9d }, config: { url: "https://example.com", secretFrom: RENDERLINE_SECRET_A } }`;
    expect(told(nodes([notify])).join('\n')).toMatch(/RL419 "tell" creates nothing/);
  });
});
