// The positions of a grid follow the order of its models, as far as the models agree.
import { expect, test } from 'vitest';
import { gridOrderOf } from '../../../src/app/plan/grid-order.ts';
import { colorway, inCell } from '../../plan/_cells.ts';

test.each<[string, Record<string, string[]>, string[]]>([
  ['the same positions in all models', { a: ['Oak', 'Moss'], b: ['Oak', 'Moss'] }, ['Oak', 'Moss']],
  ['more positions in a later model', { a: ['Oak'], b: ['Oak', 'Moss'] }, ['Oak', 'Moss']],
  ['earlier positions in a later model', { a: ['Moss'], b: ['Oak', 'Moss'] }, ['Oak', 'Moss']],
  [
    'a position between two others',
    { a: ['Oak', 'Navy'], b: ['Oak', 'Moss', 'Navy'] },
    ['Oak', 'Moss', 'Navy'],
  ],
  ['names that are numbers', { a: ['9016', '5010'] }, ['9016', '5010']],
  [
    'models that contradict each other',
    { a: ['Oak', 'Moss'], b: ['Moss', 'Oak'] },
    ['Oak', 'Moss'],
  ],
  ['several assets in one cell', { a: ['Oak', 'Oak', 'Moss'] }, ['Oak', 'Moss']],
  ['no models', {}, []],
])('the positions of a grid are ordered with %s', (_, rows, positions) => {
  const assets = Object.entries(rows).flatMap(([model, names]) =>
    names.map((name) => ({ source: inCell({}, model, colorway(name)) })),
  );
  expect(gridOrderOf([...assets, { source: {} }])).toEqual({
    models: Object.keys(rows),
    dimensions: positions.length === 0 ? [] : [{ name: 'colorway', positions }],
  });
});
