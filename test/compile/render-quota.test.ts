// The quota of renders in a file.
import { describe, expect, test } from 'vitest';
import { compile, planOf, told, withNodes } from './_compile.ts';

const renders = [
  '{ id: ready, type: model_ready, parentIds: [take] }',
  '{ id: look, type: template_match, parentIds: [ready], config: { default: Studio White } }',
  '{ id: shots, type: render, parentIds: [look] }',
];
const text = (line: string, ...nodes: string[]) =>
  withNodes(...(nodes.length > 0 ? nodes : renders)).replace('nodes:', `${line}\nnodes:`);

describe('a quota', () => {
  test.each([
    [
      'limits: { renders: { perMonth: 5000 } }',
      { perMonth: 5_000, per: 'pipeline', timezone: 'UTC', onBreach: 'stop' },
      {},
    ],
    [
      'limits: { renders: { perRun: 100, perMonth: 5000, onBreach: wait, timezone: Europe/Berlin } }',
      { perMonth: 5_000, per: 'pipeline', timezone: 'Europe/Berlin', onBreach: 'wait' },
      { renders: 100 },
    ],
    [
      'limits: { renders: { perMonth: 5, per: workspace, at: models } }',
      { perMonth: 5, per: 'workspace', timezone: 'UTC', onBreach: 'stop', at: 'models' },
      {},
    ],
    ['limits: { renders: 100 }', undefined, { renders: 100 }],
  ])('the quota "%s" is read', (line, renderQuota, limits) => {
    expect(planOf(text(line)).renderQuota).toEqual(renderQuota);
    expect(compile(text(line), {}).limits).toEqual(limits);
  });

  test('a quota does not change the recipe or a stage', () => {
    const plan = planOf(text('limits: { renders: { perMonth: 5 } }'));
    const other = planOf(withNodes(...renders));
    expect([plan.recipe, plan.stages]).toEqual([other.recipe, other.stages]);
  });

  test.each([
    ['limits: { renders: { perMonth: 0 } }', 'RL204'],
    ['limits: { renders: { perRun: 5 } }', 'RL202'],
    ['limits: { renders: { perDay: 5, perMonth: 5 } }', 'RL201'],
    ['limits: { renders: { perMonth: 5, per: team } }', 'RL204'],
    ['limits: { renders: { perMonth: 5, onBreach: pause } }', 'RL204'],
    ['limits: { renders: { perMonth: 5, at: out } }', 'RL204'],
    ['limits: { renders: { perMonth: 5, per: workspace, at: outt } }', 'RL303'],
    ['limits: { renders: { perMonth: 5, timezone: Europe/Belrin } }', 'RL702'],
  ])('the quota "%s" is refused', (line, code) => {
    expect(told(text(line)).map((one) => one.split(' ')[1])).toEqual([code]);
  });

  test('a quota causes a warning in a pipeline that renders nothing', () => {
    const line = 'limits: { renders: { perMonth: 5 } }';
    const quiet = text(line, '{ id: ready, type: model_ready, parentIds: [take] }');
    expect(told(quiet)).toEqual([expect.stringMatching(/^\d+:\d+ RL423 the quota counts nothing/)]);
  });
});
