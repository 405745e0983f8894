// Properties in pipeline files: what gets values, what a changed value repeats, and which conditions can read values.
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { compareStages, firstStageToRunOf, workStages } from '../../src/plan/stages.ts';
import { planOf, told, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const look = '{ id: look, type: template_match, parentIds: [ready], config: { default: Studio } }';
const red = '{ id: red, type: variant, parentIds: [ready], config: { choose: { names: [Red] } } }';
const shots = '{ id: shots, type: render, parentIds: [ready] }';
const deliver = '{ id: deliver, type: export, parentIds: [shots], config: { connector: out } }';
const mark = (parent: string, config: string, more = '') =>
  `{ id: mark, type: set_properties, parentIds: [${parent}], config: { values: { Season: Winter }, ${config} }${more} }`;

describe('set_properties', () => {
  it.each([
    ['the model', mark('take', '')],
    ['the chosen variants', red, mark('red', 'assetType: VARIANT')],
    ['the project', shots, mark('shots', 'assetType: PROJECT')],
    ['the template', look, mark('look', 'assetType: TEMPLATE')],
    ['the finished outputs', shots, mark('shots', 'assetType: RENDER')],
    ['a named backplate', mark('ready', 'assetType: BACKPLATE, names: [Studio White]')],
    ['a style named by a field', mark('ready', 'assetType: STYLE, names: ["{{ asset.folder }}"]')],
    ['a named template', mark('ready', 'assetType: TEMPLATE, names: [Studio]')],
  ])('set_properties sets values of %s', (_, ...nodes) => {
    expect(told(withNodes(ready, ...nodes))).toEqual([]);
  });

  it.each([
    ['variants without a choice', 'VARIANT', 'set_properties needs a choice of variants'],
    ['a project that no node creates', 'PROJECT', 'set_properties needs a project'],
    ['outputs without a render', 'RENDER', 'set_properties needs a finished render'],
    ['a template that no node matches', 'TEMPLATE', 'set_properties needs a template'],
    ['library items of a pipeline of models', 'DECAL', 'Add library_import before "mark".'],
    ['a backplate without a name', 'BACKPLATE', 'no pipeline node creates or chooses a BACKPLATE'],
    ['a style without a name', 'STYLE', 'no pipeline node creates or chooses a STYLE'],
    ['a type that the platform does not have', 'COLLECTION', 'assetType'],
  ])('set_properties is refused for %s', (_, assetType, message) => {
    const problems = told(withNodes(ready, mark('ready', `assetType: ${assetType}`)));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(message);
  });

  it('set_properties sets values of the items of library_import', () => {
    const library =
      '{ id: take, type: library_import, config: { connector: models, decals: { include: ["**"] } } }';
    const text = withNodes(mark('take', 'assetType: DECAL')).replace(
      / {2}- \{ id: take.*/,
      `  - ${library}`,
    );
    expect(told(text)).toEqual([]);
  });
});

describe('a changed property value', () => {
  const plan = (mode: string) =>
    planOf(
      withNodes(
        mark('take', `mode: ${mode}`),
        '{ id: ready, type: model_ready, parentIds: [mark] }',
        shots,
        deliver,
      ),
    );

  it('a changed value makes the next run process the asset, but does not repeat the work on it', () => {
    const [then, now] = [plan('REPLACE'), plan('ADD')];
    expect(now.recipe).not.toBe(then.recipe);
    expect(now.stages).toEqual(then.stages);
    const reusable = compareStages(then.stages, now.stages);
    expect(reusable).toEqual(workStages);
    expect(firstStageToRunOf(reusable)).toBe('delivery');
  });

  it('a changed value is in no stage, so the stages are the same without the node', () => {
    expect(planOf(withNodes(ready, shots, deliver)).stages).toEqual(plan('ADD').stages);
  });

  it('a changed value from a row affects only the properties, and an ink affects the production file', () => {
    const text = withNodes(
      mark('take', 'assetType: MODEL').replace('Winter', '"{{ row.season }}"'),
      '{ id: ready, type: model_ready, parentIds: [mark] }',
      red,
      '{ id: logos, type: decoration, parentIds: [red], config: { logos: [{ slot: Front, spec: "{{ row.ink }}" }] } }',
      '{ id: shots, type: render, parentIds: [logos] }',
      deliver,
    ).replace(
      'records: out',
      'records: out\ndata: { rows: { connector: models, path: p.csv, key: sku } }',
    );
    expect(planOf(text).discovery.rows?.stages).toEqual({
      sheet: ['ink'],
      properties: ['season'],
    });
  });
});

const approved = `when: 'model.properties.approved == "yes"'`;
const conditional = `{ id: shots, type: render, parentIds: [ready], ${approved} }`;

describe('a condition on a property', () => {
  it('a condition on a property applies to the node, and its property is looked up before the run', () => {
    const text = withNodes(ready, conditional, deliver);
    expect(told(text)).toEqual([]);
    expect(planOf(text).discovery.lookUps).toEqual([
      { node: 'shots', activity: 'set_properties', config: { values: { approved: null } } },
    ]);
  });

  it.each([
    [
      'at a node that waits',
      [`{ id: ready, type: model_ready, parentIds: [take], ${approved} }`],
      'RL505 "ready" waits or only checks files',
    ],
    [
      'in a rule',
      [
        ready,
        `{ id: look, type: template_match, parentIds: [ready], config: { rules: [{ ${approved}, template: A }], default: B } }`,
      ],
      'RL505 model.properties can be read only in `when` of a node',
    ],
    [
      'in a value',
      [ready, mark('ready', '').replace('Winter', `"{{ model.properties.season }}"`)],
      'RL505 model.properties can be read only in `when` of a node',
    ],
  ])('a condition on a property is refused %s', (_, nodes, message) => {
    expect(told(withNodes(...nodes)).join('\n')).toContain(message);
  });

  it('a condition on a property is refused at the root, because no model exists yet', () => {
    const text = withNodes(ready).replace(
      'config: { connector: models } }',
      `config: { connector: models }, ${approved} }`,
    );
    expect(told(text).join('\n')).toContain('RL505 model is not available yet at this node');
  });

  it('a condition on a property causes a warning if an asset may end without passing the node', () => {
    const preview =
      '{ id: preview, type: export, parentIds: [ready], config: { connector: out, what: [models], formats: [glb] } }';
    expect(told(withNodes(ready, conditional, deliver, preview))).toEqual([
      expect.stringContaining('RL421 assets can end at "preview" without passing "shots"'),
    ]);
  });
});

it.each(['properties', 'inks-and-pantone'])(
  'the pipelines of the how-to guide %s compile',
  async (name) => {
    const page = await readFile(`docs/how-to/${name}.md`, 'utf8');
    for (const [, indent = '', text = ''] of page.matchAll(/^( *)```yaml\n([^]*?)^ *```/gm))
      expect(told(text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''))).toEqual([]);
  },
);
