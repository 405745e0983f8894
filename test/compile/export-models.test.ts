// `export` of models: what it refuses and requires, its steps, and what its files depend on.
import { describe, expect, it } from 'vitest';
import { compareStages, workStages } from '../../src/plan/stages.ts';
import { planOf, told, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: s, type: render, parentIds: [ready] }';
const pictures = '{ id: e, type: export, parentIds: [s], config: { connector: out } }';
const models = (parent: string, config = '') =>
  `{ id: ar, type: export, parentIds: [${parent}], config: { connector: out, what: [models]${config} } }`;
const colours =
  '{ id: v, type: variant, parentIds: [ready], config: { colorways: [{ name: Oak, swapRules: [{ matchText: body, matchMode: exact, material: Oak }] }] } }';
const stepsOf = (...nodes: string[]) =>
  planOf(withNodes(...nodes))
    .steps.filter(({ node }) => node === 'ar')
    .map(({ id, activity, cells = 'none' }) => [id, activity, cells]);

describe('the position of a mistake in an export of models', () => {
  it.each<[string, string, RegExp]>([
    [
      'pictures together with models',
      models('ready').replace('[models]', '[models, renders]'),
      /need a separate export/,
    ],
    ['an unknown format', models('ready', ', formats: [stl]'), /glb.*usdz.*source/],
    ['no format', models('ready', ', formats: []'), /formats/],
    [
      'formats of pictures',
      models('ready', ', formats: [glb]').replace('models]', 'renders]'),
      /applies only to models/,
    ],
    [
      'a project in a name',
      models('ready', ', naming: "{{ key }} {{ project }}"'),
      /the same for all projects/,
    ],
    [
      'a bookmark in a name',
      models('ready', ', naming: "{{ key }} {{ bookmark }}"'),
      /same for each bookmark/,
    ],
    [
      'a limit for accepted changes',
      models('ready', ', accept: { change: "<10%" }'),
      /compares pictures/,
    ],
  ])(
    'an export of models is refused at the position of the mistake: %s',
    (_what, node, message) => {
      expect(told(withNodes(ready, node)).join()).toMatch(message);
    },
  );
});

describe('steps of an export of models', () => {
  it('steps wait until the models are ready, unless an earlier node does', () => {
    expect(stepsOf(models('take'))).toEqual([
      ['ar.ready', 'model_ready', 'none'],
      ['ar', 'export', 'none'],
    ]);
    expect(stepsOf(ready, models('ready'))).toEqual([['ar', 'export', 'none']]);
  });

  it.each(['ready', 'v', 's'])('steps after %s run once per model of a grid', (parent) => {
    const nodes = [ready, colours, shots.replace('[ready]', '[v]'), pictures, models(parent)];
    expect(told(withNodes(...nodes))).toEqual([]);
    expect(stepsOf(...nodes)).toEqual([['ar', 'export', { work: 0, calls: 0 }]]);
  });
});

describe('the recipe of an export of models', () => {
  const stagesOf = (...nodes: string[]) =>
    planOf(withNodes(ready, shots, pictures, ...nodes)).stages;
  const without = stagesOf();

  it('the recipe contains models only if every asset has model files', () => {
    expect(without).not.toHaveProperty('models');
    expect(stagesOf(models('ready', ', formats: [usdz, glb]')).models).toEqual(['glb', 'usdz']);
    expect(stagesOf(models('ready')).models).toEqual(['glb']);
    // With a condition, it is unknown which assets have files.
    const some = models('ready').replace('id: ar', "id: ar, when: 'asset.bytes > 1.0'");
    expect(stagesOf(some)).not.toHaveProperty('models');
  });

  it('other formats change only the delivery stage of the recipe', () => {
    const glb = stagesOf(models('ready', ', formats: [glb]'));
    const both = stagesOf(models('ready', ', formats: [glb, usdz]'));
    expect(glb.deliveries['ar']).not.toEqual(both.deliveries['ar']);
    expect(glb.deliveries['e']).toEqual(without.deliveries['e']);
    expect(compareStages(glb, both)).toEqual(workStages);
    expect(compareStages(without, both)).toEqual(workStages);
  });
});
