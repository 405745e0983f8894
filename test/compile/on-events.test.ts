// Pipelines that start with events: which roots are allowed, and what the plan contains.
import { describe, expect, it } from 'vitest';
import { placesOf, planOf } from './_compile.ts';

/** The root is on line 6. */
const withRoot = (root: string, next = '{ id: shots, type: render, parentIds: [ready] }') =>
  [
    'name: test',
    'batchSize: 20',
    'connectors: { out: { type: local, path: out } }',
    'records: out',
    'nodes:',
    `  - ${root}`,
    `  - ${next}`,
  ].join('\n');
const root = (config: string, type = 'model_ready') =>
  withRoot(`{ id: ready, type: ${type}, config: { ${config} } }`);
const finished = withRoot(
  '{ id: ready, type: render_complete, config: { on: render.complete } }',
  '{ id: deliver, type: export, parentIds: [ready], config: { connector: out } }',
);

describe('the root', () => {
  it.each([
    ['an event', root('on: model.processed'), []],
    ['a created project', root('on: project.created', 'project_created'), []],
    ['a finished render', finished, []],
    ['times and other options', root('on: model.processed, gather: 30s, sweep: 1h, own: true'), []],
    ['an event that cannot start runs', root('on: render.failed'), ['6:51 RL204']],
    ['the event of another node', root('on: model.processed', 'project_created'), ['6:55 RL204']],
    [
      'an event and a selection',
      root('on: model.processed, select: { models: {} }'),
      ['6:45 RL204'],
    ],
    ['times without an event', root('select: { models: {} }, sweep: 1h'), ['6:45 RL204']],
    ['a batch window that is too long', root('on: model.processed, gather: 1h'), ['6:45 RL204']],
    ['a sweep interval that is too short', root('on: model.processed, sweep: 5s'), ['6:45 RL204']],
    ['an invalid time', root('on: model.processed, gather: soon'), ['6:76 RL204']],
    [
      'a finished render cannot be waited for',
      finished.replace(
        'export, parentIds: [ready], config: { connector: out }',
        'render, parentIds: [ready]',
      ),
      ['7:11 RL407'],
    ],
  ])('the root is accepted, or is refused at its position: %s', (_what, text, places) => {
    expect(placesOf(text)).toEqual(places);
  });

  it.each([
    ['model_ready', 'model.processed'],
    ['project_created', 'project.created'],
    ['render_complete', 'render.complete'],
  ])('the root cannot come after another node: %s', (type, event) => {
    const first = '{ id: take, type: model_ready, config: { on: model.processed } }';
    const again = `{ id: again, type: ${type}, parentIds: [take], config: { on: ${event} } }`;
    expect(
      placesOf(withRoot(first, again)).filter((place) => place.includes('RL413')),
    ).toHaveLength(1);
  });
});

describe('the plan of a pipeline that starts with events', () => {
  it('the plan contains the event trigger and its times', () => {
    expect(planOf(root('on: model.processed')).eventTrigger).toEqual({
      event: 'model.processed',
      batchWindowMs: 5_000,
      batchSize: 20,
      sweepIntervalMs: 900_000,
      overlapMs: 24 * 3_600_000,
      includesOwn: false,
    });
  });

  it('sweeps of the plan overlap by an hour if the list shows all objects immediately', () => {
    const { eventTrigger } = planOf(finished);
    expect(eventTrigger).toMatchObject({ event: 'render.complete', overlapMs: 3_600_000 });
  });

  it('the plan contains one step for finished renders', () => {
    expect(planOf(finished).steps.map(({ id, activity }) => [id, activity])).toEqual([
      ['ready', 'render_complete'],
      ['deliver', 'export'],
    ]);
  });

  it('the plan has no event trigger if the root is a selection', () => {
    expect(planOf(root('select: { models: {} }')).eventTrigger).toBeUndefined();
  });
});
