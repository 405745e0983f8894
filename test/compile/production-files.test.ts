// `export` of production files: what it refuses, what it needs, and its steps.
import { describe, expect, it } from 'vitest';
import { placesOf, planOf, withNodes } from './_compile.ts';

const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots = '{ id: s, type: render, parentIds: [ready] }';
const sheets = (parent: string, config = '') =>
  `{ id: e, type: export, parentIds: [${parent}], config: { connector: out, what: [production_files]${config} } }`;
const stepsOf = (...nodes: string[]) =>
  planOf(withNodes(...nodes))
    .steps.filter(({ node }) => node === 'e')
    .map(({ id, activity, mode }) => [id, activity, mode]);

describe('the position of a mistake in an export of production files', () => {
  it.each([
    ['nothing to deliver', sheets('ready').replace('production_files', ''), ['9:80 RL204']],
    [
      'an unknown kind of output',
      sheets('ready').replace('production_files', 'sheets'),
      ['9:81 RL204'],
    ],
    [
      'options without production files',
      sheets('ready', ', production: {}').replace('production_files', 'renders'),
      ['9:103 RL204'],
    ],
    [
      'a note that is too long',
      sheets('ready', `, production: { factoryNote: ${'x'.repeat(501)} }`),
      ['9:127 RL204'],
    ],
    ['an unknown mode', sheets('ready', ', production: { captureMode: dark }'), ['9:127 RL204']],
    [
      'a bookmark in the name of a production file',
      sheets('ready', ', naming: "{{ key }} {{ bookmark }}"'),
      ['9:119 RL523'],
    ],
    ['a model that may not be ready', sheets('take'), ['9:11 RL407']],
  ])(
    'an export of production files is refused at the position of the mistake: %s',
    (_, node, places) => {
      expect(placesOf(withNodes(ready, node)).sort()).toEqual([...places].sort());
    },
  );
});

describe('steps of an export of production files', () => {
  it('steps create the project, request, wait and deliver', () => {
    expect(stepsOf(ready, sheets('ready'))).toEqual([
      ['e.project', 'project_created', 'call'],
      ['e.sheets', 'production_export', 'call'],
      ['e.captured', 'production_complete', 'wait'],
      ['e', 'export', 'call'],
    ]);
  });

  it('steps create no project if a render has created one', () => {
    expect(stepsOf(ready, shots, sheets('s')).map(([id]) => id)).toEqual([
      'e.sheets',
      'e.captured',
      'e',
    ]);
  });

  it('an export of renders compiles to the delivery only', () => {
    const renders = '{ id: e, type: export, parentIds: [s], config: { connector: out } }';
    expect(stepsOf(ready, shots, renders)).toEqual([['e', 'export', 'call']]);
  });

  it('the wait step gets the timeout', () => {
    const { steps } = planOf(
      withNodes(ready, sheets('ready').replace('type: export', 'type: export, timeout: 9m')),
    );
    expect(steps.find(({ id }) => id === 'e.captured')?.timeoutMs).toBe(540_000);
  });
});

it('a colorway must come before the node that creates the project', () => {
  const late = '{ id: v, type: variant, parentIds: [e], config: { choose: all } }';
  expect(placesOf(withNodes(ready, sheets('ready'), late))).toEqual(['10:11 RL412']);
});
