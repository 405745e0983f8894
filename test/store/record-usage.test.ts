// The recorded resources that a file would use again, with any parameters of its earlier runs.
import { describe, expect, it, vi } from 'vitest';
import type { SwapRule } from '../../src/features/slots/swap-rule.ts';
import { ExpressionError } from '../../src/language/expressions.ts';
import type { AssetSource } from '../../src/plan/types.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import { formatRemovedCells } from '../../src/store/discovery/grid/removed-cells.ts';
import { assetRecipeOf } from '../../src/store/records/asset-recipe.ts';
import { createCellKey } from '../../src/store/records/cell-keys.ts';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { RecordUsage } from '../../src/store/search/record-usage.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { noStages } from '../plan/_steps.ts';
import { sourceOf } from './_store.ts';

const finishedAt = '2026-03-01T10:00:00.000Z';

function recordOf(key: string, source: AssetSource, recipes: string[]): AssetRecord {
  const [recipe = '', ...earlier] = recipes;
  const platformIds = { projectId: recipe };
  const of = earlier.map((one) => ({ recipe: one, platformIds: { projectId: one } }));
  const schema = 'renderline/asset/v1';
  const run = 'r';
  return {
    schema,
    key,
    source,
    recipe,
    platformIds,
    files: [],
    earlier: of,
    run,
    lineage: run,
    finishedAt,
  };
}

const usedRecipes = (inUse: RecordUsage, record: AssetRecord) =>
  inUse.used(record).earlier?.map(({ recipe }) => recipe);

const rulesOf = (material: string): SwapRule[] => [
  { matchText: 'body', matchMode: 'exact', material },
];

/** A grid of every model in these colorways, each with one material. */
function gridOf(materials: Record<string, string>): Grid {
  const names = Object.keys(materials);
  return {
    keysOf: (model) => names.map((name) => createCellKey(model, name)),
    cellsOf: (model, source) =>
      names.map((name) => ({
        key: createCellKey(model, name),
        source: inCell(source, model, colorway(name, rulesOf(materials[name] ?? ''))),
      })),
    failuresOf: () => [],
    locate: () => '',
  };
}

const cell = (material: string): AssetSource =>
  inCell(sourceOf('chair'), 'chair', colorway('Navy', rulesOf(material)));

describe('resources that a file without a grid uses', () => {
  it('a file uses the recipes of all its parameters, but no older ones', () => {
    const plans = ['linen', 'navy'].map((recipe) => ({ recipe, stages: noStages, grid: null }));
    const record = recordOf('chair', sourceOf('chair'), ['linen', 'old', 'navy']);
    expect(usedRecipes(new RecordUsage(plans), record)).toEqual(['navy']);
    expect(new RecordUsage(plans).isRemoved(record)).toBe(false);
  });

  it('a file uses projects of recipes that differ only in the render or the delivery', () => {
    const stages = {
      source: 's',
      composition: 'c',
      render: 'r',
      sheet: '',
      deliveries: {},
    };
    const plan = { recipe: 'linen', stages, grid: null };
    const record = recordOf('chair', sourceOf('chair'), ['linen', 'wider', 'staged', 'unknown']);
    const known = new Map([
      ['wider', { ...stages, render: 'other' }],
      ['staged', { ...stages, composition: 'other' }],
    ]);
    expect(usedRecipes(new RecordUsage([plan], known), record)).toEqual(['wider']);
  });
});

describe('resources that a grid uses', () => {
  const before = assetRecipeOf('base', cell('Navy'));
  const now = assetRecipeOf('base', cell('Moss'));
  const record = recordOf('chair@Navy', cell('Moss'), [now, before]);

  it('a grid uses the recipes of cells in all its tables', () => {
    const summer = { recipe: 'base', stages: noStages, grid: gridOf({ Navy: 'Moss' }) };
    const winter = { recipe: 'base', stages: noStages, grid: gridOf({ Navy: 'Navy' }) };
    expect(usedRecipes(new RecordUsage([summer, winter]), record)).toEqual([before]);
    expect(usedRecipes(new RecordUsage([summer]), record)).toEqual([]);
  });

  it('a cell that is in no table counts as removed, unless one of the tables cannot be read', () => {
    const oak = { recipe: 'base', stages: noStages, grid: gridOf({ Oak: 'Oak' }) };
    expect(new RecordUsage([oak]).isRemoved(record)).toBe(true);
    const others = [gridOf({ Navy: 'Navy' }), 'unknown' as const];
    for (const grid of others) {
      expect(
        new RecordUsage([oak, { recipe: 'base', stages: noStages, grid }]).isRemoved(record),
      ).toBe(false);
    }
    const unknown = new RecordUsage([{ recipe: 'base', stages: noStages, grid: 'unknown' }]);
    expect(usedRecipes(unknown, record)).toEqual([before]);
  });

  it('the cells of a model are listed once, however many of them have a record', () => {
    const grid = gridOf({ Navy: 'Moss', Oak: 'Oak' });
    const keysOf = vi.fn(grid.keysOf);
    const cellsOf = vi.fn(grid.cellsOf);
    const usage = new RecordUsage([
      { recipe: 'base', stages: noStages, grid: { ...grid, keysOf, cellsOf } },
    ]);
    for (const key of ['chair@Navy', 'chair@Oak'])
      usage.used(recordOf(key, cell('Moss'), [now, before, 'older']));
    expect(cellsOf).toHaveBeenCalledTimes(1);
    const removed = ['chair@Navy', 'chair@Oak', 'chair@Red'].map((key) =>
      usage.isRemoved(recordOf(key, cell('Moss'), ['base'])),
    );
    expect(removed).toEqual([false, false, true]);
    expect(keysOf).toHaveBeenCalledTimes(1);
  });

  it('all resources of a model for which an expression fails count as used', () => {
    const cellsOf = () => {
      throw new ExpressionError('asset.path.split("/")[1]', 'index out of bounds');
    };
    const grid = { ...gridOf({ Navy: 'Moss' }), cellsOf };
    const failing = new RecordUsage([{ recipe: 'base', stages: noStages, grid }]);
    expect(usedRecipes(failing, record)).toEqual([before]);
  });
});

it('the first few removed cells are listed', () => {
  const keys = Array.from({ length: 7 }, (_, at) => `m${at}@Oak`);
  expect(formatRemovedCells(keys)).toMatch(
    /^m0@Oak, m1@Oak, m2@Oak, m3@Oak, m4@Oak and 2 more are no longer in the grid/,
  );
  expect(formatRemovedCells(['m@Oak'])).toMatch(
    /^m@Oak is no longer in the grid; delivered files stay/,
  );
});
