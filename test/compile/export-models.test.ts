// `export` of models: what it refuses, what it needs, the steps that it becomes, and what decides about its files.
import { describe, expect, it } from 'vitest';
import { reusableStages, workStages } from '../../src/plan/stages.ts';
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

describe('a mistake is reported at its place', () => {
  it.each<[string, string, RegExp]>([
    [
      'pictures beside models',
      models('ready').replace('[models]', '[models, renders]'),
      /export of their own/,
    ],
    ['a format that there is not', models('ready', ', formats: [stl]'), /glb.*usdz.*source/],
    ['no format', models('ready', ', formats: []'), /formats/],
    [
      'formats of pictures',
      models('ready', ', formats: [glb]').replace('models]', 'renders]'),
      /formats apply to models/,
    ],
    [
      'a project in a name',
      models('ready', ', naming: "{{ key }} {{ project }}"'),
      /one file for all projects/,
    ],
    [
      'a bookmark in a name',
      models('ready', ', naming: "{{ key }} {{ bookmark }}"'),
      /same for each bookmark/,
    ],
    [
      'changes that are accepted',
      models('ready', ', accept: { change: "<10%" }'),
      /compares pictures/,
    ],
  ])('%s', (_what, node, message) => {
    expect(told(withNodes(ready, node)).join()).toMatch(message);
  });
});

describe('steps', () => {
  it('wait until the models are ready where no node before has', () => {
    expect(stepsOf(models('take'))).toEqual([
      ['ar.ready', 'model_ready', 'none'],
      ['ar', 'export', 'none'],
    ]);
    expect(stepsOf(ready, models('ready'))).toEqual([['ar', 'export', 'none']]);
  });

  it.each(['ready', 'v', 's'])('after %s are done once a model of a grid', (parent) => {
    const nodes = [ready, colours, shots.replace('[ready]', '[v]'), pictures, models(parent)];
    expect(told(withNodes(...nodes))).toEqual([]);
    expect(stepsOf(...nodes)).toEqual([['ar', 'export', { work: 0, calls: 0 }]]);
  });
});

describe('the recipe', () => {
  const stagesOf = (...nodes: string[]) =>
    planOf(withNodes(ready, shots, pictures, ...nodes)).stages;
  const without = stagesOf();

  it('of a file without models knows nothing of them', () => {
    expect(without).not.toHaveProperty('models');
    expect(stagesOf(models('ready', ', formats: [usdz, glb]')).models).toEqual(['glb', 'usdz']);
    expect(stagesOf(models('ready')).models).toEqual(['glb']);
    // Nobody knows which assets have had files.
    const some = models('ready').replace('id: ar', "id: ar, when: 'asset.bytes > 1.0'");
    expect(stagesOf(some)).not.toHaveProperty('models');
  });

  it('has another delivery for other formats, and all else stands', () => {
    const glb = stagesOf(models('ready', ', formats: [glb]'));
    const both = stagesOf(models('ready', ', formats: [glb, usdz]'));
    expect(glb.deliveries['ar']).not.toEqual(both.deliveries['ar']);
    expect(glb.deliveries['e']).toEqual(without.deliveries['e']);
    expect(reusableStages(glb, both)).toEqual(workStages);
    expect(reusableStages(without, both)).toEqual(workStages);
  });
});
