// Pipelines that begin with events: what may stand at the root, and what the plan says of it.
import { describe, expect, it } from 'vitest';
import { placesOf, planOf } from './_compile.ts';

/** The root stands in line 6. */
const withRoot = (root: string) =>
  [
    'name: test',
    'batchSize: 20',
    'connectors: { out: { type: local, path: out } }',
    'records: out',
    'nodes:',
    `  - ${root}`,
    '  - { id: shots, type: render, parentIds: [ready] }',
  ].join('\n');
const root = (config: string, more = '') =>
  withRoot(`{ id: ready, type: model_ready, config: { ${config} }${more} }`);

describe('the root', () => {
  it.each([
    ['an event', root('on: model.processed'), []],
    ['its times', root('on: model.processed, gather: 30s, sweep: 1h, own: true'), []],
    ['an event that begins nothing', root('on: render.failed'), ['6:51 RL204']],
    [
      'an event and a selection',
      root('on: model.processed, select: { models: {} }'),
      ['6:45 RL204'],
    ],
    ['times without an event', root('select: { models: {} }, sweep: 1h'), ['6:45 RL204']],
    ['gathering without end', root('on: model.processed, gather: 1h'), ['6:45 RL204']],
    ['sweeping all the time', root('on: model.processed, sweep: 5s'), ['6:45 RL204']],
    ['a time that is none', root('on: model.processed, gather: soon'), ['6:76 RL204']],
  ])('%s', (_what, text, places) => {
    expect(placesOf(text)).toEqual(places);
  });

  it('cannot come after another node', () => {
    const text = withRoot(
      '{ id: take, type: model_ready, config: { on: model.processed } }',
    ).replace('parentIds: [ready]', 'parentIds: [again]');
    const again =
      '  - { id: again, type: model_ready, parentIds: [take], config: { on: model.processed } }';
    expect(placesOf(`${text}\n${again}`)).toEqual(['8:66 RL413']);
  });
});

describe('the plan', () => {
  it('says when events start runs', () => {
    expect(planOf(root('on: model.processed')).intake).toEqual({
      event: 'model.processed',
      gatherMs: 5_000,
      batchSize: 20,
      sweepMs: 900_000,
      own: false,
    });
  });

  it('of a selection starts none', () => {
    expect(planOf(root('select: { models: {} }')).intake).toBeUndefined();
  });
});
