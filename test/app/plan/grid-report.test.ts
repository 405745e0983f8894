// The states of a grid's cells in a plan.
import { expect, it } from 'vitest';
import { reportGrid } from '../../../src/app/plan/grid-report.ts';
import { colorway, inCell, view } from '../../plan/_cells.ts';
import { sourceOf } from '../../store/_store.ts';

const record = { key: '', version: '1-1', recipe: 'r', name: 'n', older: [] };

function cell(name: string, reason: 'new' | 'recipe' | 'unchanged' | 'touched') {
  const source = inCell(sourceOf('mug'), 'mug', colorway(name));
  const status = reason === 'touched' ? { reason, record, sameRecipe: true } : { reason, record };
  return { key: `mug@${name}`, source, status };
}

it('a cell is done if its file only has a new time, and waits if its file is still being written', () => {
  const classified = [
    cell('New', 'new'),
    cell('Other', 'recipe'),
    cell('Same', 'unchanged'),
    cell('Touched', 'touched'),
    cell('Written', 'touched'),
  ];
  const [first, other, , touched] = classified;
  if (!first || !other || !touched) throw new TypeError('the cells were just created');
  const assets = [
    { ...first, reason: 'new' as const },
    { ...other, reason: 'recipe' as const },
  ];
  const { key, source } = touched;
  const kept = { schema: 'renderline/asset/v1', key, source, recipe: 'r', run: 'first' } as const;
  const now = { ...kept, platformIds: {}, files: [], lineage: 'first', finishedAt: '' };
  const findings = {
    assets,
    classified,
    touched: [{ record: now, source, previous: [] }],
    removed: [],
    refusedCells: [],
  };
  expect(reportGrid(findings)?.rows).toEqual([
    {
      model: 'mug',
      cells: { New: 'new', Other: 'changed', Same: 'done', Touched: 'done', Written: 'later' },
    },
  ]);
});

it('a refused cell is refused, not new or done again, also next to a cell of its column that is new', () => {
  const twoViews = ['Front', 'Side'].map((name) => {
    const source = inCell(sourceOf('mug'), 'mug', colorway('Oak'), view(name));
    return { key: `mug@Oak@${name}`, source, status: { reason: 'new' as const, record: null } };
  });
  const classified = [...twoViews, cell('Kept', 'recipe'), cell('Other', 'unchanged')];
  const [front, side, kept] = classified;
  if (!front || !side || !kept) throw new TypeError('the cells were just created');
  const unlisted = cell('Taken', 'new');
  const report = reportGrid({
    assets: [{ ...front, reason: 'new' }],
    classified,
    touched: [],
    removed: [],
    refusedCells: [side, kept, unlisted],
  });
  expect(report).toMatchObject({ cells: 5, toDo: 1 });
  expect(report?.rows).toEqual([
    { model: 'mug', cells: { Oak: 'refused', Kept: 'refused', Other: 'done', Taken: 'refused' } },
  ]);
});
