// A run looks up only the names that it uses, as its plan says.
import { describe, expect, it } from 'vitest';
import type { FoundAsset } from '../../src/engine/cost/found-work.ts';
import { collectLookUps } from '../../src/features/look-up-names.ts';
import { workStages } from '../../src/plan/stages.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { sourceOf } from '../store/_store.ts';

const template = { node: 'look', activity: 'template_match', config: { default: 'Studio' } };
const property = {
  node: 'season',
  activity: 'set_properties',
  config: { values: { Season: null } },
};
const spec = { from: 'table', connector: 'tables', path: 'colorways.csv', matchMode: 'exact' };
const discovery = {
  lookUps: [template, property],
  grid: [{ name: 'colorway', node: 'colours', spec }],
};

function cellIn(name: string, more: Partial<FoundAsset>): FoundAsset {
  const key = `mug@${name}`;
  return { key, source: inCell(sourceOf('mug'), 'mug', colorway(name)), ...more };
}

function namesFor(...assets: FoundAsset[]) {
  return collectLookUps(discovery, assets).flatMap(
    ({ config }) => JSON.stringify(config).match(/Studio|Season|Oak|Navy/g) ?? [],
  );
}

const renamed = { reason: 'recipe', reusableStages: workStages } as const;

describe('the names that a run looks up on the platform', () => {
  it.each<[string, FoundAsset[], string[]]>([
    ['all names for a new asset', [cellIn('Oak', { reason: 'new' })], ['Studio', 'Season', 'Oak']],
    [
      'the names of properties for an asset whose files only move',
      [cellIn('Oak', renamed)],
      ['Season'],
    ],
    [
      'the names of properties for an asset that is delivered again',
      [cellIn('Oak', { reason: 'redeliver' })],
      ['Season'],
    ],
    [
      'the names of the assets that are new, if the files of others move',
      [cellIn('Oak', renamed), cellIn('Navy', { reason: 'new' })],
      ['Studio', 'Season', 'Navy'],
    ],
    ['the names of the pipeline file if there are no assets', [], ['Studio', 'Season']],
  ])('are %s', (_, assets, names) => {
    expect(new Set(namesFor(...assets))).toEqual(new Set(names));
  });
});
