// What a plan predicts about `when:` before the run: which assets reach which steps, and how many renders follow.
import { describe, expect, test } from 'vitest';
import { compileText } from '../../src/compile/compile.ts';
import type { FoundAsset } from '../../src/engine/cost/found-work.ts';
import { findExcess, formatExcess, plannedWorkOf } from '../../src/engine/cost/limit-excess.ts';
import { estimate } from '../../src/features/estimate.ts';
import { resolveReachedSteps } from '../../src/features/reached-steps.ts';
import type { Plan } from '../../src/plan/types.ts';

const connectors =
  'connectors: { models: { type: local, path: in }, pictures: { type: local, path: out } }\n';
const deliver =
  '  - { id: deliver, type: export, parentIds: [shots], config: { connector: pictures } }\n';

function planOf(nodes: string, more = ''): Plan {
  const text = `name: shop\n${connectors}${more}nodes:\n${nodes}`;
  const options = { cwd: '/shop', fileFolder: '/shop', environment: {}, parameters: {} };
  const { plan, problems } = compileText(text, 'shop.yaml', options);
  if (!plan) throw new Error(problems.map(({ message }) => message).join('; '));
  return plan;
}

/** A plan over files; the render node has a condition, and optionally the root. */
function files(when: string, { category = '', root = '' } = {}): Plan {
  const config = `{ connector: models${category === '' ? '' : `, category: ${category}`} }`;
  return planOf(
    `  - { id: take, type: connector_poll, config: ${config}${root} }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: shots, type: render, parentIds: [ready], when: ${JSON.stringify(when)} }
${deliver}`,
  );
}

function file(path: string, bytes = 1): FoundAsset {
  const key = path.replace(/\.glb$/, '');
  return { key, source: { path, bytes, mtimeMs: 1, version: '1' }, reason: 'new' };
}

function model(name: string, category?: string): FoundAsset {
  const modelId = `id-${name}`;
  const source = { path: name, id: modelId, bytes: 5, mtimeMs: 0, version: '1' };
  const platformIds = { modelId, ...(category === undefined ? {} : { category }) };
  return { key: name, source, reason: 'new', platformIds };
}

const ten = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'].map((name) => file(`misc/${name}.glb`));
const some = [...ten, file('chairs/chair.glb', 2_000)];

describe('renders that remain after a condition', () => {
  test.each<[string, { renders: number; max: boolean }]>([
    ['asset.name == "chair"', { renders: 1, max: false }],
    ['asset.folder.startsWith("chairs")', { renders: 1, max: false }],
    ['asset.key in ["misc/a", "misc/b"]', { renders: 2, max: false }],
    ['asset.bytes > 1000', { renders: 1, max: false }],
    ['asset.name != "chair"', { renders: 9, max: false }],
    ['false', { renders: 0, max: false }],
    ['model.id != ""', { renders: 10, max: true }],
    ['asset.name == "chair" && model.id != ""', { renders: 1, max: true }],
    ['model.id != "" && asset.name == "chair"', { renders: 1, max: true }],
    ['model.id == "x" || asset.name == "chair"', { renders: 10, max: true }],
    ['false && model.id == "x"', { renders: 0, max: false }],
    ['true || model.id == "x"', { renders: 10, max: false }],
    ['asset.name == "chair" ? true : false', { renders: 1, max: false }],
    ['model.id == "x" ? true : false', { renders: 10, max: true }],
    ['["a", model.id].exists(one, one == asset.name)', { renders: 10, max: true }],
    ['!(model.id == "")', { renders: 10, max: true }],
    // No file name has that many parts, so the expression fails on each asset, and nothing is rendered.
    ['asset.name.split("-")[3] == "x"', { renders: 0, max: false }],
    // A model of this pipeline gets the category of its file, and the files have no category.
    ['model.category == "chair"', { renders: 0, max: false }],
  ])('the number of renders is predicted for the condition %s', (when, expected) => {
    expect(estimate(files(when), { assets: some }, null)).toMatchObject(expected);
  });

  test('a condition uses the category that the root assigns to its files', () => {
    const { renders, max } = estimate(
      files('model.category == "chair"', { category: 'chair' }),
      { assets: some },
      null,
    );
    expect([renders, max]).toEqual([10, false]);
  });

  test('a condition uses the category of a selected model from the list', () => {
    const plan = planOf(
      `  - { id: take, type: model_ready, config: { select: { models: { name: "*" } } } }
  - { id: shots, type: render, parentIds: [take], when: "model.category == 'chair'" }
${deliver}`,
    );
    const assets = [model('one', 'chair'), model('two', 'table'), model('three')];
    expect(estimate(plan, { assets }, null)).toMatchObject({
      renders: 1,
      max: false,
      countsByStep: { take: { assets: 3, undecided: 0 } },
    });
  });

  test('steps that no asset reaches need no request', () => {
    const { requests } = estimate(files('false'), { assets: some }, null);
    expect(Object.keys(requests.byOperation).sort()).toEqual([
      'checkModelStatus',
      'confirmJobUploads',
      'createJob',
    ]);
  });

  test('a condition at the root excludes uploads and all later steps', () => {
    const plan = files('true', { root: ', when: "asset.name == \'chair\'"' });
    const cost = estimate(plan, { assets: some }, null);
    expect([cost.renders, cost.creates]).toEqual([1, { model: 1, project: 1 }]);
    const excess = findExcess(
      { renders: 1, models: 1, projects: 1 },
      cost,
      plannedWorkOf({ assets: some }),
    );
    expect(excess).toEqual([]);
  });

  test('the message about an exceeded limit says "may" if only the run can evaluate the condition', () => {
    const cost = estimate(files('model.id != ""'), { assets: some }, null);
    const excess = findExcess({ renders: 5 }, cost, plannedWorkOf({ assets: some }));
    expect(excess).toEqual([{ limit: 'renders', allowed: 5, planned: 10, max: true }]);
    expect(formatExcess(excess)).toBe('limits.renders allows 5, but the plan may need up to 10');
  });
});

describe('paths through a plan', () => {
  const branches = (left: string, right: string) =>
    planOf(`  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: ready, type: model_ready, parentIds: [take] }
  - { id: chairs, type: template_match, parentIds: [ready], when: ${JSON.stringify(left)}, config: { default: A } }
  - { id: others, type: template_match, parentIds: [ready], when: ${JSON.stringify(right)}, config: { default: B } }
  - { id: shots, type: render, parentIds: [chairs, others] }
${deliver}`);
  const counts = (plan: Plan) => {
    const { countsByStep } = estimate(plan, { assets: some }, null);
    return ['chairs', 'others', 'shots'].map((id) => countsByStep[id]?.assets);
  };

  test('a join takes the assets of any of its parents, each only once', () => {
    const isChair = 'asset.name == "chair"';
    expect(counts(branches(isChair, `!(${isChair})`))).toEqual([1, 9, 10]);
    expect(counts(branches(isChair, 'asset.name == "a"'))).toEqual([1, 1, 2]);
    expect(counts(branches('model.id == "x"', 'model.id != "x"'))).toEqual([10, 10, 10]);
  });

  test('a side step passes on the assets that it skips', () => {
    const plan = planOf(`  - { id: take, type: connector_poll, config: { connector: models } }
  - { id: note, type: notify, parentIds: [take], when: "asset.name == 'chair'", config: { url: "https://a.example/hook", secretFrom: RENDERLINE_SECRET_HOOK } }
  - { id: ready, type: model_ready, parentIds: [note] }
  - { id: shots, type: render, parentIds: [ready] }
${deliver}`);
    const { renders, countsByStep } = estimate(plan, { assets: some }, null);
    expect([renders, countsByStep['note']]).toEqual([10, { assets: 1, undecided: 0 }]);
  });

  test('an asset for which a condition fails reaches no further step, even on another path', () => {
    const plan = branches('asset.name.split("-")[1] == "x"', '!(asset.name.split("-")[1] == "x")');
    const verdicts = resolveReachedSteps(plan, [file('a-x.glb'), file('b.glb')]);
    expect(verdicts.get('shots')).toEqual(['yes', 'fails']);
  });
});
