// Records of earlier versions named a colorway and a view in fields of their own, and stay valid.
import { expect, it } from 'vitest';
import type { AssetSource } from '../../src/plan/types.ts';
import { hashOf } from '../../src/store/objects/object-name.ts';
import { recipeOf } from '../../src/store/records/asset-recipe.ts';
import { withCell } from '../../src/store/records/earlier-cells.ts';
import { MemoryBucket } from '../connectors/_memory-connector.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { recipe, sourceOf, storesOver } from './_store.ts';

const rules = [
  { matchText: 'seat', matchMode: 'exact' as const, material: 'Oak' },
  { materialId: 'm-1', matchText: 'legs', matchMode: 'contains' as const },
];
const oak = { colorway: { name: 'Oak', model: 'chair', rules } };
const front = (of: string) => ({ view: { name: 'front', of, fingerprint: 'f1' } });
const source = sourceOf('chair');

const cases: [what: string, earlier: AssetSource, now: AssetSource, recipeOfAsset: string][] = [
  ['no cell', source, source, 'pipeline'],
  [
    'a colorway',
    { ...source, ...oak } as AssetSource,
    inCell(source, 'chair', colorway('Oak', rules)),
    hashOf('["pipeline",[["seat","exact","Oak",null],["legs","contains",null,"m-1"]]]'),
  ],
  [
    'a view of a model',
    { ...source, ...front('chair') } as AssetSource,
    inCell(source, 'chair', view('front', 'f1')),
    hashOf('["pipeline","f1"]'),
  ],
  [
    'a view of a colorway',
    { ...source, ...oak, ...front('chair@Oak') } as AssetSource,
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

it.each(cases)('of %s are read as cells, and their recipe is the same', (_, earlier, now, same) => {
  expect(withCell(earlier)).toEqual(now);
  expect(recipeOf('pipeline', withCell(earlier))).toBe(same);
});

it('are found and read under their names', async () => {
  const store = storesOver(new MemoryBucket())('a');
  await store.records.write({
    key: 'chair@Oak',
    source: { ...source, ...oak } as AssetSource,
    recipe,
    platformIds: {},
    files: [],
    run: 'before',
    lineage: 'before',
    finishedAt: '2026-01-01T00:00:00Z',
  });
  const record = await store.records.find('chair@Oak');
  expect(record?.source).toEqual(inCell(source, 'chair', colorway('Oak', rules)));
});
