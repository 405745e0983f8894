// The `check` node adds no step and is not in the recipe. It is allowed only before uploads.
import { describe, expect, it } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import { planOf } from './_compile.ts';

const head = `name: test
connectors: { files: { type: local, path: /files }, out: { type: local, path: /out } }
records: files
nodes:
  - { id: take, type: connector_poll, config: { connector: files } }
`;
const tail = (parent: string) => `
  - { id: ready, type: model_ready, parentIds: [${parent}] }
  - { id: shots, type: render, parentIds: [ready] }
  - { id: deliver, type: export, parentIds: [shots], config: { connector: out } }
`;
const check = (more = '', id = 'small', parent = 'take') =>
  `  - { id: ${id}, type: check, parentIds: [${parent}], ${more} config: { triangles: { max: 9 } } }`;
const withCheck = (more = '') => planOf(`${head}${check(more)}${tail('small')}`);
const without = planOf(`${head}${tail('take')}`);

describe('the plan with a check node', () => {
  it('the plan contains the same steps as without the node, with the rules at the upload', () => {
    const { steps } = withCheck("when: 'asset.bytes > 1',");
    const [upload, ...others] = steps;
    expect(upload?.demands).toEqual([
      {
        node: 'small',
        when: ['asset.bytes > 1'],
        needs: { rules: { triangles: { max: 9, level: 'fail' }, khronos: 'off' } },
      },
    ]);
    expect(others).toEqual(without.steps.slice(1));
  });

  it('the plan describes what is checked', () => {
    expect(withCheck().route).toContain(
      'small: compares each file with its rules before the upload: triangles',
    );
  });

  it.each<[string, string]>([
    ['a rule', ''],
    ['a condition', "when: 'asset.bytes > 1',"],
    ['a disabled node', 'enabled: false,'],
  ])('the recipe is the same with %s, so that delivered assets are not repeated', (_, more) => {
    const { recipe, stages } = withCheck(more);
    expect({ recipe, stages }).toEqual({ recipe: without.recipe, stages: without.stages });
  });

  it('the plan includes the rules of two successive checks', () => {
    const plan = planOf(`${head}${check()}\n${check('', 'other', 'small')}${tail('other')}`);
    expect(plan.steps.slice(1)).toEqual(without.steps.slice(1));
    expect(plan.steps[0]?.demands?.map(({ node }) => node)).toEqual(['small', 'other']);
  });
});

it.each<[string, string]>([
  [
    'after model_ready',
    `${head}  - { id: ready, type: model_ready, parentIds: [take] }\n${check('', 'late', 'ready')}\n`,
  ],
  [
    'after models on the platform',
    `name: test
connectors: { files: { type: local, path: /files } }
records: files
nodes:
  - { id: take, type: model_ready, config: { select: { models: { status: READY } } } }
${check()}
`,
  ],
])('a check %s is an error with a fix', (_, text) => {
  const { problems } = compileText(text, 'a.yaml', {
    cwd: '/',
    environment: {},
    fileFolder: '/',
    parameters: null,
  });
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
    expect.objectContaining({
      code: 'RL418',
      message: expect.stringContaining('does not stand directly after connector_poll'),
      hint: expect.stringContaining('Put the node after connector_poll'),
    }),
  ]);
});
