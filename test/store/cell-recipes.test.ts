// The recipe of an asset in a grid: the recipe of the pipeline, combined with the positions of the asset's cell.
import { expect, it } from 'vitest';
import type { AssetSource } from '../../src/plan/types.ts';
import { hashOf } from '../../src/store/objects/object-name.ts';
import { assetRecipeOf } from '../../src/store/records/asset-recipe.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { sourceOf } from './_store.ts';

const rules = [
  { matchText: 'seat', matchMode: 'exact' as const, material: 'Oak' },
  { materialId: 'm-1', matchText: 'legs', matchMode: 'contains' as const },
];
const source = sourceOf('chair');

const cases: [what: string, source: AssetSource, recipeOfAsset: string][] = [
  ['no cell', source, 'pipeline'],
  [
    'a colorway',
    inCell(source, 'chair', colorway('Oak', rules)),
    hashOf('["pipeline",[["seat","exact","Oak",null],["legs","contains",null,"m-1"]]]'),
  ],
  ['a view of a model', inCell(source, 'chair', view('front', 'f1')), hashOf('["pipeline","f1"]')],
  [
    'a view of a colorway',
    inCell(source, 'chair', colorway('Oak', rules), view('front', 'f1')),
    hashOf(
      JSON.stringify([
        hashOf('["pipeline","f1"]'),
        [
          ['seat', 'exact', 'Oak', null],
          ['legs', 'contains', null, 'm-1'],
        ],
      ]),
    ),
  ],
];

it.each(cases)('assetRecipeOf() returns the recipe of an asset with %s', (_, of, expected) => {
  expect(assetRecipeOf('pipeline', of)).toBe(expected);
});
